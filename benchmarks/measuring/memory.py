"""Peak memory against the words of the corpus and against the vocabulary, each measured in a process of its own."""

from __future__ import annotations

import json
import os
import threading
import time
from pathlib import Path
from typing import Any

from measuring.turns import figure, figures, in_turns, ratio
from measuring.workload import Workload, time_run
from wordstill.corpus.vocabulary import VocabularySettings
from wordstill.planning.state_size import made_batch, made_vocabulary, state_size, states
from wordstill.students.registry import Chosen, choose_students
from wordstill.students.student import Brief
from wordstill.system.children import run_python
from wordstill.system.memory import available_memory, peak_memory, process_memory, resident_memory
from wordstill.system.progress import log

STUDENTS = ("aggregate", "closed", "x2static")
VOCABULARY, WIDTH = 20_000, 384
# The largest vocabulary of the papers, with the widest of their common teachers, and the memory it shall fit into.
LARGE_VOCABULARY, LARGE_WIDTH, LARGE_BYTES = 750_000, 768, 14e9
# What a process runs that measures itself: a function of this module, with its arguments as JSON. The guard comes
# before torch.
CHILD = """
import json, sys
sys.path.append(sys.argv[1])
from wordstill.system.machine import guard
guard()
from measuring import memory
print(json.dumps(getattr(memory, sys.argv[2])(**json.loads(sys.argv[3]))))
"""


def memory(workload: Workload, vocabulary: int = VOCABULARY, width: int = WIDTH) -> dict[str, Any]:
    """Compare four times the words, with the same vocabulary; and four times the vocabulary."""
    log.info("peak memory of runs, each in its own process")

    def run(times: int) -> float:
        given = {
            "corpus": [str(path) for path in workload.paths],
            "teacher": workload.teacher,
            "words": workload.words // 4 * times,
            "threads": workload.threads,
            # The text that is sorted together is what a long run holds of its corpus: here a part of the shorter run.
            "buffer_tokens": min(400_000, max(8192, workload.words // 8)),
        }
        return float(in_child("peak_of_run", **given)["peak_bytes"])

    def tables(times: int) -> float:
        return float(in_child("size_of_tables", words=times * vocabulary, width=width)["table_bytes"])

    peaks = in_turns({"one": lambda: run(1), "four": lambda: run(4)}, workload.repeats)
    sizes = in_turns({"one": lambda: tables(1), "four": lambda: tables(4)}, 1)
    predicted = [state_size(paper_x2static()).bytes(times * vocabulary, width) for times in (1, 4)]
    return {
        "words": [workload.words // 4, workload.words // 4 * 4],
        "four_times_the_words": ratio(peaks["four"], peaks["one"]),
        "peak_bytes": {name: figures(each) for name, each in peaks.items()},
        "vocabulary": [vocabulary, 4 * vocabulary],
        "width": width,
        "four_times_the_vocabulary": ratio(sizes["four"], sizes["one"]),
        "table_bytes": {name: figures(each) for name, each in sizes.items()},
        "table_bytes_over_formula": [figure(sizes["one"][0] / predicted[0]), figure(sizes["four"][0] / predicted[1])],
    }


def memory_large(workload: Workload) -> dict[str, Any]:
    """Train every row of a table of 750,000 x 768 with lazy Adam, if there is room on this machine."""
    needed = state_size(paper_x2static()).bytes(LARGE_VOCABULARY, LARGE_WIDTH)
    result: dict[str, Any] = {"table": [LARGE_VOCABULARY, LARGE_WIDTH], "formula_bytes": needed}
    free = available_memory()
    if free < LARGE_BYTES:
        return result | {"note": f"only {free / 1e9:.1f} GB are free here; it is tried where {LARGE_BYTES / 1e9:g} are"}
    log.info("training %s x %d with lazy Adam", f"{LARGE_VOCABULARY:,}", LARGE_WIDTH)
    measured = in_child("size_of_tables", words=LARGE_VOCABULARY, width=LARGE_WIDTH)
    return result | measured | {"within_14_gb": measured["peak_bytes"] <= LARGE_BYTES}


def in_child(function: str, **given: Any) -> dict[str, Any]:
    """Call a function of this module in a process of its own; return what it returns."""
    here = str(Path(__file__).resolve().parents[1])
    done = run_python(CHILD, here, function, json.dumps(given))
    if done.returncode:
        raise RuntimeError(f"a process that measures memory ended with {done.returncode}: {done.stderr[-2000:]}")
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def peak_of_run(corpus: list[str], teacher: str, words: int, threads: int | None, buffer_tokens: int) -> dict[str, Any]:
    """Make a run in this process; return its peak memory with that of the processes that read ahead."""
    helpers: dict[int, int] = {}
    threading.Thread(target=_watch, args=(helpers,), daemon=True).start()
    run = time_run(
        Workload(tuple(corpus), teacher=teacher, threads=threads),
        words=words,
        students=STUDENTS,
        buffer_tokens=buffer_tokens,
        vocabulary=VocabularySettings(min_count=1, max_size=2000),
    )
    return {
        "peak_bytes": peak_memory() + sum(helpers.values()),
        "helpers": len(helpers),
        "words": run.record.corpus.words,
    }


def size_of_tables(words: int, width: int) -> dict[str, Any]:
    """Train every row of x2static's tables with lazy Adam in this process; return the memory they take."""
    chosen, vocabulary = paper_x2static(), made_vocabulary(words)
    states(chosen, 64, width)  # the code is compiled now
    before = resident_memory()
    student: Any = chosen.make(Brief(vocabulary, width, 1, words))
    for first in range(0, words, 8192):
        batch = made_batch(student, min(8192, words - first), width, seed=first)
        batch.words[:] += first
        student.replay(student.observe(batch))
    trained = float((student.second.sum(axis=1) > 0).mean())
    return {
        "peak_bytes": peak_memory(),
        "table_bytes": resident_memory() - before,
        "peak_with_start_bytes": peak_memory() - before,
        "steps": int(student.done[1]),
        "rows_trained": figure(trained),
    }


def paper_x2static() -> Chosen:
    """Choose x2static as the paper has it: a table and Adam's two moments."""
    return choose_students(["x2static"], {"x2static": {"preset": "paper"}})["x2static"]


def _watch(helpers: dict[int, int]) -> None:
    """Note the peaks of the processes that read ahead, while they live."""
    me = os.getpid()
    while True:
        for path in Path("/proc").glob("[0-9]*"):
            try:
                parent = int((path / "stat").read_text().rpartition(")")[2].split()[1])
            except (OSError, IndexError, ValueError):
                continue
            if parent == me:
                helpers[int(path.name)] = max(helpers.get(int(path.name), 0), process_memory(path.name, "VmHWM"))
        time.sleep(0.2)
