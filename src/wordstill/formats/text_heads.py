"""Telling the one-file formats of word2vec and GloVe apart by their first lines."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

from wordstill.formats.numbers import is_number
from wordstill.formats.word_table import MAX_LINE_BYTES, decoded, reading

HEAD_BYTES = 1 << 20
# Lines at the beginning of a file by which wordstill tells its own from somebody's notes.
LINES_COMPARED = 100
# No larger numbers: Python refuses to read one of thousands of digits.
_HEADER = re.compile(rb"\d{1,18}[ \t]+\d{1,18}[ \t\r]*")


def head_of(path: Path) -> bytes:
    """The first bytes of a file, unzipped: enough to tell what it is, with three lines where there are three."""
    with reading(path) as file:
        head = file.read(HEAD_BYTES)
        while head.count(b"\n") < 3 and len(head) < MAX_LINE_BYTES and (more := file.read(len(head) or 1)):
            head += more
    return head


def whole_lines(head: bytes) -> list[bytes]:
    """The lines of a file's first bytes, without the one that is cut off."""
    lines = head.split(b"\n")
    # Three lines or fewer are a whole file (see `head_of`).
    return lines[:-1] if len(lines) > 1 and (not lines[-1] or (len(head) >= HEAD_BYTES and len(lines) > 3)) else lines


def kind_of(head: bytes) -> str | None:
    """word2vec, word2vec-binary or glove; None where it is something else."""
    lines = whole_lines(head)
    if _HEADER.fullmatch(lines[0]):
        return _kind_with_header(lines, head)
    return "glove" if numbers_at_the_end(lines[0]) else None


def keeps_promise(head: bytes) -> bool:
    """Return whether a first line "words dimensions" fits the lines of text after it, as far as these are known."""
    first, *others = whole_lines(head)
    if not _HEADER.fullmatch(first):
        return False
    words, dimensions = (int(field) for field in first.split())
    rows = [line for line in others if line.strip()]
    fits = all(numbers_at_the_end(line) >= dimensions for line in rows[:LINES_COMPARED])
    return dimensions > 0 and len(rows) <= words and bool(rows) == bool(words) and fits


def keeps_binary_promise(head: bytes) -> bool:
    """Return whether a first line "words dimensions" fits the words and binary vectors after it."""
    first, _, data = head.partition(b"\n")
    if not _HEADER.fullmatch(first):
        return False
    words, dimensions = (int(field) for field in first.split())
    found, end = _binary_words(data, words, dimensions)
    if dimensions < 1 or decoded(found)[1]:
        return False
    return not data[end:].strip(b"\n") if len(found) == words else len(head) >= HEAD_BYTES


def glove_dimensions(path: Path) -> int:
    """How many numbers most of the first lines have after their word, which may itself end in a number."""
    lines = whole_lines(head_of(path))[:100]
    found = Counter(numbers_at_the_end(line) for line in lines if line.strip())
    return min(found, key=lambda dimensions: (-found[dimensions], dimensions))


def numbers_at_the_end(line: bytes) -> int:
    """How many fields at the end of a line are numbers, its first field never counted."""
    after = _fields(line)[1:]
    return next((count for count, field in enumerate(reversed(after)) if not is_number(field)), len(after))


def _kind_with_header(lines: list[bytes], head: bytes) -> str:
    """A first line of two numbers is word2vec's, or GloVe's for a word like "2" with a single number."""
    dimensions = int(lines[0].split()[1])
    first = lines[1] if len(lines) > 1 else b""
    if not first.strip() or dimensions <= numbers_at_the_end(first):
        return "word2vec"
    if all(numbers_at_the_end(line) == len(_fields(line)) - 1 == 1 for line in lines[1:]):
        return "glove"
    start = b"\n".join(lines[1:]).partition(b" ")[2][:4096]
    # A line of text that is too short is told from binary numbers by its letters.
    is_text = not re.search(rb"[\x00-\x08\x0e-\x1f]", start) and start.decode("utf-8", "ignore").encode() == start
    return "word2vec" if is_text and not _is_exactly_binary(head) else "word2vec-binary"


def _is_exactly_binary(head: bytes) -> bool:
    """Whether a small file has as many binary vectors as it promises, and then ends: four letters may be a number."""
    header, _, data = head.partition(b"\n")
    words, dimensions = (int(field) for field in header.split())
    found, end = _binary_words(data, words, dimensions)
    return len(found) == words and not data[end:].strip(b"\n")


def _binary_words(data: bytes, most: int, dimensions: int) -> tuple[list[bytes], int]:
    """Return the words whose binary vectors are whole, at most so many, and where the last vector ends."""
    found: list[bytes] = []
    end = 0
    while len(found) < most and (space := data.find(b" ", end)) >= 0 and space + 1 + 4 * dimensions <= len(data):
        found.append(data[end:space].lstrip(b"\n"))
        end = space + 1 + 4 * dimensions
    return found, end


def _fields(line: bytes) -> list[bytes]:
    """The word and what stands after it. Other whitespace than a space may be part of the word."""
    word, _, rest = line.rstrip().partition(b" ")
    return [word, *rest.split()] if rest else (line.split() or [b""])
