"""The speed of a teacher on this machine, found in seconds: for `doctor` and `plan`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from wordstill.corpus.read import Position
from wordstill.corpus.segment import Segmenter
from wordstill.corpus.segmented_text import Segmenting
from wordstill.corpus.vocabulary import Vocabulary
from wordstill.distillation.reading import Preparing, Reading
from wordstill.errors import InputError
from wordstill.kernels.sampling import generator
from wordstill.planning.made_text import made_paragraphs
from wordstill.teacher.load import Teacher
from wordstill.teacher.precision import LEAST_COSINE, Sample, keep, remembered, settle
from wordstill.teacher.texts import make_batches


@dataclass(frozen=True)
class Speed:
    """How fast a teacher computes in one precision."""

    tokens_per_second: float
    gain: float
    """Over float32."""
    preparing: float
    """Seconds until it is ready: compiling, mostly."""
    measured: str
    """`now`, or `before` (remembered of this machine)."""


def made_sample(teacher: Teacher, words: int) -> Sample:
    """Batches of made-up text."""
    nothing = Vocabulary(["the"], np.ones(1, dtype=np.int64))
    read = Reading(
        Segmenting(Segmenter(), nothing.phrases), Preparing(nothing, teacher.pieces, "paragraph", teacher.limit)
    )
    texts = [text for each in read([(Position(), each) for each in made_paragraphs(words)]) for text in each.texts]
    special = len(teacher.pieces.prefix) + len(teacher.pieces.suffix)
    return Sample(teacher, make_batches(texts, teacher.usual_batch, special, generator(0)), [teacher.layers])


def speeds(
    teacher: Teacher,
    measure: Sequence[str] = (),
    seconds: float = 3.0,
    say: Callable[[str], None] = lambda text: None,
) -> tuple[dict[str, Speed], dict[str, str]]:
    """The precisions whose speed is known, float32 measured now, and why those of `measure` that failed did so.

    A way that was measured before keeps its gain over float32; it is measured anew if it is in `measure`.
    """
    short = made_sample(teacher, 500)
    short.vectors(teacher)  # warm
    (guess,) = short.speeds(teacher)
    sample = made_sample(teacher, int(np.clip(guess * seconds / 3, 500, 10_000)))
    (plain,) = sample.speeds(teacher)
    reasons = {}
    done = set()
    for way in measure:
        try:
            _, choice = settle(teacher, way, sample.batches[:4], sample.layers, 0.0, say)  # type: ignore[arg-type]
        except InputError as error:
            reasons[way] = str(error).partition(": ")[2] or str(error)
            continue
        keep(teacher, way, choice)
        done.add(way)
    found = {"float32": Speed(round(plain, 1), 1.0, 0.0, "now")}
    known: dict[str, Any] = remembered(teacher)
    for way in LEAST_COSINE:
        if way in known and way not in reasons:
            gain, preparing = float(known[way]["gain"]), float(known[way]["preparing"])
            found[way] = Speed(round(plain * gain, 1), gain, preparing, "now" if way in done else "before")
    return found, reasons
