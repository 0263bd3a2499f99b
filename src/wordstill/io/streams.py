"""Open a file as a stream of UTF-8 bytes, whatever it is packed in, and tell what it holds."""

from __future__ import annotations

import bz2
import codecs
import gzip
import io
import lzma
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Literal, cast

from wordstill.errors import InputError

Kind = Literal["text", "json", "parquet", "mediawiki", "wikiextractor", "conllu"]

HEAD = 1 << 16
PIECE = 1 << 18

# An extension of these decides, so that a damaged archive is called damaged and not read as text.
EXTENSIONS = {".gz": "gzip", ".bz2": "bzip2", ".xz": "xz", ".lzma": "xz", ".zst": "zstandard"}
MAGIC = {
    "gzip": re.compile(rb"\x1f\x8b\x08"),
    "bzip2": re.compile(rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)"),
    "xz": re.compile(rb"\xfd7zXZ\x00"),
    "zstandard": re.compile(rb"\x28\xb5\x2f\xfd|[\x50-\x5f]\x2a\x4d\x18"),
}
PARQUET = b"PAR1"
# Large public corpora are packed with zstd --long=31, which the package refuses unless told.
LONGEST_WINDOW = 1 << 31
MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
JSON_OBJECT = re.compile(rb'\s*\{\s*"(?:[^"\\]|\\.)*"\s*:')
JSON_ARRAY = re.compile(rb"\s*\[")
SURROGATE = re.compile("[\ud800-\udfff]")
UNREADABLE = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f\ufffd]")


def compression_of(path: Path | None, head: bytes) -> str | None:
    """The name of the compression, from the extension if it is a known one, else from the first bytes."""
    if path is not None and path.suffix.lower() in EXTENSIONS:
        return EXTENSIONS[path.suffix.lower()]
    return next((name for name, magic in MAGIC.items() if magic.match(head)), None)


@contextmanager
def open_stream(path: Path) -> Iterator[BinaryIO]:
    """The file's content, decompressed and as UTF-8, without a byte order mark.

    `read(n)` is short only at the end; damage shows while reading, as EOFError or OSError and the like.
    """
    with path.open("rb") as file:
        head = file.read(16)
        file.seek(0)
        compression = compression_of(path, head)
        stream = file if compression is None else _decompressed(file, compression)
        head = stream.read(4)
        for mark, encoding in MARKS:
            if head.startswith(mark):
                rest = _buffered(_chained(head[len(mark) :], stream))
                yield rest if encoding == "utf-8" else _buffered(_from_utf16(rest, encoding))
                return
        yield _buffered(_chained(head, stream))


def kind_of(path: Path) -> Kind:
    """What the file holds, from its name and first bytes; InputError if it is nothing that can be read."""
    with path.open("rb") as file:
        head = file.read(16)
    if head.startswith(PARQUET):
        return "parquet"
    with open_stream(path) as stream:
        head = stream.read(HEAD)
    _refuse_binary(path, head)
    bare = path.with_suffix("") if path.suffix.lower() in EXTENSIONS else path
    if bare.suffix.lower() == ".conllu":
        return "conllu"
    start = head.lstrip()
    if start.startswith((b"<?xml", b"<mediawiki", b"<!DOCTYPE")) or bare.suffix.lower() == ".xml":
        if b"<mediawiki" in head:
            return "mediawiki"
        raise InputError(f"{path} is XML but no MediaWiki dump: turn it into plain text, one paragraph per line.")
    if re.match(rb"<doc [^>\n]*>", start):
        return "wikiextractor"
    if bare.suffix.lower() in {".json", ".jsonl", ".ndjson"}:
        if JSON_ARRAY.match(head):
            raise InputError(
                f"{path} is one JSON array: write one object per line instead, for example with jq -c '.[]'."
            )
        return "json"
    return "json" if JSON_OBJECT.match(head) else "text"


def _refuse_binary(path: Path, head: bytes) -> None:
    if head.startswith(b"%PDF-"):
        raise InputError(f"{path} is a PDF: convert it to plain text first, for example with pdftotext.")
    if head.startswith((b"PK\x03\x04", b"7z\xbc\xaf")) or head[257:262] == b"ustar":
        raise InputError(f"{path} is an archive of files (zip, tar, 7z or an office document): unpack it first.")
    if head.startswith(PARQUET):
        raise InputError(f"{path} is a compressed parquet file: decompress it first.")
    if compression_of(None, head):
        raise InputError(f"{path} is compressed twice: decompress it once.")
    text = head.decode("utf-8", "replace")
    unreadable = len(UNREADABLE.findall(text))
    if unreadable > max(16, len(text) // 10):
        raise InputError(
            f"{path} is not UTF-8 text ({unreadable} of its first {len(text)} characters are unreadable): "
            "convert it with iconv -t utf-8 if it is text in another encoding, else leave it out."
        )


class _Chunks(io.RawIOBase):
    """A readable file over an iterator of bytes."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self._chunks, self._rest = chunks, memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        while not self._rest:
            chunk = next(self._chunks, None)
            if chunk is None:
                return 0
            self._rest = memoryview(chunk)
        size = min(len(buffer), len(self._rest))
        buffer[:size] = self._rest[:size]
        self._rest = self._rest[size:]
        return size


def _buffered(chunks: Iterator[bytes]) -> BinaryIO:
    return cast(BinaryIO, io.BufferedReader(_Chunks(chunks), PIECE))


def _chained(head: bytes, stream: BinaryIO) -> Iterator[bytes]:
    yield head
    while chunk := stream.read(PIECE):
        yield chunk


def _from_utf16(stream: BinaryIO, encoding: str) -> Iterator[bytes]:
    """UTF-16 as UTF-8; what is no character becomes one invalid byte, counted later like any other."""
    decoder = codecs.getincrementaldecoder(encoding)("surrogatepass")
    while chunk := stream.read(PIECE):
        yield SURROGATE.sub("\udcff", decoder.decode(chunk)).encode("utf-8", "surrogateescape")
    if decoder.getstate()[0]:
        yield b"\xff"


def _decompressed(file: BinaryIO, compression: str) -> BinaryIO:
    openers: dict[str, Callable[[BinaryIO], object]] = {
        "gzip": lambda file: gzip.GzipFile(fileobj=file),
        "bzip2": bz2.BZ2File,
        "xz": lzma.LZMAFile,
        "zstandard": lambda file: _buffered(_zstandard(file)),
    }
    return cast(BinaryIO, openers[compression](file))


def _zstandard(file: BinaryIO) -> Iterator[bytes]:
    """Decompressed zstandard frames.

    The package's own stream reader takes a truncated file for a complete one, so frames are followed here.
    They are fed in small pieces because a piece comes out whole, and a block of four bytes can hold 128 KiB.
    """
    try:
        import zstandard
    except ImportError:
        raise InputError(
            f'{file.name} is compressed with zstandard: pip install "wordstill[corpora]" to read it.'
        ) from None
    frame = None
    try:
        while piece := file.read(1 << 10):
            while piece:
                frame = frame or zstandard.ZstdDecompressor(max_window_size=LONGEST_WINDOW).decompressobj()
                yield frame.decompress(piece)
                piece = frame.unused_data if frame.eof else b""
                frame = None if frame.eof else frame
    except zstandard.ZstdError as error:
        raise OSError(str(error)) from None
    if frame is not None:
        raise EOFError("the last frame is incomplete")
