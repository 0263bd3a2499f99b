"""The data sets' own file formats, and the three formats of a user's own data set."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from wordstill.arrays import Array
from wordstill.errors import InputError


@dataclass(frozen=True)
class Pairs:
    """Word pairs with a human score."""

    first: list[str]
    second: list[str]
    gold: Array


@dataclass(frozen=True)
class Questions:
    """a is to b as c is to d: four words a question, and its section."""

    words: list[tuple[str, str, str, str]]
    sections: list[str]


@dataclass(frozen=True)
class Relation:
    """Pairs of one relation with the degree to which each has it, and the pairs it was explained with.

    `gold_text` is the score as it is written: one harness ranks it as text.
    """

    name: str
    prototypes: list[tuple[str, str]]
    pairs: list[tuple[str, str]]
    gold: Array
    gold_text: list[str]
    training: bool


@dataclass(frozen=True)
class Categories:
    """Words and the class of each."""

    words: list[str]
    labels: list[str]


def read_pairs(path: Path) -> Pairs:
    """Two words and a score a line, by tabs, commas or blanks; the score is the first number after the words.

    So RG-65, WordSim-353, SimLex-999, SimVerb-3500, RW and MEN are all read as they were published. Lines
    that start with # and a first line without a number (column names) are left out.
    """
    pairs = Pairs([], [], np.zeros(0))
    gold: list[float] = []
    header_allowed = True
    for number, fields in _rows(path):
        score = next((value for value in map(_number, fields[2:]) if value is not None), None)
        if score is None and header_allowed:
            header_allowed = False
            continue
        header_allowed = False
        if score is None or not fields[0] or not fields[1]:
            raise InputError(f"{path}, line {number}: expected two words and a score, found {_short(fields)}")
        pairs.first.append(fields[0])
        pairs.second.append(fields[1])
        gold.append(score)
    if not gold:
        raise InputError(f"{path} has no word pairs; expected two words and a score a line")
    return Pairs(pairs.first, pairs.second, np.array(gold))


def read_questions(path: Path) -> Questions:
    """Four words a line; a line `: name` starts a section (the Google set's format)."""
    section, found = path.stem, Questions([], [])
    for number, line in _lines(path):
        if line.startswith(":"):
            section = line[1:].strip()
            continue
        fields = _fields(line)
        if len(fields) != 4 or not all(fields):
            raise InputError(f"{path}, line {number}: expected four words or ': section', found {_short(fields)}")
        found.words.append((fields[0], fields[1], fields[2], fields[3]))
        found.sections.append(section)
    if not found.words:
        raise InputError(f"{path} has no questions; expected four words a line")
    return found


def read_question_table(path: Path) -> Questions:
    """Comma-separated with the columns type, word1, word2, word3, target (the MSR set's format)."""
    found = Questions([], [])
    for row in _table(path, ("type", "word1", "word2", "word3", "target")):
        found.words.append((row["word1"], row["word2"], row["word3"], row["target"]))
        found.sections.append(row["type"])
    return found


def read_categories(path: Path) -> Categories:
    """A word and its category a line; lines without a word are left out.

    Files with column names may have them in any order: `word` with `category` or `class`. The `_N` that the
    ESSLLI nouns end in is cut.
    """
    found, columns = Categories([], []), (0, 1)
    for number, fields in _rows(path):
        if number == 1 and "word" in fields and ("category" in fields or "class" in fields):
            columns = (fields.index("word"), fields.index("category" if "category" in fields else "class"))
            continue
        if len(fields) <= max(columns) or not fields[columns[1]]:
            raise InputError(f"{path}, line {number}: expected a word and its category, found {_short(fields)}")
        word = fields[columns[0]].removesuffix("_N")
        if word:
            found.words.append(word)
            found.labels.append(fields[columns[1]])
    if not found.words:
        raise InputError(f"{path} has no words; expected a word and its category a line")
    return found


def read_relations(folder: Path) -> list[Relation]:
    """SemEval-2012 task 2 as published: prototypes in Phase1Questions, scores in the gold ratings."""
    relations = []
    for part in ("Testing", "Training"):
        for questions in sorted((folder / part / "Phase1Questions").glob("Phase1Questions-*.txt")):
            name = questions.stem.removeprefix("Phase1Questions-")
            ratings = folder / "SemEval-2012-Gold-Ratings" / part / f"GoldRatings-{name}.txt"
            if not ratings.is_file():
                raise InputError(f"{ratings} is missing; get the set again (wordstill data get semeval2012)")
            relations.append(_relation(name, questions, ratings, part == "Training"))
    if not relations:
        raise InputError(f"{folder} has no Phase1Questions; get it again (wordstill data get semeval2012)")
    return relations


def kind_of(path: Path) -> str:
    """Which of the three formats a user's own file has, from its first line that is no comment."""
    for _, line in _lines(path):
        fields = _fields(line)
        if line.startswith(":") or (len(fields) == 4 and _number(fields[2]) is None and _number(fields[3]) is None):
            return "analogy"
        if len(fields) >= 3 and not {"category", "class"} & set(fields):
            return "similarity"
        if len(fields) >= 2:
            return "categorization"
        break
    raise InputError(f"{path} is no data set: expected pairs with scores, analogies, or words with categories")


def _relation(name: str, questions: Path, ratings: Path, training: bool) -> Relation:
    lines = [line for _, line in _lines(questions, comments=False)]
    start, stop = ("Consider the following", "What relation best")
    told = [number for number, line in enumerate(lines) if line.startswith((start, stop))]
    if len(told) != 2:
        raise InputError(f"{questions} does not list its word pairs between {start!r} and {stop!r}")
    # Some files have two pairs on a line, with or without a full stop between them.
    listed = " ".join(lines[told[0] + 1 : told[1]]).replace(": ", ":").split()
    prototypes = [_pair(text.rstrip(".,;")) for text in listed if ":" in text]
    gold, texts, pairs = [], [], []
    for number, line in _lines(ratings):
        text, _, quoted = line.partition(" ")
        score = _number(text)
        if score is None or quoted.count(":") != 1:
            raise InputError(f'{ratings}, line {number}: expected a score and a pair like "tool:hammer"')
        gold.append(score)
        texts.append(text)
        pairs.append(_pair(quoted.strip().strip('"')))
    if not prototypes or not pairs:
        raise InputError(f"{questions} or {ratings} has no word pairs; get the set again")
    return Relation(name, prototypes, pairs, np.array(gold), texts, training)


def _pair(text: str) -> tuple[str, str]:
    left, _, right = text.partition(":")
    return left.strip(), right.strip()


def _table(path: Path, columns: tuple[str, ...]) -> Iterator[dict[str, str]]:
    reader = csv.DictReader(_text(path).splitlines())
    missing = [column for column in columns if column not in (reader.fieldnames or ())]
    if missing:
        raise InputError(f"{path} has no column {missing[0]!r}; expected {', '.join(columns)}")
    for row in reader:
        if any(not row[column] for column in columns):
            raise InputError(f"{path}, line {reader.line_num}: a cell is empty")
        yield row


def _rows(path: Path) -> Iterator[tuple[int, list[str]]]:
    for number, line in _lines(path):
        yield number, _fields(line)


def _lines(path: Path, comments: bool = True) -> Iterator[tuple[int, str]]:
    # Only \n and \r\n end a line: a word may hold one of the other characters that Python would split at.
    for number, line in enumerate(_text(path).split("\n"), 1):
        stripped = line.strip()
        if stripped and not (comments and stripped.startswith("#")):
            yield number, line.rstrip("\r\n") if "\t" in line else stripped


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8 text (byte {error.start}); convert it first") from None
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from None


def _fields(line: str) -> list[str]:
    if "\t" in line:
        return [field.strip() for field in line.split("\t")]
    if "," in line:
        return [field.strip() for field in next(csv.reader([line]))]
    return line.split()


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _short(fields: list[str]) -> str:
    text = " ".join(fields)
    return repr(text if len(text) <= 60 else text[:57] + "...")
