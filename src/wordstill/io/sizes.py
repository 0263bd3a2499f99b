"""How large files are."""

from __future__ import annotations

from pathlib import Path


def bytes_of(path: Path) -> int:
    """The size of a file, or of all files in a folder."""
    if path.is_dir():
        return sum(file.stat().st_size for file in path.rglob("*") if file.is_file())
    return path.stat().st_size if path.exists() else 0


def in_units(size: int) -> str:
    """A size for people: 3.2 MB is 3,200,000 bytes or so."""
    value = float(size)
    for unit in ("bytes", "kB", "MB", "GB"):
        if value < 1000 or unit == "GB":
            break
        value /= 1000
    return f"{value:.0f} {unit}" if unit == "bytes" else f"{value:.1f} {unit}"
