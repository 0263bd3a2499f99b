"""Keep what comes on standard input, so that it can be read twice and resumed."""

from __future__ import annotations

import gzip
import shutil
from pathlib import Path
from typing import IO, BinaryIO, cast

from wordstill.io.files import replacing
from wordstill.io.streams import PARQUET, compression_of


def spool_stdin(stream: BinaryIO, folder: Path) -> Path:
    """Copy a stream that can be read only once into `folder` and return the file, there only once complete.

    It is compressed (zstandard if installed, else gzip) unless what comes is compressed or parquet already.
    """
    head = stream.read(16)
    if compression_of(None, head) or head.startswith(PARQUET):
        name = "stdin"
    else:
        name = "stdin.zst" if _has_zstandard() else "stdin.gz"
    with replacing(folder / name) as temporary, temporary.open("wb") as file:
        if name == "stdin":
            _copy(head, stream, file)
        else:
            with _compressor(file, name) as packed:
                _copy(head, stream, packed)
    return folder / name


def _copy(head: bytes, stream: BinaryIO, target: IO[bytes]) -> None:
    target.write(head)
    shutil.copyfileobj(stream, target, 1 << 20)


def _has_zstandard() -> bool:
    try:
        import zstandard  # noqa: F401
    except ImportError:
        return False
    return True


def _compressor(file: IO[bytes], name: str) -> IO[bytes]:
    if name.endswith(".zst"):
        import zstandard

        return cast("IO[bytes]", zstandard.ZstdCompressor(level=3).stream_writer(file, closefd=False))
    # Without the time of day in it, the same input gives the same file and fingerprint.
    return cast("IO[bytes]", gzip.GzipFile(filename="", mode="wb", compresslevel=6, fileobj=file, mtime=0))
