"""Parsed text: CoNLL-U files, whose sentences come with words, heads and relations.

A paragraph of such a file goes through the same streams as one of plain text: as a string that begins with control
characters, which no paragraph of text can hold. What is behind it are the words with their heads and relations.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

from wordstill.corpus.decode import CONTROL, Decoder
from wordstill.errors import InputError

# What a parsed paragraph begins with, and what separates its sentences and the words of a sentence.
PARSED, SENTENCE, WORD = "\x1dCoNLL-U\x1d", "\x1e", "\x1f"
LONGEST_LINE = 1 << 20
LONGEST_FORM, LONGEST_RELATION = 100, 40
MOST_WORDS = 10_000
# Characters after which a paragraph ends, whatever the file says.
PARAGRAPH = 1 << 16
COLUMNS = 8
"""The columns up to DEPREL; what is behind them is not read."""


class ParsedSentence(NamedTuple):
    """The words of a sentence, and for each of them the place of its head (-1: none) and its relation to it."""

    words: list[str]
    heads: list[int]
    relations: list[str]


def conllu_paragraphs(stream: BinaryIO, path: Path, decoder: Decoder) -> Iterator[str]:
    """Yield the paragraphs of a CoNLL-U file, each packed into a string.

    A paragraph begins where the file says so (`# newpar`, `# newdoc`). In a file that never does, every sentence is a
    paragraph.
    """
    paragraph: list[str] = []
    marked, size = False, 0
    for begins, sentence in _sentences(stream, path, decoder):
        marked = marked or begins
        packed = WORD.join(f"{word}\t{head}\t{relation}" for word, head, relation in zip(*sentence, strict=True))
        if paragraph and (begins or not marked or size + len(packed) > PARAGRAPH):
            yield PARSED + SENTENCE.join(paragraph)
            paragraph, size = [], 0
        paragraph.append(packed)
        size += len(packed)
    if paragraph:
        yield PARSED + SENTENCE.join(paragraph)


def is_parsed(paragraph: str) -> bool:
    """Tell whether a paragraph comes with its parses."""
    return paragraph.startswith(PARSED)


def unpack(paragraph: str) -> list[ParsedSentence]:
    """Return the sentences of a parsed paragraph."""
    sentences = []
    for packed in paragraph[len(PARSED) :].split(SENTENCE):
        rows = [row.split("\t") for row in packed.split(WORD)]
        sentences.append(
            ParsedSentence([row[0] for row in rows], [int(row[1]) for row in rows], [row[2] for row in rows])
        )
    return sentences


def cut_sentence(sentence: ParsedSentence, size: int) -> Iterator[ParsedSentence]:
    """Yield a sentence in parts of so many words; a head in another part is none."""
    words, heads, relations = sentence
    for start in range(0, len(words), size):
        part = slice(start, start + size)
        inside = [head - start if start <= head < start + size else -1 for head in heads[part]]
        yield ParsedSentence(words[part], inside, relations[part])


def write_sentence(sentence: ParsedSentence) -> str:
    """Return a sentence as CoNLL-U has it, with the empty line behind it."""
    rows = [
        f"{number}\t{word}\t_\t_\t_\t_\t{head + 1}\t{relation}\t_\t_\n"
        for number, (word, head, relation) in enumerate(zip(*sentence, strict=True), 1)
    ]
    return "".join([*rows, "\n"])


def _sentences(stream: BinaryIO, path: Path, decoder: Decoder) -> Iterator[tuple[bool, ParsedSentence]]:
    """Yield each sentence, and whether a paragraph begins with it."""
    rows: list[tuple[str, int, str]] = []
    begins, first = False, 0
    for number, line in _lines(stream, path, decoder):
        if line.startswith("#"):
            begins = begins or line[1:].lstrip().startswith(("newpar", "newdoc"))
        elif line:
            first = first or number
            row = _row(line, len(rows) + 1, f"{path}, line {number}")
            if row is not None:
                rows.append(row)
            if len(rows) > MOST_WORDS:
                raise InputError(
                    f"{path}, line {first}: a sentence of over {MOST_WORDS:,} words; end it by an empty line"
                )
        elif rows:
            yield begins, _sentence(rows, f"{path}, line {first}")
            begins, rows, first = False, [], 0
    if rows:
        yield begins, _sentence(rows, f"{path}, line {first}")


def _lines(stream: BinaryIO, path: Path, decoder: Decoder) -> Iterator[tuple[int, str]]:
    number = 0
    while line := stream.readline(LONGEST_LINE):
        number += 1
        if len(line) == LONGEST_LINE and not line.endswith(b"\n"):
            raise InputError(f"{path}, line {number} is over {LONGEST_LINE >> 20} MiB: CoNLL-U has one word per line")
        yield number, decoder.decode(line).strip("\r\n ")


def _row(line: str, expected: int, where: str) -> tuple[str, int, str] | None:
    """Return a word, the number of its head (0: the root, -1: none) and its relation; None for what is no word."""
    columns = line.split("\t")
    if len(columns) < COLUMNS:
        raise InputError(f"{where} has {len(columns)} columns, and CoNLL-U ten, with tabs between them; is it CoNLL-U?")
    identity, form, head, relation = columns[0], columns[1], columns[6], columns[7]
    if "-" in identity or "." in identity:  # several words as one token, and words that are not there
        return None
    if identity != str(expected):
        raise InputError(f"{where}: word number {identity[:20]!r} where {expected} should follow; is it CoNLL-U?")
    if head == "_":
        number = -1
    elif head.isascii() and head.isdigit() and len(head) < 7:
        number = int(head)
    else:
        raise InputError(f"{where}: the head is {head[:20]!r}, which is no number of a word; is it CoNLL-U?")
    # No word may hold a space: a number such as "10 000" is one word all the same.
    word = "_".join(CONTROL.sub(" ", form).split())[:LONGEST_FORM]
    return word or "_", number, CONTROL.sub(" ", relation).strip()[:LONGEST_RELATION] or "_"


def _sentence(rows: list[tuple[str, int, str]], where: str) -> ParsedSentence:
    words, heads, relations = (list(column) for column in zip(*rows, strict=True))
    for place, head in enumerate(heads, 1):
        if head > len(words) or head == place:
            raise InputError(
                f"{where}: word {place} of the sentence has the head {head}, which cannot be; is it whole?"
            )
    return ParsedSentence(words, [head - 1 if head > 0 else -1 for head in heads], relations)
