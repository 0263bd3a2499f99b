"""Whole runs against the bare teacher."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from measuring.turns import figures, ratio
from measuring.workload import TimedRun, Workload, bare_forward, time_run
from wordstill.errors import InputError
from wordstill.system.progress import log


def run_over_teacher(workload: Workload) -> dict[str, Any]:
    """Divide the time of the bare forward pass by that of the whole run: 1 would be a run that costs nothing itself.

    The bare pass goes over every batch of the run right after the run's own.
    """
    log.info("warming up")
    time_run(workload, words=1000, students=workload.students[-1])
    return {precision: _by_students(workload, precision) for precision in workload.precisions}


def _by_students(workload: Workload, precision: str) -> dict[str, Any]:
    """Measure each set of students in one precision; where that does not work here, tell why."""
    found: dict[str, Any] = {}
    for students in workload.students:
        log.info("whole runs of %s in %s, each batch twice", ",".join(students), precision)
        given = {"students": students, "precision": precision}
        try:
            runs = [time_run(workload, bare_forward, **given) for _ in range(workload.repeats)]
        except InputError as error:
            return {"note": str(error)}
        found[",".join(students)] = _shares(runs)
    return found


def _shares(runs: Sequence[TimedRun]) -> dict[str, Any]:
    bare, last = [run.beside for run in runs], runs[-1].record
    return {
        "teacher_over_run": ratio(bare, [run.warm for run in runs]),
        "teacher_inside_run": figures([run.record.seconds.parts["teacher"] / run.warm for run in runs]),
        "teacher_over_run_with_loading": ratio(bare, [run.seconds for run in runs]),
        "bare_teacher_seconds": figures(bare),
        "run_seconds": figures([run.warm for run in runs]),
        "words_per_second": figures([run.words_per_second for run in runs]),
        "words": last.corpus.words,
        "tokens": last.tokens,
        "padding": last.padding,
        "peak_memory_bytes": last.peak_memory_bytes,
        "seconds": last.as_json()["seconds"],
    }
