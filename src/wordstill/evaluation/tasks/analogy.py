"""Analogy: a is to b as c is to which word?

3CosAdd scores a word x with cos(x, b) - cos(x, a) + cos(x, c). A data set asks thousands of questions of
a few hundred words and pairs. So the products with the vocabulary are taken once per word, the differences once per
pair a, b, in blocks of the vocabulary, and a question only adds two rows of a block. That bounds the memory.
"""

from __future__ import annotations

import csv
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from wordstill.arrays import Array
from wordstill.errors import InputError
from wordstill.evaluation.dataset_lines import bad_line, read_lines, split_fields, to_number
from wordstill.evaluation.harnesses import cleaned
from wordstill.evaluation.intervals import Mean
from wordstill.evaluation.results import Part
from wordstill.evaluation.settings import AnalogyRule, EvaluationSettings
from wordstill.evaluation.space import Space
from wordstill.evaluation.split import keep_half
from wordstill.evaluation.tasks.task import Judgement, Task, judgement
from wordstill.io.reading import read_text
from wordstill.system.machine import usable_cores

# Measured: words in a block, and pairs or questions that are worked on at a time.
BLOCK_WORDS = 2048
BATCH = 64


@dataclass(frozen=True)
class Questions:
    """Questions of four words (a is to b as c is to d), and the section of each."""

    words: list[tuple[str, str, str, str]]
    sections: list[str]


def read_questions(path: Path) -> Questions:
    """Read four words per line; a line `: name` starts a section (the Google set's format). A .csv is a table."""
    if path.suffix == ".csv":
        return read_question_table(path)
    section, found = path.stem, Questions([], [])
    for number, line in read_lines(path):
        if line.startswith(":"):
            section = line[1:].strip()
            continue
        fields = split_fields(line, f"{path}, line {number}")
        if len(fields) != 4 or not all(fields):
            raise bad_line(path, number, "four words or ': section'", fields)
        found.words.append((fields[0], fields[1], fields[2], fields[3]))
        found.sections.append(section)
    if not found.words:
        raise InputError(f"{path} has no questions; expected four words per line")
    return found


def read_question_table(path: Path) -> Questions:
    """Read a file with commas and the columns type, word1, word2, word3, target (the MSR set's format)."""
    reader = csv.DictReader(read_text(path).splitlines())
    try:
        return _questions_of(reader, path)
    except csv.Error as error:
        raise InputError(f"{path}, line {reader.line_num + 1} cannot be split at its commas ({error})") from None


def _questions_of(reader: csv.DictReader[str], path: Path) -> Questions:
    columns = ("type", "word1", "word2", "word3", "target")
    missing = [column for column in columns if column not in (reader.fieldnames or ())]
    if missing:
        raise InputError(f"{path} has no column {missing[0]!r}; expected {', '.join(columns)}")
    found = Questions([], [])
    for row in reader:
        section, first, second, third, fourth = (row[column] for column in columns)
        if not all((section, first, second, third, fourth)):
            raise InputError(f"{path}, line {reader.line_num}: a cell is empty")
        found.words.append((first, second, third, fourth))
        found.sections.append(section)
    return found


def recognizes(line: str, fields: list[str]) -> bool:
    """Tell whether a line names a section or has four words."""
    return line.startswith(":") or (len(fields) == 4 and to_number(fields[2]) is None and to_number(fields[3]) is None)


def judge(space: Space, questions: Questions, settings: EvaluationSettings) -> Judgement:
    """Judge a space by its answers; the sections of the set are the parts of the result."""
    if settings.compat == "muse":
        outcome = analogy_backwards(space, questions)
    elif settings.compat == "web":
        questions = replace(questions, words=[cleaned(words) for words in questions.words])
        outcome = analogy_with_mean_vector(space, questions)
    else:
        outcome = analogy(space, questions, settings.method)
    covered: Array = np.all(question_rows(space, questions) >= 0, axis=1)
    return judgement(outcome, covered, tuple(_parts(outcome, questions)))


def _parts(outcome: Mean, questions: Questions) -> list[Part]:
    places: dict[str, int] = {}
    numbers = np.array([places.setdefault(name, len(places)) for name in questions.sections], dtype=np.int64)
    sections = {name: numbers == place for name, place in places.items()}
    # The Google set's names of grammatical sections start with "gram".
    syntactic = np.array([name.startswith("gram") for name in places], dtype=bool)[numbers]
    if syntactic.any() and not syntactic.all():
        sections = {"semantic": ~syntactic, "syntactic": syntactic, **sections}
    parts = []
    for name, chosen in sections.items() if len(sections) > 1 else ():
        part = outcome.take(chosen)
        covered = part.take(part.covered)
        parts.append(Part(name, covered.score(), part.filled().score(), int(chosen.sum()), len(covered.values)))
    return parts


