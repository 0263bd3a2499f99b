"""Measure the speed of a teacher on this machine in seconds: for `doctor` and `plan`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from wordstill.corpus.read import Position
from wordstill.corpus.segment import Segmenter
from wordstill.corpus.segmented_text import Segmenting
from wordstill.corpus.vocabulary import Vocabulary
from wordstill.distillation.reading import Preparing
from wordstill.errors import InputError
from wordstill.kernels.sampling import generator
from wordstill.planning.made_text import made_paragraphs
from wordstill.teacher.load import Teacher
from wordstill.teacher.precision import (
    LEAST_COSINE,
    Precision,
    Sample,
    choose_precision,
    remember_gain,
    remembered_gains,
)
from wordstill.teacher.texts import make_batches


@dataclass(frozen=True)
class Speed:
    """How fast a teacher computes in one precision."""

    tokens_per_second: float
    gain: float
    """How many times as fast as float32."""
    preparing: float
    """Seconds until it is ready: compiling, mostly."""
    measured: str
    """`now`, or `before` (remembered of this machine)."""


def made_sample(teacher: Teacher, words: int) -> Sample:
    """Make batches of made-up text."""
    nothing = Vocabulary(["the"], np.ones(1, dtype=np.int64))
    segmented = Segmenting(Segmenter(), nothing.phrases)([(Position(), each) for each in made_paragraphs(words)])
    prepared = Preparing(nothing, teacher.pieces, "paragraph", teacher.limit)(segmented)
    texts = [text for paragraph in prepared for text in paragraph.texts]
    special = len(teacher.pieces.prefix) + len(teacher.pieces.suffix)
    return Sample(teacher, make_batches(texts, teacher.usual_batch, special, generator(0)), [teacher.layers])


def measure_speeds(
    teacher: Teacher, measure: Sequence[Precision] = (), seconds: float = 3.0
) -> tuple[dict[str, Speed], dict[str, str]]:
    """Measure float32, and the faster ways of `measure` if any.

    Returns the speed of every precision that is known, and for those that failed the reason. A way that was measured
    before keeps its gain over float32; it is measured anew if it is in `measure`.
    """
    short = made_sample(teacher, 500)
    short.vectors(teacher)  # warm
    (guess,) = short.speeds(teacher)
    sample = made_sample(teacher, int(np.clip(guess * seconds / 3, 500, 10_000)))
    (plain,) = sample.speeds(teacher)
    reasons: dict[str, str] = {}
    for way in measure:
        try:
            _, choice = choose_precision(teacher, way, sample.batches[:4], sample.layers, 0.0)
        except InputError as error:
            reasons[way] = str(error).partition(": ")[2] or str(error)
            continue
        remember_gain(teacher, way, choice)
    found = {"float32": Speed(round(plain, 1), 1.0, 0.0, "now")}
    known = remembered_gains(teacher)
    for name in LEAST_COSINE:
        if name in known and name not in reasons:
            gain, preparing = known[name]["gain"], known[name]["preparing"]
            when = "now" if name in measure else "before"
            found[name] = Speed(round(plain * gain, 1), gain, preparing, when)
    return found, reasons
