"""Read files that may be damaged, hostile, or no files at all: their content, or one sentence that says what is wrong.

Everything that is read whole is read by these functions. What is read as a stream is opened by `open_regular` and read
inside `explaining`; what another library reads is read inside `read_by_library`.
"""

from __future__ import annotations

import gzip
import json
import lzma
import os
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, cast

from wordstill.errors import InputError

GZIP = b"\x1f\x8b"
# What a packed file may become in memory. Text seldom shrinks to a twentieth; a bomb shrinks to a thousandth.
LARGEST_GROWTH = 30
UNPACKED_ALWAYS = 1 << 26
UNPACKED_NEVER = 1 << 30
# What the unpackers of Python's library raise at damaged input. All their others are OSErrors.
DAMAGED = (zlib.error, lzma.LZMAError, EOFError)
# What zipfile raises besides: sizes that lie, a packing that it does not know, a password, names that are no text.
_BROKEN_ZIP = (zipfile.BadZipFile, struct.error, NotImplementedError, RuntimeError, ValueError)
_AGAIN = "copy or download it again"


def open_regular(path: Path) -> BinaryIO:
    """Open a regular file; refuse a pipe or a device, which might be waited for until the end of time."""
    with explaining(path):
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.close(descriptor)
            raise InputError(f"{path} is no regular file; give a file, not a folder, a pipe or a device")
        return cast(BinaryIO, open(descriptor, "rb"))


@contextmanager
def explaining(path: Path, what: str = "file") -> Iterator[None]:
    """Turn what damaged input raises while it is read and unpacked into a sentence."""
    try:
        yield
    except InputError:
        raise
    except gzip.BadGzipFile as error:
        raise InputError(f"{path} is a damaged gzip file ({_reason(error)}); {_AGAIN}") from error
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or _reason(error)}") from error
    except DAMAGED as error:
        raise InputError(f"{path} is a damaged {what} ({_reason(error)}); {_AGAIN}") from error


@contextmanager
def read_by_library(path: Path | str, what: str) -> Iterator[None]:
    """Turn whatever another library raises at a damaged file into a sentence.

    Libraries raise anything at such files, up to a bare Exception (tokenizers), so that no list of errors is whole.
    Nothing but the library's own calls may stand inside.
    """
    try:
        yield
    except InputError:
        raise
    except Exception as error:
        name = type(error).__name__
        reason = name if _reason(error) == name else f"{name}: {_reason(error)}"
        raise InputError(f"{path} does not load as {what} ({reason}); is it whole?") from error


def _reason(error: Exception) -> str:
    """Return the first line of what an error says, which may be many; its kind where it says nothing."""
    return next(iter(str(error).strip().splitlines()), type(error).__name__)[:200]


def read_bytes(path: Path) -> bytes:
    """Read a whole file."""
    with open_regular(path) as file, explaining(path):
        return file.read()


def read_text(path: Path) -> str:
    """Read a whole file as UTF-8, with or without a byte order mark; through gzip where its content is gzipped."""
    try:
        return read_unpacked(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(
            f"{path} is not UTF-8 text (byte {error.start}); convert it, for example with iconv"
        ) from error


def read_unpacked(path: Path) -> bytes:
    """Read a whole file, through gzip where its content is gzipped; refuse one that grows beyond all measure."""
    with open_regular(path) as file, explaining(path, "gzip file"):
        head, size = file.read(2), os.fstat(file.fileno()).st_size
        file.seek(0)
        if head != GZIP:
            return file.read()
        with gzip.open(file) as unpacked:
            return read_limited(cast(BinaryIO, unpacked), size, path)


def read_member(archive: Path, name: str) -> bytes:
    """Read one file of a zip archive; refuse one that grows beyond all measure."""
    with _opened_zip(archive) as opened:
        if name not in opened.namelist():
            raise InputError(f"{archive} has no {name} in it; {_AGAIN}")
        with opened.open(name) as member:
            return read_limited(cast(BinaryIO, member), opened.getinfo(name).compress_size, archive)


def member_names(archive: Path) -> list[str]:
    """List the files of a zip archive."""
    with _opened_zip(archive) as opened:
        return opened.namelist()


@contextmanager
def _opened_zip(archive: Path) -> Iterator[zipfile.ZipFile]:
    with open_regular(archive) as file, explaining(archive, "zip archive"):
        try:
            with zipfile.ZipFile(file) as opened:
                yield opened
        except InputError:
            raise
        except _BROKEN_ZIP as error:
            raise InputError(f"{archive} is a damaged zip archive ({_reason(error)}); {_AGAIN}") from error


def read_limited(stream: BinaryIO, packed: int, path: Path) -> bytes:
    """Read all of an unpacking stream; refuse it where far more comes out than text of `packed` bytes can give."""
    most = largest_unpacked(packed)
    content = stream.read(most + 1)
    if len(content) > most:
        raise InputError(
            f"{path} unpacks to more than {most >> 20} MiB, out of {packed} bytes; unpack it first if you trust it"
        )
    return content


def largest_unpacked(packed: int, always: int = UNPACKED_ALWAYS) -> int:
    """Tell how many bytes a packed file may become: any up to `always`, then in proportion, up to a bound."""
    return max(always, min(UNPACKED_NEVER, LARGEST_GROWTH * packed))


def read_json(path: Path) -> Any:
    """Read a JSON file; refuse one that is none, nests too deep, or has numbers of thousands of digits."""
    return parse_json(read_bytes(path), path)


def parse_json(text: bytes | str, where: object) -> Any:
    """Read JSON; `where` is what the error speaks of."""
    try:
        return json.loads(text)
    except RecursionError as error:
        raise InputError(f"{where} is no JSON that can be read: it nests too deep; is it whole?") from error
    except ValueError as error:
        raise InputError(f"{where} is no JSON that can be read ({error}); is it whole?") from error