def analogy(space: Space, questions: Questions, rule: AnalogyRule = "add") -> Mean:
    """Return 1 for each question answered right, 0 for each answered wrong, NaN where a word is missing."""
    rows = question_rows(space, questions)
    return _judged(space, rows[:, :3], rows[:, 3], rule)


def analogy_backwards(space: Space, questions: Questions) -> Mean:
    """Do as the MUSE harness: ask for the third word, with a - b + d."""
    rows = question_rows(space, questions)
    return _judged(space, rows[:, [1, 0, 3]], rows[:, 2], "add")


def analogy_with_mean_vector(space: Space, questions: Questions) -> Mean:
    """Do as the `web` harness: a missing word of the question has the mean vector, and no question is skipped."""
    rows = question_rows(space, questions)
    known, index = np.unique(rows[:, :3], return_inverse=True)
    found = solve(space, Asked(space.unit_or_mean(known), index.reshape(-1, 3), rows[:, :3]))
    return Mean((found == rows[:, 3]).astype(np.float64) * (rows[:, 3] >= 0))


def question_rows(space: Space, questions: Questions) -> Array:
    """Return the rows of the four words of each question, -1 where one is missing."""
    return space.find(word for question in questions.words for word in question).reshape(-1, 4)


def _judged(space: Space, asked: Array, expected: Array, rule: AnalogyRule) -> Mean:
    right = np.full(len(expected), np.nan)
    covered = (asked >= 0).all(axis=1) & (expected >= 0)
    if covered.any():
        known, index = np.unique(asked[covered], return_inverse=True)
        found = solve(space, Asked(space.unit(known), index.reshape(-1, 3), asked[covered]), rule)
        right[covered] = found == expected[covered]
    return Mean(right)


@dataclass(frozen=True)
class Asked:
    """Questions as vectors: `rows` are the three words left out of the answers, -1 where there is none."""

    vectors: Array
    index: Array
    rows: Array


def solve(space: Space, asked: Asked, rule: AnalogyRule = "add") -> Array:
    """Return the row of the best word for each question, the earlier of two equal ones; -1 for no word."""
    candidates, questions = space.candidates, len(asked.index)
    pairs, pair = np.unique(asked.index[:, :2], axis=0, return_inverse=True)
    terms = np.stack([pair.ravel(), asked.index[:, 2]], axis=1)
    # Where each left-out row stands among the candidates.
    places = np.where(asked.rows < 0, -1, np.searchsorted(candidates, asked.rows))
    best = np.full(questions, -np.inf, dtype=np.float32)
    answers = np.full(questions, -1, dtype=np.int64)
    width = min(BLOCK_WORDS, len(candidates))
    # Made once: fresh memory for every block costs more than the sums in it.
    products = np.empty((len(asked.vectors), width), dtype=np.float32)
    offsets = np.empty((len(pairs), width), dtype=np.float32)
    with ThreadPoolExecutor(usable_cores()) as pool:
        # The last block begins early enough to be a whole one; words seen twice do no harm.
        for first in range(0, len(candidates), max(1, width)):
            start = min(first, len(candidates) - width)
            np.matmul(asked.vectors, space.unit(candidates[start : start + width]).T, out=products)
            divisors = _logarithms(products) if rule == "multiply" else products

            def subtract(at: int, divisors: Array = divisors) -> None:
                batch = slice(at, at + BATCH)
                np.subtract(products[pairs[batch, 1]], divisors[pairs[batch, 0]], out=offsets[batch])

            def improve(at: int, start: int = start) -> None:
                batch = slice(at, at + BATCH)
                scores = offsets[terms[batch, 0]]
                scores += products[terms[batch, 1]]
                local = places[batch] - start
                question, which = np.nonzero((local >= 0) & (local < width) & (places[batch] >= 0))
                scores[question, local[question, which]] = -np.inf
                winner = scores.argmax(axis=1)
                score = scores[np.arange(len(winner)), winner]
                better = score > best[batch]
                best[batch][better] = score[better]
                answers[batch][better] = candidates[start + winner[better]]

            list(pool.map(subtract, range(0, len(pairs), BATCH)))
            list(pool.map(improve, range(0, questions, BATCH)))
    return answers


def _logarithms(products: Array) -> Array:
    """Make 3CosMul a sum: cosines moved to [0, 1] become logarithms in place; return those that divide."""
    products += 1.0
    products /= 2.0
    divisors = np.log(products + 1e-3)
    # A cosine of -1 may come out a rounding error below it.
    np.log(np.maximum(products, 1e-9, out=products), out=products)
    return np.asarray(divisors)


TASK = Task(
    name="analogy",
    title="Analogies",
    metric="accuracy",
    about="accuracy of the answers, by 3CosAdd or 3CosMul",
    missing="wrong",
    read=read_questions,
    halve=lambda questions, split: keep_half(questions, questions.words, split),
    judge=judge,
    recognizes=recognizes,
    harnesses=("web", "muse"),
    main_parts=("semantic", "syntactic"),
)
