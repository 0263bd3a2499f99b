"""From bytes to paragraphs: decoding that counts what it replaces, clean characters, bounded pieces."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO

BLOCK = 1 << 20
LONGEST_PARAGRAPH = 1 << 20

# A tab is kept and a newline ends the paragraph; every other control character (C0, DEL, C1) becomes a space.
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
SURROGATE = re.compile("[\ud800-\udfff]")
REPLACEMENT = "\N{REPLACEMENT CHARACTER}"


class Decoder:
    """Decodes UTF-8, putting U+FFFD for what is invalid and counting how often."""

    def __init__(self) -> None:
        self.replaced = 0

    def decode(self, raw: bytes) -> str:
        """The text of whole characters of UTF-8."""
        try:
            return raw.decode("utf-8")
        except UnicodeDecodeError:
            text = raw.decode("utf-8", "replace")
            self.replaced += text.count(REPLACEMENT) - raw.count(REPLACEMENT.encode("utf-8"))
            return text

    def without_surrogates(self, text: str) -> str:
        """The text with lone surrogates replaced: JSON can spell them, but no file can hold them."""
        text, replaced = SURROGATE.subn(REPLACEMENT, text)
        self.replaced += replaced
        return text


def blocks(stream: BinaryIO, size: int = BLOCK) -> Iterator[bytes]:
    """The stream in blocks of whole lines; a longer line comes in pieces, cut at a space if possible."""
    rest = b""
    while chunk := stream.read(size):
        data = rest + chunk
        cut = data.rfind(b"\n") + 1
        if not cut and len(data) >= size:
            cut = _cut(data)
        if cut:
            yield data[:cut]
        rest = data[cut:]
    if rest:
        yield rest


def _cut(data: bytes) -> int:
    """Where to cut a line's beginning: after a space in the second half, else between two characters."""
    middle = len(data) // 2
    cut = max(data.rfind(b" ", middle), data.rfind(b"\t", middle)) + 1
    if cut:
        return cut
    cut = len(data) - 1
    while cut > len(data) - 4 and data[cut] & 0xC0 == 0x80:
        cut -= 1
    return cut


def text_paragraphs(text: str) -> Iterator[str]:
    """The paragraphs of a text: its lines, stripped, without control characters; empty ones are left out.

    Only a newline separates them. A paragraph longer than 2**20 characters is cut, at a space if possible.
    """
    for line in CONTROL.sub(" ", text).split("\n"):
        line = line.strip()
        if len(line) <= LONGEST_PARAGRAPH:
            if line:
                yield line
        else:
            yield from _pieces(line)


def _pieces(line: str) -> Iterator[str]:
    start = 0
    while start < len(line):
        end = start + LONGEST_PARAGRAPH
        if end < len(line):
            space = line.rfind(" ", start + LONGEST_PARAGRAPH // 2, end)
            end = space if space > 0 else end
        piece = line[start:end].strip()
        if piece:
            yield piece
        start = end


def stream_paragraphs(stream: BinaryIO, decoder: Decoder) -> Iterator[str]:
    """The paragraphs of a plain text, one a line."""
    for block in blocks(stream):
        yield from text_paragraphs(decoder.decode(block))
