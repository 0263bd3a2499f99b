"""Peak memory against the words of the corpus and against the vocabulary; each in a process of its own.

python -m wordstill.benchmarking.memory '{"kind": "tables", "words": 20000, "width": 384}'
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

from wordstill.benchmarking.material import Subject, whole_run
from wordstill.benchmarking.repeated import figure, figures, in_turns, ratio
from wordstill.corpus.vocabulary import Vocabulary
from wordstill.planning.state_size import a_batch, state_size, states
from wordstill.students.registry import choose_students
from wordstill.students.student import Task
from wordstill.system.memory import available_memory, peak_memory, process_memory, resident_memory

STUDENTS = ("aggregate", "closed", "x2static")
VOCABULARY, WIDTH = 20_000, 384
# The largest vocabulary of the papers, with the widest of their common teachers, and the memory it shall fit into.
LARGE_VOCABULARY, LARGE_WIDTH, LARGE_BYTES = 750_000, 768, 14e9


def memory(subject: Subject, vocabulary: int = VOCABULARY, width: int = WIDTH) -> dict[str, Any]:
    """Four times the words, the vocabulary being the same; and four times the vocabulary."""
    subject.say("peak memory of runs, each in its own process")

    def run(times: int) -> float:
        asked = {
            "kind": "run",
            "corpus": [str(path) for path in subject.corpus],
            "teacher": subject.teacher,
            "words": subject.words // 4 * times,
            "threads": subject.threads,
            # The text that is sorted together is what a long run holds of its corpus: here a part of the shorter run.
            "buffer_tokens": min(400_000, max(8192, subject.words // 8)),
        }
        return float(alone(asked)["peak_bytes"])

    def tables(times: int) -> float:
        return float(alone({"kind": "tables", "words": times * vocabulary, "width": width})["table_bytes"])

    peaks = in_turns({"one": lambda: run(1), "four": lambda: run(4)}, subject.repeats)
    sizes = in_turns({"one": lambda: tables(1), "four": lambda: tables(4)}, 1)
    chosen = paper_x2static()
    predicted = [state_size(chosen).bytes(times * vocabulary, width) for times in (1, 4)]
    return {
        "words": [subject.words // 4, subject.words // 4 * 4],
        "four_times_the_words": ratio(peaks["four"], peaks["one"]),
        "peak_bytes": {name: figures(each) for name, each in peaks.items()},
        "vocabulary": [vocabulary, 4 * vocabulary],
        "width": width,
        "four_times_the_vocabulary": ratio(sizes["four"], sizes["one"]),
        "table_bytes": {name: figures(each) for name, each in sizes.items()},
        "table_bytes_over_formula": [figure(sizes["one"][0] / predicted[0]), figure(sizes["four"][0] / predicted[1])],
    }


def memory_large(subject: Subject) -> dict[str, Any]:
    """A table of 750,000 x 768 with lazy Adam, every row of it trained, if there is room on this machine."""
    needed = state_size(paper_x2static()).bytes(LARGE_VOCABULARY, LARGE_WIDTH)
    result: dict[str, Any] = {"table": [LARGE_VOCABULARY, LARGE_WIDTH], "formula_bytes": needed}
    free = available_memory()
    if free < LARGE_BYTES:
        return result | {"note": f"only {free / 1e9:.1f} GB are free here; it is tried where {LARGE_BYTES / 1e9:g} are"}
    subject.say(f"training {LARGE_VOCABULARY:,} x {LARGE_WIDTH} with lazy Adam")
    measured = alone({"kind": "tables", "words": LARGE_VOCABULARY, "width": LARGE_WIDTH})
    return result | measured | {"within_14_gb": measured["peak_bytes"] <= LARGE_BYTES}


def alone(asked: dict[str, Any]) -> dict[str, Any]:
    """What a process of its own says."""
    command = [sys.executable, "-m", "wordstill.benchmarking.memory", json.dumps(asked)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"a process that measures memory ended with {done.returncode}: {done.stderr[-2000:]}")
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def answer(asked: dict[str, Any]) -> dict[str, Any]:
    """Measure in this process."""
    if asked["kind"] == "tables":
        return _tables(asked["words"], asked["width"])
    subject = Subject(
        tuple(Path(path) for path in asked["corpus"]), asked["teacher"], asked["words"], threads=asked["threads"]
    )
    helpers: dict[int, int] = {}
    threading.Thread(target=_watch, args=(helpers,), daemon=True).start()
    from wordstill.corpus.vocabulary import VocabularySettings

    run = whole_run(
        subject,
        students=STUDENTS,
        buffer_tokens=asked["buffer_tokens"],
        vocabulary=VocabularySettings(min_count=1, max_size=2000),
    )
    return {
        "peak_bytes": peak_memory() + sum(helpers.values()),
        "helpers": len(helpers),
        "words": run.record["corpus"]["words"],
    }


def _tables(words: int, width: int) -> dict[str, Any]:
    """Train every row of x2static's tables with lazy Adam."""
    import numpy as np

    chosen = paper_x2static()
    vocabulary = Vocabulary([f"w{number}" for number in range(words)], np.full(words, 10))
    states(chosen, 64, width)  # the code is compiled now
    before = resident_memory()
    student = chosen.method.student(Task(vocabulary, width, 1, words), chosen.settings)
    for first in range(0, words, 8192):
        size = min(8192, words - first)
        batch = a_batch(student, size, width, seed=first)
        batch.words[:] += first
        student.observe(batch)
    steps = int(student.done[1])
    touched = float((student.second.sum(axis=1) > 0).mean())
    held = resident_memory()
    return {
        "peak_bytes": peak_memory(),
        "table_bytes": held - before,
        "peak_with_start_bytes": peak_memory() - before,
        "steps": steps,
        "rows_trained": figure(touched),
    }


def paper_x2static() -> Any:
    """x2static as the paper has it: a table and Adam's two moments."""
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


if __name__ == "__main__":
    from wordstill.system.machine import guard

    guard()
    print(json.dumps(answer(json.loads(sys.argv[1]))))
