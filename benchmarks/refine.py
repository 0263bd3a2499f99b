"""Measure retrofitting: its speed against a loop over words as the paper writes it, and its memory. Prints JSON.

  python benchmarks/refine.py LEXICON                          400,000 random vectors of 300 dimensions
  python benchmarks/refine.py LEXICON --words glove.words      with the words of a file, one per line

Without --words every word of the lexicon has a vector, and made-up words fill up the rest: the slowest case. Ours and
the loop are timed in turn, the loop for --loop-sweeps sweeps only. Compared are the sweeps alone, and the whole: from
a matrix and a lexicon in memory to refined vectors, the loop's sweeps counted as often as ours are made.
"""

from __future__ import annotations

import argparse
import json
import logging
import sys
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np

from measuring.turns import figures, ratio
from wordstill.arrays import Array
from wordstill.refinement import Graph, Lexicon, graph_retrofit, lay_over, read_lexicon
from wordstill.refinement.graph_retrofit import GraphRetrofitSettings
from wordstill.system.memory import peak_memory
from wordstill.system.progress import log

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
from reference import retrofit as literal


def main() -> None:
    """Measure and print."""
    log.setLevel(logging.INFO)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lexicon")
    parser.add_argument("--words", type=Path)
    parser.add_argument("--size", type=int, default=400_000)
    parser.add_argument("--dimensions", type=int, default=300)
    parser.add_argument("--sweeps", type=int, default=10)
    parser.add_argument("--loop-sweeps", type=int, default=1)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    started = time.perf_counter()
    lexicon = read_lexicon(options.lexicon)
    reading = time.perf_counter() - started
    words = options.words.read_text(encoding="utf-8").split("\n") if options.words else list(lexicon.words)
    words = list(dict.fromkeys(words))[: options.size]
    words += [f"made-up-{number}" for number in range(options.size - len(words))]
    index = {word: row for row, word in enumerate(words)}
    before = peak_memory()
    matrix = np.random.default_rng(0).standard_normal((len(words), options.dimensions), dtype=np.float32)
    settings = GraphRetrofitSettings(sweeps=options.sweeps)
    ours, loop = Times([], []), Times([], [])
    refine_once(matrix, index, lexicon, settings)  # compiles, or loads what was compiled before
    copies = (peak_memory() - before) / matrix.nbytes
    for _ in range(options.repeats):
        graph, sweeps, whole, sweeping = refine_once(matrix, index, lexicon, settings)
        ours.whole.append(whole)
        ours.sweep.append(sweeping / sweeps)
        preparing, sweeping = loop_once(matrix, words, index, lexicon, options.loop_sweeps)
        loop.sweep.append(sweeping / options.loop_sweeps)
        loop.whole.append(preparing + loop.sweep[-1] * sweeps)
    report = {
        "words": len(words),
        "dimensions": options.dimensions,
        "words_that_take_part": len(graph.rows),
        "pairs": graph.pairs,
        "sweeps": sweeps,
        "seconds_reading_the_lexicon": round(reading, 2),
        "seconds": figures(ours.whole),
        "seconds_a_sweep": figures(ours.sweep),
        "loop_seconds": figures(loop.whole),
        "loop_seconds_a_sweep": figures(loop.sweep),
        "times_as_fast": ratio(loop.whole, ours.whole),
        "times_as_fast_a_sweep": ratio(loop.sweep, ours.sweep),
        "copies_of_the_matrix_at_the_peak": round(copies, 2),
    }
    print(json.dumps(report, indent=2))


class Times(NamedTuple):
    """Seconds of each repeat."""

    whole: list[float]
    sweep: list[float]


class Ticks(logging.Handler):
    """Notes when each message came: retrofitting logs one per sweep."""

    def __init__(self) -> None:
        super().__init__()
        self.times: list[float] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Note the time of one message."""
        self.times.append(time.perf_counter())


def refine_once(
    matrix: Array, index: dict[str, int], lexicon: Lexicon, settings: GraphRetrofitSettings
) -> tuple[Graph, int, float, float]:
    """Retrofit; return the graph, the sweeps made, and the seconds of the whole and of all sweeps."""
    ticks = Ticks()
    log.addHandler(ticks)
    started = time.perf_counter()
    graph = lay_over(lexicon, index)
    settled = graph_retrofit(matrix, graph, settings)
    whole = time.perf_counter() - started
    log.removeHandler(ticks)
    return graph, len(settled.moved), whole, ticks.times[-1] - ticks.times[0]


def loop_once(
    matrix: Array, words: list[str], index: dict[str, int], lexicon: Lexicon, sweeps: int
) -> tuple[float, float]:
    """Return the seconds of the literal loop: before the sweeps, and in them."""
    started = time.perf_counter()
    neighbors: dict[str, list[str]] = {}
    for first, second in lexicon.pairs():
        if first in index and second in index:
            neighbors.setdefault(first, []).append(second)
            neighbors.setdefault(second, []).append(first)
    vectors = literal.unit_vectors(dict(zip(words, matrix, strict=True)))
    preparing = time.perf_counter() - started
    vectors = {word: vectors[word] for word in neighbors}
    started = time.perf_counter()
    literal.graph_retrofit(vectors, neighbors, sweeps, in_turn=True)
    return preparing, time.perf_counter() - started


if __name__ == "__main__":
    main()
