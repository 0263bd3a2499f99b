"""Dictionaries in files: `word<TAB>definition`, CSV, JSON lines, and Wiktionary as kaikki.org extracts it.

A file is read as a stream, packed or not, and only what concerns the words asked for is kept: Wiktionary's gigabytes
take no more memory than a glossary.
"""

from __future__ import annotations

import csv
import json
import lzma
import zlib
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

from wordstill.errors import InputError
from wordstill.io.streams import EXTENSIONS, open_stream
from wordstill.lexicons.senses import Sense, Wanted, spelling

Layout: TypeAlias = Literal["tabs", "commas", "json"]

LONGEST_LINE = 1 << 26
WORD_COLUMNS = ("word", "term", "lemma", "headword")
DEFINITION_COLUMNS = ("definition", "definitions", "gloss", "glosses", "meaning")
# Rows of an inflection table that are no forms of the word.
NO_FORMS = frozenset({"table-tags", "inflection-template", "romanization", "class"})
# What the lines have that lead from a form to its lemma.
LEADING = ('"form_of"', '"alt_of"')
# Senses that a reader of today does not mean.
OLD = frozenset({"obsolete", "archaic"})


class Entry(NamedTuple):
    """What one line says: a word, its definitions, the words that it is a form of, and its own forms."""

    word: str
    definitions: tuple[str, ...]
    form_of: tuple[str, ...] = ()
    forms: tuple[str, ...] = ()


def file_senses(path: Path, words: Iterable[str], most: int) -> dict[str, list[Sense]]:
    """Find the senses of each of these words that a file has, at most `most` each, in the order of the file.

    Entries that are spelt like the word come first, then those that are so in lower case, then those of its lemmas.
    """
    wanted = Wanted(words)
    layout = _layout(path)
    lemmas_of: dict[str, dict[str, None]] = {}
    if layout == "json":  # a form may stand before its lemma or behind it, so lemmas are looked for first
        for entry in _entries(path, layout, LEADING):
            for word in chain(wanted.exact(entry.word), wanted.lowered(entry.word)):
                lemmas_of.setdefault(word, {}).update(dict.fromkeys(entry.form_of))
    needed = {spelling(lemma) for listed in lemmas_of.values() for lemma in listed}
    exact: dict[str, list[Sense]] = {}
    lowered: dict[str, list[Sense]] = {}
    of_lemmas: dict[str, list[Sense]] = {}
    for entry in _entries(path, layout):
        senses = [Sense(entry.word, definition) for definition in entry.definitions]
        for found, owners in ((exact, wanted.exact(entry.word)), (lowered, wanted.lowered(entry.word))):
            for word in owners:
                _add(found, word, senses, most)
        inflected = [word for form in entry.forms for word in wanted.exact(form) if form != entry.word]
        for word in inflected:
            lemmas_of.setdefault(word, {})[entry.word] = None
        if inflected or spelling(entry.word) in needed:
            _add(of_lemmas, spelling(entry.word), senses, most)
    senses_of: dict[str, list[Sense]] = {}
    for word in dict.fromkeys(chain(exact, lowered, lemmas_of)):
        own = chain(exact.get(word, ()), lowered.get(word, ()))
        lent = chain.from_iterable(of_lemmas.get(spelling(lemma), ()) for lemma in lemmas_of.get(word, ()))
        if senses := list(dict.fromkeys(chain(own, lent)))[:most]:
            senses_of[word] = senses
    return senses_of


def _add(found: dict[str, list[Sense]], word: str, senses: list[Sense], most: int) -> None:
    if senses:
        known = found.setdefault(word, [])
        known.extend(senses[: max(0, most - len(known))])


# ---------------------------------------------------------------- lines


def _layout(path: Path) -> Layout:
    """JSON where the first line is an object; else tabs where it has any; else commas."""
    for line in _lines(path):
        if line.lstrip().startswith("{"):
            return "json"
        bare = path.with_suffix("") if path.suffix.lower() in EXTENSIONS else path
        return "commas" if bare.suffix.lower() == ".csv" or "\t" not in line else "tabs"
    raise InputError(f"the dictionary {path} is empty; write a word and its definition per line")


