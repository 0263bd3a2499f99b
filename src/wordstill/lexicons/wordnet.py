"""Reading WordNet where it lies: Princeton's database files, nltk's copy of them (zipped or not), and wn's database.

No package is imported for it. A database folder is described in wndb(5): a line a synset in data.noun, data.verb,
data.adj and data.adv.
"""

from __future__ import annotations

import os
import sqlite3
import sys
from collections.abc import Hashable, Iterable, Iterator
from contextlib import closing
from itertools import combinations, product
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

from wordstill.errors import InputError
from wordstill.io.reading import member_names, open_regular, read_bytes, read_member

Relation: TypeAlias = Literal["synonyms", "related", "antonyms", "associated", "akin"]

SYSTEM_PLACES = (
    Path("/usr/share/wordnet"),  # Debian
    Path("/usr/local/WordNet-3.0/dict"),  # Princeton's own default
    Path("/opt/homebrew/opt/wordnet/dict"),
)

_FILES = {"n": "data.noun", "v": "data.verb", "a": "data.adj", "r": "data.adv"}
_BROADER = ("@", "@i")
_WN_BROADER = ("hypernym", "instance_hypernym")
# Parts and wholes, fields and what belongs to them, attributes, causes, what an act entails, "see also".
_ASSOCIATED = ("%m", "%s", "%p", ";c", ";u", "=", "*", ">", "^", "\\")
# Words derived from each other (attain, attainment), similar adjectives, verbs of one group.
_AKIN = ("+", "&", "$")
_WN_AKIN = ("derivation", "similar")
_WN_ASSOCIATED = (
    "mero_member",
    "mero_substance",
    "mero_part",
    "domain_topic",
    "exemplifies",
    "attribute",
    "entails",
    "causes",
    "also",
    "pertainym",
)

_SYMBOLS: dict[Relation, tuple[str, ...]] = {"antonyms": ("!",), "associated": _ASSOCIATED, "akin": _AKIN}
_WN_TYPES: dict[Relation, tuple[str, ...]] = {"associated": _WN_ASSOCIATED, "akin": _WN_AKIN}


class _Link(NamedTuple):
    """Two synsets, each with the number of the word that is meant, counted from 1; 0 is the whole synset."""

    source: Hashable
    first: int
    target: Hashable
    second: int


class WordNet(NamedTuple):
    """What is needed of it: the words of each synset, (narrower, broader) synsets, and pairs of words by relation."""

    synsets: dict[Hashable, list[str]]
    broader: list[tuple[Hashable, Hashable]]
    pairs: dict[Relation, list[tuple[str, str]]]


def read_wordnet(place: Path, relation: Relation) -> Iterator[tuple[str, str]]:
    """Give pairs of words.

    synonyms    words of one synset
    related     these, and words of a synset and of the one above it
    antonyms    words that WordNet sets against each other
    associated  words that belong together without meaning the same, such as a part and its whole: one pair per link
    akin        words derived from one another, similar adjectives, verbs of one group: one pair per link
    """
    wordnet = _read_wn(place) if place.suffix == ".db" else read_database(place)
    if relation in wordnet.pairs:
        yield from wordnet.pairs[relation]
        return
    for words in wordnet.synsets.values():
        yield from combinations(words, 2)
    if relation == "related":
        for narrow, broad in wordnet.broader:
            yield from product(wordnet.synsets.get(narrow, ()), wordnet.synsets.get(broad, ()))


def is_wordnet(path: Path) -> bool:
    """Whether a path is a WordNet that can be read here."""
    if path.is_dir():
        return (path / _FILES["n"]).is_file()
    return path.name == "wn.db" or (path.suffix == ".zip" and path.stem.startswith("wordnet"))


def find_wordnet() -> Path:
    """The first WordNet of: $WNSEARCHDIR, Debian's, Princeton's and Homebrew's folders, nltk's data, wn's data."""
    places = list(_places())
    for place in places:
        if place.exists() and is_wordnet(place):
            return place
    raise InputError(
        "no WordNet is here; install one (Debian: apt-get install wordnet-base; Python: nltk.download('wordnet') or"
        " python -m wn download oewn), or name its folder in $WNSEARCHDIR or as the lexicon"
    )


def _places() -> Iterator[Path]:
    if named := os.environ.get("WNSEARCHDIR"):
        yield Path(named)
    if home := os.environ.get("WNHOME"):
        yield Path(home) / "dict"
    yield from SYSTEM_PLACES
    chosen = [Path(part) for part in os.environ.get("NLTK_DATA", "").split(os.pathsep) if part]
    prefixes = (Path(sys.prefix), Path(sys.prefix, "share"), Path(sys.prefix, "lib"))
    system = (Path(f"/usr{local}/{kind}") for local in ("", "/local") for kind in ("share", "lib"))
    for folder in (*chosen, Path.home() / "nltk_data", *(each / "nltk_data" for each in (*prefixes, *system))):
        yield folder / "corpora" / "wordnet"
        yield folder / "corpora" / "wordnet.zip"
    yield Path(os.environ.get("WN_DATA_DIR") or Path.home() / ".wn_data") / "wn.db"


