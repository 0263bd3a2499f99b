"""Replacing files and folders: a reader sees the old one or the new one, and nothing is lost that is not wordstill's.

`replacing` is the one way in which wordstill replaces anything. It refuses a folder that holds something foreign, and
with a check of the file's content also a foreign file. The old one is kept until the new one is whole.
"""

from __future__ import annotations

import ctypes
import errno
import json
import os
import re
import shutil
import stat
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, TypeAlias
from uuid import uuid4

import numpy as np

from wordstill.errors import InputError
from wordstill.escaping import for_terminal

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
    errno.EBUSY: "it is in use, perhaps as the root of a file system; choose another place",
}

# Return the name of the first thing at a path that is not wordstill's own, or None where all of it may be removed.
Ours: TypeAlias = Callable[[Path], str | None]

# How much of a file is read to find a mark in it.
MARK_BYTES = 4096
# What a killed program leaves beside a file that it was writing: see `replacing`.
_LEFTOVER = re.compile(r"\.(.+)\.[0-9a-f]{12}\.tmp", re.DOTALL)


@contextmanager
def replacing(path: Path, *, ours: Ours | None = None) -> Iterator[Path]:
    """Yield a temporary sibling to write a file or a folder to; at the end it takes the place of `path`.

    ours  checks what is at `path`, at once and again before it is replaced (see `check_replaceable`)

    After any exception the temporary is gone and `path` is what it was before. A folder replaces a folder
    and a file replaces a file; one never replaces the other. What was written is on the disk before it is
    renamed, so not even a power cut leaves half of it under the final name. A link is followed.
    """
    check_replaceable(path, ours)
    path = Path(os.path.realpath(path))
    temporary = path.with_name(f".{path.name[:100]}.{uuid4().hex[:12]}.tmp")
    try:
        with _explaining(path, temporary):
            path.parent.mkdir(parents=True, exist_ok=True)
            yield temporary
            _sync(temporary)
            _exchange(temporary, path, ours)
            _sync_entry(path.parent)
    finally:
        _remove(temporary)


def check_replaceable(path: Path, ours: Ours | None = None) -> None:
    """Refuse to replace what is at `path`, unless it is wordstill's own or empty; nothing there is fine.

    ours  returns the name of the first thing there that is not wordstill's, or None. Without it every folder that
          is not empty is refused, and every file may be replaced.

    `replacing` checks by itself. Call this before work that would be lost where the result has no place.
    """
    path = Path(os.path.realpath(path))
    with _explaining(path):
        _refuse_foreign(path, path, ours)


def only_these(*names: str) -> Ours:
    """Return a check that a folder holds nothing but regular files of these names; a link is none.

    A name may lie deeper ("vocab/strings.json") and may have wildcards ("*.safetensors"). What a killed program
    left half-written under one of the names may be there too. A file is not checked: a folder never replaces it.
    """
    patterns = [tuple(name.split("/")) for name in names]
    return lambda path: _first_foreign(path, patterns) if path.is_dir() else None


def only_files(is_ours: Callable[[Path], bool]) -> Ours:
    """Return a check that lets a file be replaced where `is_ours` says so, and no folder that is not empty."""

    def first_foreign(path: Path) -> str | None:
        if path.is_dir():
            return _first_foreign(path, [])
        return None if is_ours(path) else path.name

    return first_foreign


def only_marked(pattern: bytes) -> Ours:
    """Return a check that lets a file be replaced where the first 4 KiB of it have what a regular expression finds."""

    def has_mark(path: Path) -> bool:
        with path.open("rb") as file:
            return re.search(pattern, file.read(MARK_BYTES)) is not None

    return only_files(has_mark)


def write_json(path: Path, value: Any, *, ours: Ours | None = None) -> None:
    """Write one JSON value, readable by people, keys in their own order; numpy's numbers and paths are taken.

    ours  checks what is at `path`, as in `replacing`
    """
    text = json.dumps(value, indent=2, ensure_ascii=False, default=plain)
    with replacing(path, ours=ours) as temporary:
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