def _entries(path: Path, layout: Layout, marks: tuple[str, ...] = ("",)) -> Iterator[Entry]:
    if layout == "json":
        return _json_entries(path, marks)
    return _comma_entries(path) if layout == "commas" else _tab_entries(path)


def _tab_entries(path: Path) -> Iterator[Entry]:
    for number, line in enumerate(_lines(path), 1):
        word, *definitions = (cell.strip() for cell in line.split("\t"))
        if not word or not any(definitions):
            raise _bad(path, number, "a word, a tab and a definition")
        yield Entry(word, tuple(filter(None, definitions)))


def _comma_entries(path: Path) -> Iterator[Entry]:
    rows = csv.reader(line + "\n" for line in _lines(path))
    columns: tuple[int, int] = (0, 1)
    try:
        for place, row in enumerate(rows):
            names = [cell.strip().lower() for cell in row]
            if place == 0 and (found := _header(names)):
                columns = found
                continue
            word, definition = (row[column].strip() if column < len(row) else "" for column in columns)
            if not word or not definition:
                raise _bad(path, rows.line_num, "a word, a comma and a definition (in quotes if it has commas)")
            yield Entry(word, (definition,))
    except csv.Error as error:
        raise InputError(f"{path}, line {rows.line_num} is not CSV ({error}); write word,definition") from None


def _header(names: list[str]) -> tuple[int, int] | None:
    word = next((names.index(name) for name in WORD_COLUMNS if name in names), None)
    definition = next((names.index(name) for name in DEFINITION_COLUMNS if name in names), None)
    return None if word is None or definition is None else (word, definition)


def _json_entries(path: Path, marks: tuple[str, ...]) -> Iterator[Entry]:
    """The entries of the lines that have one of the marks."""
    for number, line in enumerate(_lines(path), 1):
        if not any(mark in line for mark in marks):
            continue
        try:
            record = json.loads(line, strict=False)
            entry = _entry(record)
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            raise _bad(path, number, 'a JSON object with "word" and "definition"') from None
        if entry.word:
            yield entry


def _entry(record: dict[str, Any]) -> Entry:
    if "senses" not in record:
        if "redirect" in record:  # a page of Wiktionary that only leads to another
            return Entry("", ())
        word = next(record[name] for name in (*WORD_COLUMNS, "") if name in record or not name)
        given = next(record[name] for name in (*DEFINITION_COLUMNS, "") if name in record or not name)
        return Entry(word.strip(), tuple(text.strip() for text in ([given] if isinstance(given, str) else given)))
    current: list[str] = []
    old: list[str] = []
    form_of: list[str] = []
    for sense in record["senses"]:
        if leads_to := [target["word"] for kind in ("form_of", "alt_of") for target in sense.get(kind, ())]:
            form_of += leads_to
        elif text := ": ".join(gloss.strip() for gloss in sense.get("glosses", ())):
            (old if OLD & set(sense.get("tags", ())) else current).append(text)
    forms = [form["form"] for form in record.get("forms", ()) if not NO_FORMS & set(form.get("tags", ()))]
    return Entry(record["word"].strip(), (*current, *old), tuple(form_of), tuple(forms))


def _lines(path: Path) -> Iterator[str]:
    """The lines that are not blank."""
    try:
        with open_stream(path) as stream:
            number = 0
            while line := stream.readline(LONGEST_LINE):
                number += 1
                if len(line) == LONGEST_LINE and not line.endswith(b"\n"):
                    raise InputError(f"{path}, line {number} is over {LONGEST_LINE >> 20} MiB; write an entry per line")
                if line.strip():
                    yield line.decode("utf-8").rstrip("\r\n")
    except UnicodeDecodeError:
        raise InputError(f"{path}, line {number} is not UTF-8; convert it, for example with iconv") from None
    except (OSError, EOFError, zlib.error, lzma.LZMAError) as error:
        raise InputError(f"{path} cannot be read: {error}") from error


def _bad(path: Path, number: int, expected: str) -> InputError:
    return InputError(f"{path}, entry {number} is not {expected}; correct it or take it out")
