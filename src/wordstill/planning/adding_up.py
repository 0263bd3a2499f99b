"""Measure what it takes to add up a shard: written, read back with its checksums, and merged into the whole.

The students are those of the planned run, over as many words as a shard would have, filled with random numbers.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, TypeAlias

import numpy as np

from wordstill.arrays import Array
from wordstill.distillation.order import Order
from wordstill.distillation.rare_words import rare_words_wanted
from wordstill.distillation.shard_work import Pulse, ShardFolder, ShardWork
from wordstill.distillation.shards import WORDS_ALONE, Shard
from wordstill.planning.settings import PlannedRun
from wordstill.planning.state_size import made_batch, made_vocabulary
from wordstill.system.threads import numpy_on_one_thread
from wordstill.teacher.load import Teacher

# A shard's rows lie in tables of the whole vocabulary, up to so many words: beyond, tables would not fit everywhere.
MOST_WORDS = 1_000_000
REPEATS = 3
Kind: TypeAlias = Literal["text", "vocabulary"]


@dataclass(frozen=True)
class Adding:
    """What one shard takes besides its own work."""

    words: int
    """Rows of its tables."""
    bytes: int
    """Its files, without what is kept for replays."""
    saving: float
    """Seconds for the worker to write it; the median of a few turns, as of the others."""
    reading: float
    """Seconds for the driver to read it and check it."""
    merging: float
    """Seconds for the driver to add it up."""


def planned_order(planned: PlannedRun, teacher: Teacher) -> Order:
    """Write down the planned run's order, over a made-up vocabulary."""
    layer = planned.run.layer
    order = Order(
        planned.run,
        made_vocabulary(min(planned.expected_vocabulary, MOST_WORDS)),
        corpus="",
        total_words=planned.total_words,
        width=teacher.width,
        layers=teacher.layers,
        layer=teacher.layer(layer) if isinstance(layer, int) else layer,
    )
    learns = any(needs.text and needs.teacher for needs in order.needs.values())
    return replace(order, features=learns and rare_words_wanted(planned.run.rare, order.vocabulary))


def measure_adding(planned: PlannedRun, order: Order, folder: Path) -> dict[Kind, Adding]:
    """Measure a shard of the text and one of the vocabulary, as far as the run has them."""
    size = len(order.vocabulary)
    found: dict[Kind, Adding] = {}
    with numpy_on_one_thread():  # as in a run
        if any(needs.text for needs in order.needs.values()):
            shard = Shard(0, "text", 0, planned.run.shard_words)
            numbers = np.random.default_rng(0).permutation(size)[: planned.words_of_a_shard]
            found["text"] = _measure(order, shard, np.sort(numbers).astype(np.int32), folder / "text")
        if order.features or any(not needs.text or needs.alone for needs in order.needs.values()):
            shard = Shard(1, "vocabulary", 0, min(WORDS_ALONE, size))
            found["vocabulary"] = _measure(order, shard, np.arange(shard.size, dtype=np.int32), folder / "vocabulary")
    return found


def _measure(order: Order, shard: Shard, numbers: Array, folder: Path) -> Adding:
    place = ShardFolder(folder)
    work = ShardWork(order, shard, numbers, place, Pulse(math.inf))
    whole = order.learners(shard, np.arange(len(order.vocabulary), dtype=np.int32))
    for name, learner in work.learners.items():
        learner.observe(made_batch(learner, len(numbers), order.width))
        whole[name].merge(learner, numbers)  # memory that was never touched is slower than that of a run
    spent = np.zeros((REPEATS, 3))
    for turn in spent:
        began = time.perf_counter()
        work.save()
        saved = time.perf_counter()
        read, rows = place.learners(order, shard)
        ready = time.perf_counter()
        for name, learner in read.items():
            whole[name].merge(learner, rows)
        turn[:] = saved - began, ready - saved, time.perf_counter() - ready
    work.close()
    size = sum(file.stat().st_size for file in place.checkpoint.iterdir())
    saving, reading, merging = np.median(spent, axis=0).tolist()
    return Adding(len(numbers), size, saving, reading, merging)
