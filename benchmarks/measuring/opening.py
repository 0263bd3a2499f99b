"""Measure how long vectors take to open and to ask, against gensim with the same vectors.

Opened in turn: our folder in float32, float16 and int8, gensim's word2vec binary file, and what gensim saves itself
with its matrix memory-mapped. Files are in the system's memory already. `first_query` is the first `most_similar` after
opening, which reads the whole matrix and measures the lengths of all vectors; `query` is each one after it. Wall clock
and processor time: on a busy machine the second tells more.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from measuring.turns import ratio
from measuring.workload import Workload
from wordstill.formats import save
from wordstill.io.sizes import bytes_of
from wordstill.vectors import WordVectors

Opener = Callable[[], Any]


def opening_vectors(
    workload: Workload, words: int = 400_000, dimensions: int = 300, queries: int = 20
) -> dict[str, Any]:
    """Open the same vectors in each form and ask them, in turns; tell how many times as fast as gensim that is."""
    if find_spec("gensim") is None:
        return {"note": "gensim is not installed, so there is nothing to compare with: pip install gensim"}
    vectors = made_vectors(words, dimensions)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        openers = write_forms(vectors, folder)
        asked = vectors.words[len(vectors) // 400 :: max(1, len(vectors) // queries)][:queries]
        del vectors
        rounds = [
            {label: time_opening(opener, asked) for label, opener in openers.items()} for _ in range(workload.repeats)
        ]
        sizes = {label: bytes_of(folder / label) for label in openers if (folder / label).exists()}
    results = {
        label: {step: medians([one[label][step] for one in rounds]) for step in rounds[0][label]} for label in openers
    }
    return {
        "words": words,
        "dimensions": dimensions,
        "results": results,
        "bytes": sizes,
        "opens_times_as_fast_as_gensim_binary": over_ours(rounds, "gensim_binary.bin", "open"),
        "opens_times_as_fast_as_gensim_mapped": over_ours(rounds, "gensim_mapped", "open"),
        "answers_times_as_fast_as_gensim": over_ours(rounds, "gensim_mapped", "query"),
    }


def made_vectors(words: int, dimensions: int) -> WordVectors:
    """Make random vectors of made-up words of 3 to 11 letters, with counts as a corpus has them."""
    random = np.random.default_rng(0)
    letters = np.array(list("abcdefghijklmnopqrstuvwxyz"))
    names: dict[str, None] = {}
    while len(names) < words:
        for length in random.integers(3, 12, words):
            names["".join(letters[random.integers(0, 26, length)])] = None
    counts = (1e8 / np.arange(1, words + 1)).astype(np.int64) + 5
    matrix = random.standard_normal((words, dimensions), dtype=np.float32)
    return WordVectors(list(names)[:words], matrix, counts)


def write_forms(vectors: WordVectors, folder: Path) -> dict[str, Opener]:
    """Write the same vectors in every form; return what opens each."""
    from gensim.models import KeyedVectors

    for dtype in ("float32", "float16", "int8"):
        save(vectors, folder / dtype, dtype=dtype)
    binary, mapped = str(folder / "gensim_binary.bin"), str(folder / "gensim_mapped")
    save(vectors, binary)
    KeyedVectors.load_word2vec_format(binary, binary=True).save(mapped)
    return {
        "float32": lambda: WordVectors.load(folder / "float32"),
        "float16": lambda: WordVectors.load(folder / "float16"),
        "int8": lambda: WordVectors.load(folder / "int8"),
        "gensim_mapped": lambda: KeyedVectors.load(mapped, mmap="r"),
        "gensim_binary.bin": lambda: KeyedVectors.load_word2vec_format(binary, binary=True),
    }


def time_opening(opener: Opener, asked: list[str]) -> dict[str, tuple[float, float]]:
    """Return the wall-clock and processor seconds of opening, of the first query, and of one of the others."""
    marks = [(time.perf_counter(), time.process_time())]

    def mark() -> None:
        marks.append((time.perf_counter(), time.process_time()))

    vectors = opener()
    mark()
    vectors.most_similar(asked[0])
    mark()
    for word in asked[1:]:
        vectors.most_similar(word)
    mark()
    spent = [(b[0] - a[0], b[1] - a[1]) for a, b in pairwise(marks)]
    later = max(1, len(asked) - 1)
    return {"open": spent[0], "first_query": spent[1], "query": (spent[2][0] / later, spent[2][1] / later)}


def medians(times: list[tuple[float, float]]) -> dict[str, float]:
    """Return the middle of several timings."""
    wall, busy = zip(*times, strict=True)
    return {
        "seconds": round(statistics.median(wall), 4),
        "least_seconds": round(min(wall), 4),
        "processor_seconds": round(statistics.median(busy), 4),
    }


def over_ours(rounds: list[dict[str, Any]], theirs: str, step: str) -> dict[str, Any]:
    """Divide the processor time of theirs by that of our float32 folder, turn by turn."""
    # A clock that ticks in microseconds can miss an opening altogether.
    return ratio(*([max(1e-6, one[name][step][1]) for one in rounds] for name in (theirs, "float32")))