def read_database(place: Path) -> WordNet:
    """The four files of a database folder, or of a zip of it."""
    synsets: dict[Hashable, list[str]] = {}
    broader: list[tuple[Hashable, Hashable]] = []
    links: dict[Relation, list[_Link]] = {relation: [] for relation in _SYMBOLS}
    for part, name in _FILES.items():
        for number, line in enumerate(database_lines(place, name), 1):
            if line.startswith("  "):  # the licence
                continue
            try:
                _add_synset(part, line.partition("|")[0].split(), synsets, broader, links)
            except (ValueError, IndexError):
                raise InputError(f"{place}: line {number} of {name} is not a synset; is the file whole?") from None
    pairs = {
        relation: [(one[0], other[0]) for one, other in _ends(synsets, found) if one and other]
        for relation, found in links.items()
    }
    pairs["antonyms"] = [pair for ends in _ends(synsets, links["antonyms"]) for pair in product(*ends)]
    return WordNet(synsets, broader, pairs)


def _add_synset(
    part: str,
    fields: list[str],
    synsets: dict[Hashable, list[str]],
    broader: list[tuple[Hashable, Hashable]],
    links: dict[Relation, list[_Link]],
) -> None:
    """offset, file, kind, words (hexadecimal), a word and its number each, pointers, four fields a pointer."""
    key = (part, fields[0])
    end = 4 + 2 * int(fields[3], 16)
    # An adjective may say where it can stand, as in `galore(ip)`.
    synsets[key] = [word.partition("(")[0] if part == "a" else word for word in fields[4:end:2]]
    for start in range(end + 1, end + 1 + 4 * int(fields[end]), 4):
        symbol, offset, target_part, ends = fields[start : start + 4]
        target = ("a" if target_part == "s" else target_part, offset)
        if symbol in _BROADER:
            broader.append((key, target))
        for relation, symbols in _SYMBOLS.items():
            if symbol in symbols:
                links[relation].append(_Link(key, int(ends[:2], 16), target, int(ends[2:], 16)))


def _ends(synsets: dict[Hashable, list[str]], links: Iterable[_Link]) -> Iterator[tuple[list[str], list[str]]]:
    """Give the words at both ends of each link."""
    for source, first, target, second in links:
        one, other = synsets.get(source, []), synsets.get(target, [])
        yield one[first - 1 : first] if first else one, other[second - 1 : second] if second else other


def has_database_file(place: Path, name: str) -> bool:
    """Whether a database folder, or a zip of it, has a file of this name."""
    if place.is_dir():
        return (place / name).is_file()
    return f"{place.stem}/{name}" in member_names(place)


def database_lines(place: Path, name: str) -> list[str]:
    """The lines of a file of a database folder, or of a zip of it."""
    content = read_bytes(place / name) if place.is_dir() else read_member(place, f"{place.stem}/{name}")
    try:
        return content.decode("utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise InputError(
            f"{name} of the WordNet in {place} is not UTF-8 (byte {error.start}); is the file whole?"
        ) from error


def _read_wn(path: Path) -> WordNet:
    """The database of the `wn` package, whatever WordNets the user has put there."""
    senses = """SELECT senses.rowid, synset_rowid, form FROM senses
                JOIN forms ON forms.entry_rowid = senses.entry_rowid AND forms.rank = 0"""
    relations = """SELECT source_rowid, target_rowid, type FROM {} AS relations
                   JOIN relation_types ON relation_types.rowid = relations.type_rowid"""
    synsets: dict[Hashable, list[str]] = {}
    words: dict[int, str] = {}
    open_regular(path).close()  # refuses a pipe, which sqlite would wait for
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as database:
            for sense, synset, form in database.execute(senses):
                words[sense] = str(form).replace(" ", "_")
                synsets.setdefault(synset, []).append(words[sense])
            links = database.execute(relations.format("synset_relations"))
            linked = list(links)
            broader: list[tuple[Hashable, Hashable]] = [(a, b) for a, b, kind in linked if kind in _WN_BROADER]
            pairs = {
                relation: [
                    (synsets[a][0], synsets[b][0])
                    for a, b, kind in linked
                    if kind in kinds and a in synsets and b in synsets
                ]
                for relation, kinds in _WN_TYPES.items()
            }
            links = database.execute(relations.format("sense_relations"))
            linked = list(links)
            pairs["antonyms"] = [(words[a], words[b]) for a, b, kind in linked if kind == "antonym"]
            for relation, kinds in _WN_TYPES.items():
                pairs[relation] += [(words[a], words[b]) for a, b, kind in linked if kind in kinds]
    except sqlite3.Error as error:
        raise InputError(f"{path} cannot be read as the database of the wn package: {error}") from error
    except KeyError as error:
        raise InputError(f"{path} has relations of a sense {error} that it does not have; is it whole?") from error
    return WordNet(synsets, broader, pairs)
