"""Writing files so that a reader sees the old one or the new one, never half of either."""

from __future__ import annotations

import ctypes
import errno
import json
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np

from wordstill.errors import InputError

# What the user can do about it; every other operating system error is a surprise and stays one.
_ADVICE = {
    errno.ENOSPC: "the disk is full; free some space or choose another place",
    errno.EDQUOT: "your disk quota is used up; free some space or choose another place",
    errno.EACCES: "permission is denied; choose a place you may write to",
    errno.EPERM: "permission is denied; choose a place you may write to",
    errno.EROFS: "the file system is read-only; choose a place you may write to",
    errno.ENOTDIR: "a part of the path is a file, not a folder; choose another place",
    errno.EISDIR: "it is a folder; choose another name",
    errno.ENAMETOOLONG: "the name is too long; choose a shorter one",
}


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield a temporary sibling to write a file or a folder to; at the end it takes the place of `path`.

    After any exception the temporary is gone and `path` is what it was before. A folder replaces a folder
    and a file replaces a file; one never replaces the other. What was written is on the disk before it is
    renamed, so not even a power cut leaves half of it under the final name. A link is followed.
    """
    path = Path(os.path.realpath(path))
    temporary = path.with_name(f".{path.name[:100]}.{uuid4().hex[:12]}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield temporary
        _sync(temporary)
        _exchange(temporary, path)
        _sync_entry(path.parent)
    except OSError as error:
        if error.errno not in _ADVICE or not _concerns(error, path, temporary):
            raise
        raise InputError(f"{path} cannot be written: {_ADVICE[error.errno]}") from error
    finally:
        _remove(temporary)


def write_json(path: Path, value: Any) -> None:
    """Write one JSON value, readable by people, keys in their own order; numpy's numbers and paths are taken."""
    text = json.dumps(value, indent=2, ensure_ascii=False, default=plain)
    with replacing(path) as temporary:
        # A lone surrogate has no UTF-8; a backslash escape is what JSON writes for it.
        temporary.write_bytes(text.encode("utf-8", errors="backslashreplace") + b"\n")


def plain(value: Any) -> Any:
    """What JSON has no name for, for `json.dumps(default=...)`: numpy numbers and arrays, and paths."""
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    if isinstance(value, Path):
        return str(value)
    raise TypeError(f"{type(value).__name__} cannot be written as JSON")


def cache_folder() -> Path:
    """Where downloads and measurements are kept: $WORDSTILL_CACHE, or the platform's cache folder."""
    if named := os.environ.get("WORDSTILL_CACHE"):
        return Path(named).expanduser()
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "wordstill"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "wordstill" / "Cache"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "wordstill"


def _concerns(error: OSError, path: Path, temporary: Path) -> bool:
    """Whether the error is about what is written, not about some other file the caller was reading."""
    if error.filename is None:
        return True
    named = Path(os.fsdecode(error.filename))
    return named in (path, temporary, *path.parents) or temporary in named.parents


def _exchange(temporary: Path, path: Path) -> None:
    if temporary.is_dir() != path.is_dir() and path.exists():
        old, new = ("folder", "file") if path.is_dir() else ("file", "folder")
        raise InputError(f"{path} is a {old} and would be replaced by a {new}; choose another name")
    if not path.is_dir():
        os.replace(temporary, path)
    elif not _swap(temporary, path):
        # The old folder steps aside, and comes back if the new one does not make it.
        aside = temporary.with_suffix(".old")
        os.rename(path, aside)
        try:
            os.rename(temporary, path)
        except BaseException:
            os.rename(aside, path)
            raise
        os.rename(aside, temporary)


def _swap(first: Path, second: Path) -> bool:
    """Exchange two folders in one step; False where the system or the file system has no such step.

    A folder with something in it cannot be renamed over, and between two renames a killed program would
    leave neither the old nor the new folder under its name.
    """
    names = (os.fsencode(first), os.fsencode(second))
    if os.name != "posix":
        return False
    libc = ctypes.CDLL(None)
    exchange = 2  # RENAME_EXCHANGE of Linux and RENAME_SWAP of macOS
    if hasattr(libc, "renameat2"):
        here = -100  # AT_FDCWD
        return bool(libc.renameat2(here, names[0], here, names[1], exchange) == 0)
    if hasattr(libc, "renamex_np"):
        return bool(libc.renamex_np(names[0], names[1], exchange) == 0)
    return False


def _sync(path: Path) -> None:
    if path.is_dir():
        for child in path.iterdir():
            _sync(child)
    _sync_entry(path)


def _sync_entry(path: Path) -> None:
    if path.is_dir() and os.name == "nt":
        return  # Windows has no way to open a folder for this.
    descriptor = os.open(path, os.O_RDWR if os.name == "nt" else os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    elif os.path.lexists(path):
        path.unlink()
