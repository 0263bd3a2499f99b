"""Similarity: does the cosine of two words order the pairs as people do?"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from wordstill.arrays import Array
from wordstill.errors import InputError
from wordstill.evaluation.dataset_lines import bad_line, read_rows, to_number
from wordstill.evaluation.intervals import Correlation
from wordstill.evaluation.settings import EvaluationSettings
from wordstill.evaluation.space import Space
from wordstill.evaluation.split import keep_half
from wordstill.evaluation.tasks.task import Judgement, Task, judgement


@dataclass(frozen=True)
class Pairs:
    """Word pairs with a human score."""

    first: list[str]
    second: list[str]
    gold: Array


def read_pairs(path: Path) -> Pairs:
    """Read two words and a score per line; the score is the first number after the words.

    So RG-65, WordSim-353, SimLex-999, SimVerb-3500, RW and MEN are all read as they were published. Lines
    that start with # and a first line without a number (column names) are left out.
    """
    found: list[tuple[str, str, float]] = []
    for place, (number, fields) in enumerate(read_rows(path)):
        score = next((value for value in map(to_number, fields[2:]) if value is not None), None)
        if score is None and place == 0:
            continue
        if score is None or not fields[0] or not fields[1]:
            raise bad_line(path, number, "two words and a score", fields)
        found.append((fields[0], fields[1], score))
    if not found:
        raise InputError(f"{path} has no word pairs; expected two words and a score per line")
    first, second, gold = zip(*found, strict=True)
    return Pairs(list(first), list(second), np.array(gold))


def recognizes(line: str, fields: list[str]) -> bool:
    """Tell whether a line has two words and more; four fields without a number are an analogy."""
    question = line.startswith(":") or (len(fields) == 4 and not any(map(_is_number, fields[2:])))
    return len(fields) >= 3 and not question and not {"category", "class"} & set(fields)


def judge(space: Space, pairs: Pairs, settings: EvaluationSettings) -> Judgement:
    """Judge a space by the order of its cosines."""
    outcome = similarity(space, pairs)
    covered = outcome.covered
    return judgement(similarity_with_mean_vector(space, pairs) if settings.compat == "web" else outcome, covered)


def similarity(space: Space, pairs: Pairs) -> Correlation:
    """Return the cosine of each pair beside its human score; NaN where a word is missing."""
    first, second = space.find(pairs.first), space.find(pairs.second)
    cosines = _dots(space.unit(first), space.unit(second))
    cosines[(first < 0) | (second < 0)] = np.nan
    return Correlation(pairs.gold, cosines)


def similarity_with_mean_vector(space: Space, pairs: Pairs) -> Correlation:
    """Do as the `web` harness: a missing word has the mean of all unit vectors, and nothing is normalized after."""
    first, second = (space.unit_or_mean(space.find(words)) for words in (pairs.first, pairs.second))
    return Correlation(pairs.gold, _dots(first, second))


def _dots(first: Array, second: Array) -> Array:
    return np.asarray(np.einsum("ij,ij->i", first, second, dtype=np.float64))


def _is_number(text: str) -> bool:
    return to_number(text) is not None


TASK = Task(
    name="similarity",
    title="Similarity",
    metric="spearman",
    about="Spearman's correlation of cosines with human scores",
    missing="mean similarity",
    read=read_pairs,
    halve=lambda pairs, split: keep_half(pairs, zip(pairs.first, pairs.second, strict=True), split),
    judge=judge,
    recognizes=recognizes,
    harnesses=("web", "muse"),
)
