"""What WordNet says of words: their definitions, the most frequent sense first, and the lemmas of inflected forms.

A database folder has, besides the synsets that `wordnet.py` reads, the senses of each lemma in index.noun and its kin,
how often each sense was met in texts in cntlist.rev, and irregular forms in noun.exc and its kin: see wndb(5),
cntlist(5) and morphy(7). The database of the wn package has the same in its tables.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from wordstill.errors import InputError
from wordstill.lexicons.senses import Sense, spelling
from wordstill.lexicons.wordnet import database_lines, has_database_file

Part: TypeAlias = str
"""A part of speech: n, v, a or r."""

NAMES: dict[Part, str] = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}
# The endings that morphy(7) takes off, and what it puts in their place.
ENDINGS: dict[Part, tuple[tuple[str, str], ...]] = {
    "n": (
        ("s", ""),
        ("ses", "s"),
        ("ves", "f"),
        ("xes", "x"),
        ("zes", "z"),
        ("ches", "ch"),
        ("shes", "sh"),
        ("men", "man"),
        ("ies", "y"),
    ),
    "v": (("s", ""), ("ies", "y"), ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""), ("ing", "e"), ("ing", "")),
    "a": (("er", ""), ("est", ""), ("er", "e"), ("est", "e")),
    "r": (),
}
# The kinds of a sense key: noun, verb, adjective, adverb, satellite adjective.
KINDS: dict[str, Part] = {"1": "n", "2": "v", "3": "a", "4": "r", "5": "a"}
# The most names that one question to a database may have.
AT_ONCE = 500


class _Ranked(NamedTuple):
    """A sense of a word: how often it was met, counted below zero, its number, its part of speech, and what it is."""

    met: int
    number: int
    part: int
    lemma: str
    synset: object


def wordnet_senses(place: Path, words: Iterable[str]) -> dict[str, list[Sense]]:
    """Find the senses of each of these words that WordNet has; memory is that of the words, not of WordNet.

    A word's own senses and those of its lemmas are taken together. They are ordered by how often they were met in
    texts, then by the numbers that WordNet gives them.
    """
    forms = {word: spelling(word).lower() for word in words}
    ranked, definitions = _from_wn(place, forms) if place.suffix == ".db" else _from_database(place, forms)
    found = {}
    for word, senses in ranked.items():
        distinct: dict[object, Sense] = {}
        for sense in sorted(senses, key=lambda sense: sense[:3]):
            if definition := definitions.get(sense.synset):
                distinct.setdefault(sense.synset, Sense(sense.lemma, definition))
        if distinct:
            found[word] = list(distinct.values())
    return found


def lemmas(form: str, part: Part, exceptions: Mapping[str, Sequence[str]]) -> list[str]:
    """List what may be the lemma of a form, itself first; whether they exist is for the caller to look up."""
    if form in exceptions:
        return list(dict.fromkeys([form, *exceptions[form]]))
    cut = (form.removesuffix(ending) + lemma for ending, lemma in ENDINGS[part] if form.endswith(ending))
    return list(dict.fromkeys([form, *filter(None, cut)]))


def without_examples(gloss: str) -> str:
    """Return the definition in a gloss: what stands before its examples, which are in quotation marks."""
    return re.split(r"(?:^|;)\s*\"", gloss, maxsplit=1)[0].strip(" ;")


# ---------------------------------------------------------------- Princeton's files, and nltk's zip of them


def _from_database(place: Path, forms: Mapping[str, str]) -> tuple[dict[str, list[_Ranked]], dict[object, str]]:
    met = _counts(place)
    ranked: dict[str, list[_Ranked]] = {}
    definitions: dict[object, str] = {}
    for number_of_part, (part, name) in enumerate(NAMES.items()):
        exceptions = _exceptions(place, part)
        possible = {form: lemmas(form, part, exceptions) for form in forms.values()}
        offsets = _index(place, name, {lemma for listed in possible.values() for lemma in listed})
        for word, form in forms.items():
            for lemma in possible[form]:
                for number, offset in enumerate(offsets.get(lemma, ()), 1):
                    sense = _Ranked(-met.get((lemma, part, number), 0), number, number_of_part, lemma, (part, offset))
                    ranked.setdefault(word, []).append(sense)
        wanted = {offset for listed in offsets.values() for offset in listed}
        for line in database_lines(place, f"data.{name}"):
            if line[:8] in wanted:
                definitions[part, line[:8]] = without_examples(line.partition("|")[2])
    return ranked, definitions


def _index(place: Path, name: str, wanted: set[str]) -> dict[str, list[str]]:
    """The offsets of each lemma's synsets, in the order of its senses.

    A line has the lemma, part of speech, number of synsets, pointers, two numbers, and the offsets at its end.
    """
    found = {}
    for number, line in enumerate(database_lines(place, f"index.{name}"), 1):
        lemma = line.partition(" ")[0]
        if lemma in wanted:
            try:
                fields = line.split()
                found[lemma] = fields[-int(fields[2]) :]
            except (ValueError, IndexError):
                raise _broken(place, f"index.{name}", number) from None
    return found


def _counts(place: Path) -> dict[tuple[str, Part, int], int]:
    """How often the sense of this number of a lemma was met; empty where WordNet comes without its counts."""
    counts = {}
    for number, line in enumerate(_optional_lines(place, "cntlist.rev"), 1):
        try:
            key, sense, count = line.split()
            lemma, _, rest = key.partition("%")
            counts[lemma, KINDS[rest[:1]], int(sense)] = int(count)
        except (ValueError, KeyError):
            raise _broken(place, "cntlist.rev", number) from None
    return counts


def _exceptions(place: Path, part: Part) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for line in _optional_lines(place, f"{NAMES[part]}.exc"):
        form, *listed = line.split() or [""]
        found.setdefault(form, []).extend(listed)
    return found


def _optional_lines(place: Path, name: str) -> list[str]:
    return database_lines(place, name) if has_database_file(place, name) else []


def _broken(place: Path, name: str, number: int) -> InputError:
    return InputError(f"{place}: line {number} of {name} is not an entry; is the file whole?")


# ---------------------------------------------------------------- the database of the wn package


def _from_wn(path: Path, forms: Mapping[str, str]) -> tuple[dict[str, list[_Ranked]], dict[object, str]]:
    """Every form of an entry leads to its senses; endings are taken off as for English where no form does."""
    possible: dict[str, dict[tuple[str, Part], None]] = {}
    for word, form in forms.items():
        for part in NAMES:
            for lemma in lemmas(form.replace("_", " "), part, {}):
                possible.setdefault(lemma, {})[word, part] = None
    query = """SELECT lower(asked.form), entries.pos, lemmas.form, senses.synset_rowid, senses.entry_rank,
                      (SELECT coalesce(sum(counts.count), 0) FROM counts WHERE counts.sense_rowid = senses.rowid)
               FROM forms AS asked
               JOIN entries ON entries.rowid = asked.entry_rowid
               JOIN forms AS lemmas ON lemmas.entry_rowid = entries.rowid AND lemmas.rank = 0
               JOIN senses ON senses.entry_rowid = entries.rowid
               WHERE lower(asked.form) IN ({})"""
    ranked: dict[str, list[_Ranked]] = {}
    definitions: dict[object, str] = {}
    places = {part: place for place, part in enumerate(NAMES)} | {"s": 2}
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as database:
            asked = list(possible)
            for start in range(0, len(asked), AT_ONCE):
                some = asked[start : start + AT_ONCE]
                marks = ",".join("?" * len(some))
                for form, pos, lemma, synset, number, met in database.execute(query.format(marks), some):
                    part = "a" if pos == "s" else pos
                    for word, expected in possible[form]:
                        # Endings are those of one part of speech; a form as it stands may be of any.
                        if expected == part or spelling(form) == forms[word]:
                            sense = _Ranked(-met, number, places.get(part, len(places)), lemma, synset)
                            ranked.setdefault(word, []).append(sense)
            wanted = sorted({sense.synset for senses in ranked.values() for sense in senses}, key=str)
            for start in range(0, len(wanted), AT_ONCE):
                synsets: list[Any] = wanted[start : start + AT_ONCE]
                text = "SELECT synset_rowid, definition FROM definitions WHERE synset_rowid IN ({})"
                for synset, definition in database.execute(text.format(",".join("?" * len(synsets))), synsets):
                    definitions.setdefault(synset, definition or "")
    except sqlite3.Error as error:
        raise InputError(f"{path} cannot be read as the database of the wn package: {error}") from error
    return ranked, definitions
