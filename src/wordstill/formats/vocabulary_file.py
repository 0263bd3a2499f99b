"""Words and counts as text: one word per line, a tab before its count, or words alone where counts are not known.

A tab, a newline, a return and a backslash in a word are written \\t, \\n, \\r and \\\\, so that it holds every word.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from wordstill.arrays import Array
from wordstill.errors import InputError
from wordstill.formats.word_table import decoded, utf8
from wordstill.io import reading
from wordstill.vectors import WordVectors

_ESCAPES = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})
_MEANINGS = {"\\\\": "\\", "\\t": "\t", "\\n": "\n", "\\r": "\r"}
_TAB, _NEWLINE, _ZERO = b"\t\n0"
# No UTF-8 text has this byte: it marks what is taken out.
_GONE = 0xFF
# As many digits as always fit into 64 bits.
_SAFE_DIGITS = 18


def lines_of(vectors: WordVectors, path: Path) -> bytes:
    """The whole file; `path` is what errors speak of."""
    words = [utf8(word.translate(_ESCAPES), path) for word in vectors.words]
    if vectors.counts is None:
        return b"".join([word + b"\n" for word in words])
    return b"".join([b"%s\t%d\n" % pair for pair in zip(words, vectors.counts.tolist(), strict=True)])


def read(path: Path) -> tuple[list[str], Array | None]:
    """The words and the counts of a file that wordstill wrote; anything but UTF-8 is refused."""
    data = read_bytes(path, whole=True)
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8: {error.reason} at byte {error.start}") from error
    text, counts = split(data, path)
    words = text.decode("utf-8").split("\n")
    words.pop()  # what stands after the last newline: nothing
    return unescaped(words) if b"\\" in data else words, counts


def parse_foreign(data: bytes, path: Path) -> tuple[list[str], Array | None, int, list[str]]:
    """The words and counts of lines that anyone may have written; how many words are not UTF-8, and notes.

    Whether \\t in them is an escape or a backslash before a t cannot be known: it is undone, and said.
    """
    lines, not_utf8 = decoded(data.split(b"\n")[:-1])
    text, counts = split("".join([line + "\n" for line in lines]).encode("utf-8"), path)
    written = text.decode("utf-8").split("\n")[:-1]
    words = unescaped(written) if b"\\" in data else written
    changed = sum(a != b for a, b in zip(words, written, strict=True))
    notes = [f"{changed} words had escapes (\\\\ \\t \\n \\r), which were undone"] if changed else []
    return words, counts, not_utf8, notes


def read_bytes(path: Path, whole: bool = False) -> bytes:
    """The lines of a file, each with a newline at its end and nothing else.

    whole  refuse a last line without an end: wordstill ends every line, so that the file was cut off
    """
    data = reading.read_bytes(path)
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n")  # a tool of Windows has been here; our own returns are escaped
    if not data or data.endswith(b"\n"):
        return data
    if whole:
        raise InputError(f"{path} ends in the middle of a line: it was cut off; copy or save it again")
    return data + b"\n"


def split(data: bytes, path: Path) -> tuple[bytes, Array | None]:
    """The lines without their counts, and the counts.

    Opening a large folder is mostly this. A loop over lines takes three times as long as marking the bytes of the
    counts, digit by digit for all lines at once, and taking them out together.
    """
    if b"\t" not in data[: data.find(b"\n") + 1]:
        return data, None
    letters = np.frombuffer(bytearray(data), np.uint8)
    # Tabs and newlines are neighbours among the bytes, and must take turns.
    separators = np.flatnonzero(letters - np.uint8(_TAB) <= _NEWLINE - _TAB)
    tabs, ends = separators[::2], separators[1::2]
    if len(tabs) != len(ends) or (letters[tabs] != _TAB).any() or (letters[ends] != _NEWLINE).any():
        raise InputError(f"{path} must have a word, a tab and a count on each line, and some line has not")
    lengths = ends - tabs - 1
    slow = set(np.flatnonzero((lengths == 0) | (lengths > _SAFE_DIGITS)).tolist())
    counts = np.zeros(len(ends), np.int64)
    rows, places = np.arange(len(ends)), ends - 1
    for place in range(min(int(lengths.max()), _SAFE_DIGITS)):
        if place:
            longer = lengths[rows] > place
            rows, places = rows[longer], places[longer] - 1
        digits = letters[places] - np.uint8(_ZERO)
        if (digits > 9).any():
            slow |= set(rows[digits > 9].tolist())
        counts[rows] += digits * np.int64(10**place)
        letters[places] = _GONE
    letters[tabs] = _GONE
    for line in slow:
        counts[line] = _integer(data[tabs[line] + 1 : ends[line]], path)
        letters[tabs[line] : ends[line]] = _GONE
    return letters.tobytes().translate(None, bytes([_GONE])), counts


def unescaped(words: Sequence[str]) -> list[str]:
    """The words with their escapes undone."""
    return [_ESCAPE.sub(lambda match: _MEANINGS[match[0]], word) if "\\" in word else word for word in words]


_ESCAPE = re.compile(r"\\[\\tnr]")


def _integer(text: bytes, path: Path) -> int:
    shown = text[:40].decode("utf-8", "replace") + ("..." if len(text) > 40 else "")
    if not re.fullmatch(rb"-?[0-9]{1,19}", text) or not -(2**63) <= int(text) < 2**63:
        raise InputError(f"{path} must have a word, a tab and a count on each line, not {shown!r}")
    return int(text)
