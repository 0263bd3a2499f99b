"""Measure how fast students learn after the pass, from made-up sentences whose words are as frequent as real ones."""

from __future__ import annotations

import time

import numpy as np

from wordstill.corpus.vocabulary import Vocabulary
from wordstill.distillation.order import Order
from wordstill.students.student import Contexts
from wordstill.system.threads import numpy_on_one_thread
from wordstill.teacher.batch import Batch

MOST_WORDS, SENTENCES, LENGTH, REPEATS = 50_000, 2048, 24, 3


def measure_replays(order: Order) -> dict[str, float]:
    """Return each student's seconds per word of the text, all epochs together; 0 for those without."""
    size, random = min(len(order.vocabulary), MOST_WORDS), np.random.default_rng(0)
    shares = 1.0 / np.arange(1, size + 1)  # Zipf's law, roughly
    words = random.choice(size, SENTENCES * LENGTH, p=shares / shares.sum()).astype(np.int32)
    counts = np.maximum(1, order.total_words * shares / shares.sum()).astype(np.int64)
    brief = order.brief(Vocabulary(order.vocabulary.words[:size], counts))
    places = np.arange(len(words), dtype=np.int32)
    vectors = random.standard_normal((len(words), order.width), dtype=np.float32)
    found = {}
    with numpy_on_one_thread():  # as in a run
        for name, student in order.students(brief).items():
            found[name] = 0.0
            if not student.needs.replays:
                continue
            layers = dict.fromkeys(student.needs.layers, vectors)
            means = dict.fromkeys(layers, vectors[::LENGTH])
            batch = Batch(words, places // LENGTH, places % LENGTH, layers, means, pooled=means)
            contexts = student.observe(batch)
            kept = contexts if isinstance(contexts, Contexts) else batch
            student.replay(kept)  # where it begins; the compiled loops are compiled now
            spent = []
            for _ in range(REPEATS):
                began = time.perf_counter()
                student.replay(kept)
                spent.append(time.perf_counter() - began)
            found[name] = float(np.median(spent)) / len(words) * student.needs.replays
    return found
