"""Sentences: does the cosine of two texts order the pairs as people do?

A text's vector is the mean of its words' vectors, as a folder's own tokenizer cuts it (see `vectors/texts.py`): lengths
are meant, and nothing is weighted anew. A teacher, and any other encoder, is judged by its own vectors of the texts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from wordstill.arrays import Array, unit_rows
from wordstill.errors import InputError
from wordstill.evaluation.dataset_lines import bad_line, read_lines, to_number
from wordstill.evaluation.encoders import TextEncoder
from wordstill.evaluation.intervals import Correlation
from wordstill.evaluation.results import Part
from wordstill.evaluation.settings import EvaluationSettings
from wordstill.evaluation.space import Space
from wordstill.evaluation.split import keep_half
from wordstill.evaluation.tasks.task import Judgement, Task
from wordstill.vectors.texts import text_vectors

PEARSON = "Pearson"
# The columns of the score and of the two texts in the published files, known by their names.
STS, SICK = (4, 5, 6), (3, 1, 2)


@dataclass(frozen=True)
class TextPairs:
    """Pairs of texts with a human score."""

    first: list[str]
    second: list[str]
    gold: Array


def read_text_pairs(path: Path) -> TextPairs:
    """Read two texts and a score per line, between tabs; a first line without a score is one of column names.

    The files of the STS benchmark and of SICK are read as they were published. Quotes are plain characters.
    """
    lines = [(number, line.split("\t")) for number, line in read_lines(path, comments=False)]
    score, first, second = _columns(lines[0][1] if lines else [])
    found: list[tuple[str, str, float]] = []
    for place, (number, fields) in enumerate(lines):
        value = to_number(fields[score]) if len(fields) > max(score, first, second) else None
        if value is None and place == 0:
            continue
        if value is None or not fields[first].strip() or not fields[second].strip():
            raise bad_line(path, number, "two texts and a score between tabs", fields)
        found.append((fields[first].strip(), fields[second].strip(), value))
    if not found:
        raise InputError(f"{path} has no pairs of texts; expected two texts and a score per line, between tabs")
    firsts, seconds, gold = zip(*found, strict=True)
    return TextPairs(list(firsts), list(seconds), np.array(gold))


def _columns(fields: Sequence[str]) -> tuple[int, int, int]:
    """Return where score, first and second text stand, as the first line tells."""
    if "relatedness_score" in fields:
        return SICK
    # genre, file, year, id, score, two texts, sometimes more
    if len(fields) >= 7 and to_number(fields[4]) is not None:
        return STS
    return 2, 0, 1


def judge(space: Space, pairs: TextPairs, settings: EvaluationSettings) -> Judgement:
    """Judge a space by the order of the cosines of its texts; every pair with a known word on both sides counts."""
    first, second = (text_vectors(space.word_vectors, texts) for texts in (pairs.first, pairs.second))
    words, known = (int((getattr(first, name) + getattr(second, name)).sum()) for name in ("words", "known"))
    answered = np.asarray(first.matrix.any(axis=1) & second.matrix.any(axis=1))
    return _judgement(pairs.gold, first.matrix, second.matrix, answered, (words, known))


def judge_encoder(encoder: TextEncoder, pairs: TextPairs, settings: EvaluationSettings) -> Judgement:
    """Judge an encoder by the vectors that it gives the texts; every word counts as known."""
    texts = [*pairs.first, *pairs.second]
    first, second = np.split(encoder.encode(texts), 2)
    words = sum(len(text.split()) for text in texts)
    answered = np.asarray(first.any(axis=1) & second.any(axis=1))
    return _judgement(pairs.gold, first, second, answered, (words, words))


def _judgement(gold: Array, first: Array, second: Array, answered: Array, words: tuple[int, int]) -> Judgement:
    cosines = np.einsum("ij,ij->i", unit_rows(first), unit_rows(second), dtype=np.float64)
    cosines[~answered] = np.nan
    outcome = Correlation(gold, cosines)
    every = outcome.filled()
    pearson = Part(PEARSON, _pearson(outcome.take(answered)), _pearson(every), len(gold), int(answered.sum()))
    return Judgement(outcome, every, words[0], words[1], (pearson,))


def _pearson(pairs: Correlation) -> float:
    if len(pairs.gold) < 2 or not np.ptp(pairs.gold) or not np.ptp(pairs.predicted):
        return float("nan")
    return float(np.corrcoef(pairs.gold, pairs.predicted)[0, 1])


TASK = Task(
    name="sentences",
    title="Sentences",
    metric="spearman",
    about="Spearman's correlation of the cosines of texts with human scores; Pearson's beside it",
    missing="left out of the mean; a text without any known word has the mean similarity",
    read=read_text_pairs,
    halve=lambda pairs, split: keep_half(pairs, zip(pairs.first, pairs.second, strict=True), split),
    judge=judge,
    judge_encoder=judge_encoder,
    recognizes=lambda line, fields: False,  # a user names it: sentences:FILE
    quick=False,
    main_parts=(PEARSON,),
)
