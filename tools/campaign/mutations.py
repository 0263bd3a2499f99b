"""Ways to damage bytes: what disks, connections, editors and enemies do."""

from __future__ import annotations

import gzip
import random
import re
from collections.abc import Callable

# What readers stumble over: control characters, limits of numbers, markup, the beginnings of other kinds of files.
TOKENS = [
    *(
        b"\0",
        b"\r",
        b"\r\n",
        b"\n\n",
        b"\t",
        b"\x1b[2J",
        b"\x9b",
        b"\xff\xfe",
        b"\xef\xbb\xbf",
        b"\xed\xa0\x80",
        b"\x1a",
    ),
    *(b"-1", b"0", b"1e999", b"-1e999", b"nan", b"inf", b"1e38", b"1e-320", b"4294967296", b"9223372036854775808"),
    *(b"9" * 5_000, b"0x10", b"1_000", "٣".encode(), b"1.0.0", b"+-1"),
    *(b"{", b"}", b"[", b"]", b"[" * 3_000, b'{"a":' * 2_000, b"null", b"true", b'""', b'"\\ud800"', b"\\", b"\\u0000"),
    *(
        b"=1+1",
        b"../../../etc/passwd",
        b"/dev/zero",
        b"%s%n",
        b"${x}",
        b"<script>",
        b"]]>",
        b"<!DOCTYPE a [<!ENTITY b 'c'>]>",
    ),
    *(b"[[", b"]]", b"{{", b"}}", b"{|", b"<ref>", b":" * 2_000, b"#REDIRECT" + b" " * 3_000, b"''"),
    *(b"PK\x03\x04", b"\x1f\x8b\x08", b"PAR1", b"\x93NUMPY", b"\x80\x04", b"BZh9", b"\xfd7zXZ\0", b"\x28\xb5\x2f\xfd"),
    *(b" " * 3_000, b"a" * 70_000, b",", b'"', b"'", b":", b"#", b"|", b"_", "é".encode(), "\u202e".encode()),
]
NUMBER = re.compile(rb"\d+")


def mutate(content: bytes, draw: random.Random) -> tuple[bytes, str]:
    """Damage bytes once or a few times; return them, and how it was done."""
    told = []
    for _ in range(draw.choice((1, 1, 1, 2, 4))):
        way = draw.choice(WAYS)
        content = way(content, draw)
        told.append(way.__name__.strip("_"))
    return content, ", ".join(told)


def _flip_a_bit(content: bytes, draw: random.Random) -> bytes:
    return _changed(content, draw, lambda byte: byte ^ (1 << draw.randrange(8)))


def _change_a_byte(content: bytes, draw: random.Random) -> bytes:
    return _changed(content, draw, lambda byte: draw.randrange(256))


def _changed(content: bytes, draw: random.Random, change: Callable[[int], int]) -> bytes:
    if not content:
        return bytes([draw.randrange(256)])
    place = _place(content, draw) % len(content)
    return content[:place] + bytes([change(content[place])]) + content[place + 1 :]


def _cut(content: bytes, draw: random.Random) -> bytes:
    return content[: _place(content, draw)]


def _cut_the_last_bytes(content: bytes, draw: random.Random) -> bytes:
    return content[: -draw.randint(1, 40)]


def _lose_a_piece(content: bytes, draw: random.Random) -> bytes:
    first = _place(content, draw)
    return content[:first] + content[first + draw.choice((1, 2, 8, 100, 4_096)) :]


def _repeat_a_piece(content: bytes, draw: random.Random) -> bytes:
    first = _place(content, draw)
    piece = content[first : first + draw.choice((1, 8, 60, 500))]
    return content[:first] + piece * draw.choice((2, 3, 50)) + content[first:]


def _zero_a_block(content: bytes, draw: random.Random) -> bytes:
    first, size = _place(content, draw), draw.choice((1, 8, 64, 512))
    return content[:first] + b"\0" * len(content[first : first + size]) + content[first + size :]


def _insert_a_token(content: bytes, draw: random.Random) -> bytes:
    place = _place(content, draw)
    return content[:place] + draw.choice(TOKENS) + content[place:]


def _replace_by_a_token(content: bytes, draw: random.Random) -> bytes:
    place, token = _place(content, draw), draw.choice(TOKENS)
    return content[:place] + token + content[place + draw.choice((1, len(token))) :]


def _change_a_number(content: bytes, draw: random.Random) -> bytes:
    found = list(NUMBER.finditer(content[:200_000]))
    if not found:
        return _insert_a_token(content, draw)
    match = draw.choice(found)
    number = draw.choice((b"0", b"-1", b"1", b"2", b"7", b"65536", b"99999999", b"1" + b"0" * 18, b"9" * 5_000, b"0.5"))
    return content[: match.start()] + number + content[match.end() :]


def _exchange_two_lines(content: bytes, draw: random.Random) -> bytes:
    lines = content.split(b"\n")
    first, second = draw.randrange(len(lines)), draw.randrange(len(lines))
    lines[first], lines[second] = lines[second], lines[first]
    return b"\n".join(lines)


def _inside_gzip(content: bytes, draw: random.Random) -> bytes:
    """Damage what is packed, so that the packing itself is sound; pack what is not."""
    if content[:2] != b"\x1f\x8b":
        return gzip.compress(content, 1, mtime=0)
    try:
        inner = gzip.decompress(content)
    except (OSError, EOFError, ValueError, gzip.zlib.error):  # type: ignore[attr-defined]
        return content[:-1]
    return gzip.compress(_replace_by_a_token(inner, draw), 1, mtime=0)


def _place(content: bytes, draw: random.Random) -> int:
    """Anywhere, but more often near the beginning and the end, where formats say what they are."""
    kind = draw.randrange(4)
    size = len(content)
    if kind == 0:
        return draw.randint(0, min(size, 64))
    if kind == 1:
        return max(0, size - draw.randint(0, 64))
    return draw.randint(0, size)


WAYS = [
    *(_flip_a_bit, _change_a_byte, _cut, _cut_the_last_bytes, _lose_a_piece, _repeat_a_piece, _zero_a_block),
    *(_insert_a_token, _insert_a_token, _replace_by_a_token, _change_a_number, _exchange_two_lines, _inside_gzip),
]
