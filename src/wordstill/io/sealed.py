"""Files with a checksum: what a run keeps for itself, and must not believe once a bit of it has changed.

The checksum is CRC-32, which can be carried on as a file grows. It finds what disks, cables and half-finished copies do
to a file. It is no protection against someone who wants to deceive.
"""

from __future__ import annotations

import json
import zlib
from pathlib import Path
from typing import Any

from wordstill.errors import Damaged
from wordstill.io.files import plain, write_json
from wordstill.io.reading import open_regular

AT_ONCE = 1 << 22


def file_checksum(path: Path, size: int | None = None) -> int:
    """Return the CRC-32 of a file, or of its first `size` bytes; of a shorter file, of all there is."""
    checksum, left = 0, size
    with open_regular(path) as file:
        while block := file.read(AT_ONCE if left is None else min(AT_ONCE, left)):
            checksum = zlib.crc32(block, checksum)
            left = None if left is None else left - len(block)
    return checksum


def write_sealed(path: Path, value: dict[str, Any]) -> None:
    """Write a JSON object together with its checksum."""
    write_json(path, {**value, "checksum": _seal(value)})


def read_sealed(path: Path) -> dict[str, Any] | None:
    """Read what `write_sealed` wrote; None where there is no such file, `Damaged` where it has changed since."""
    if not path.exists():
        return None
    try:
        with open_regular(path) as file:
            found = json.loads(file.read().decode("utf-8", "backslashreplace"))
    except (OSError, ValueError, RecursionError) as error:  # an InputError is a ValueError
        raise Damaged(f"{path} is damaged: {error}") from error
    if not isinstance(found, dict) or found.pop("checksum", None) != _seal(found):
        raise Damaged(f"{path} is damaged: its checksum does not fit its content")
    return found


def _seal(value: dict[str, Any]) -> int:
    return zlib.crc32(json.dumps(value, sort_keys=True, default=plain).encode())