def advice_for(error: OSError) -> str:
    """Tell what the user can do about an error of the operating system, or at least what it is."""
    return _ADVICE.get(error.errno or 0) or for_terminal(error.strerror or str(error)) or type(error).__name__


@contextmanager
def _explaining(path: Path, temporary: Path | None = None) -> Iterator[None]:
    """Turn an error of the operating system into a sentence, where the user can do something about it."""
    try:
        yield
    except OSError as error:
        if error.errno not in _ADVICE or not _concerns(error, path, temporary):
            raise
        raise InputError(f"{path} cannot be written: {_ADVICE[error.errno]}") from error


def _concerns(error: OSError, path: Path, temporary: Path | None) -> bool:
    """Return whether the error is about what is written, not about some other file the caller was reading."""
    if error.filename is None:
        return True
    named = Path(os.fsdecode(error.filename))
    return named in (path, temporary, *path.parents) or not {path, temporary}.isdisjoint(named.parents)


def _refuse_foreign(place: Path, path: Path, ours: Ours | None) -> None:
    """Refuse what is at `place` where it is not wordstill's own; the error speaks of `path`."""
    try:
        found = place.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return
    if stat.S_ISDIR(found.st_mode):
        name = ours(place) if ours else _first_foreign(place, [])
        if name is not None:
            raise InputError(
                f"{path} holds {for_terminal(name)}, which wordstill did not write; choose another name, or move it"
                " away"
            )
    elif not stat.S_ISREG(found.st_mode):
        raise InputError(f"{path} is neither a file nor a folder and is not replaced; choose another name")
    elif ours and found.st_size and ours(place) is not None:
        raise InputError(
            f"{path} is not recognised as wordstill's own and is not replaced; choose another name, or move it away"
        )


def _first_foreign(folder: Path, patterns: Sequence[tuple[str, ...]]) -> str | None:
    """Return the path, from the folder on, of the first thing in it that no pattern names; None where there is none.

    A pattern has one part per level. A folder is named where the parts of a pattern go on below it.
    """
    with os.scandir(folder) as entries:
        found = sorted(entries, key=lambda entry: entry.name)
    for entry in found:
        if entry.is_dir(follow_symlinks=False):
            below = [rest for first, *rest in patterns if rest and _is_named(entry.name, first)]
            if not below:
                return entry.name
            inner = _first_foreign(Path(entry.path), [tuple(rest) for rest in below])
            if inner is not None:
                return f"{entry.name}/{inner}"
        else:
            leftover = _LEFTOVER.fullmatch(entry.name)
            name = leftover[1] if leftover else entry.name
            named = any(not rest and _is_named(name, first) for first, *rest in patterns)
            if not named or not entry.is_file(follow_symlinks=False):
                return entry.name
    return None


def _is_named(name: str, pattern: str) -> bool:
    return name == pattern or fnmatchcase(name, pattern)


def _exchange(temporary: Path, path: Path, ours: Ours | None) -> None:
    """Put what was written in the place of what is at `path`; an old folder is then where the temporary was."""
    _refuse_foreign(path, path, ours)
    if temporary.is_dir() != path.is_dir() and path.exists():
        old, new = ("folder", "file") if path.is_dir() else ("file", "folder")
        raise InputError(f"{path} is a {old} and would be replaced by a {new}; choose another name")
    aside = temporary.with_suffix(".old")
    if not path.is_dir():
        os.replace(temporary, path)
    elif _swap(temporary, path):
        try:
            # Under this name nobody finds the old folder: what came into it at the last moment is seen here.
            _refuse_foreign(temporary, path, ours)
        except BaseException:
            if not _swap(temporary, path):
                os.rename(temporary, aside)  # else it would be removed as a temporary
            raise
    else:
        # The old folder steps aside, and comes back if the new one does not make it.
        os.rename(path, aside)
        try:
            _refuse_foreign(aside, path, ours)
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
