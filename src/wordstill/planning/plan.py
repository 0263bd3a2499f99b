"""Estimate the cost of a large run: hours, memory and disk, on one machine or up to a thousand.

A small run of the same students is timed, part by part (`rates`), and so are the adding up of shards (`adding_up`) and
the end of a run (`finishing`), on tables as large as the planned ones. What grows with the words is multiplied by the
words, and the shards that come of it are simulated on many workers (`simulation`). The students themselves tell how
large their states get (`state_size`).
"""

from __future__ import annotations

import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

from wordstill.distillation.preparing import load
from wordstill.errors import InputError
from wordstill.planning.adding_up import measure_adding, planned_order
from wordstill.planning.estimate import Estimate, Outcome
from wordstill.planning.finishing import measure_finishing
from wordstill.planning.rates import measure_rates
from wordstill.planning.settings import PlannedRun
from wordstill.planning.teacher_speed import measure_speeds
from wordstill.students.registry import choose_students
from wordstill.system.machine import this_machine
from wordstill.system.progress import log

WORKERS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1000)
# A run has stopped scaling where more than half of its workers' time is lost.
LEAST_EFFICIENCY = 0.5


def plan(planned: PlannedRun) -> dict[str, Any]:
    """Measure for about `planned.seconds`, and return what the run would take, as JSON holds it."""
    run = planned.run
    teacher = load(run, choose_students(run.learning, run.student_options, run.epochs))
    if teacher is None:
        raise InputError("a plan needs a teacher and a student that learns from it")
    order = planned_order(planned, teacher)
    log.info("measuring %s", run.teacher)
    speeds, reasons = measure_speeds(teacher, ("bfloat16", "int8") if planned.measure else (), planned.seconds / 6)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rates = measure_rates(planned, order, speeds["float32"].tokens_per_second, folder)
        log.info("adding up a shard of %s distinct words", f"{planned.words_of_a_shard:,}")
        adding = measure_adding(planned, order, folder)
        finishing = measure_finishing(order, planned.seconds, folder)
    estimate = Estimate(planned, order, rates, adding, finishing)
    outcomes = {name: [estimate.on_workers(speed, number) for number in WORKERS] for name, speed in speeds.items()}
    waiting = max(outcome.simulated.most_waiting for found in outcomes.values() for outcome in found)
    return {
        "teacher": {"name": run.teacher, "layers": teacher.layers, "width": teacher.width},
        "words": planned.total_words,
        "vocabulary": planned.expected_vocabulary,
        "vocabulary_is_estimated": planned.vocabulary_size is None,
        "machine": {"cores": this_machine().cores, "memory_bytes": this_machine().memory},
        "precisions": {name: asdict(speed) for name, speed in speeds.items()},
        "precisions_that_do_not_work": reasons,
        "measured": {
            **asdict(rates),
            "efficiency": round(rates.efficiency, 4),
            "adding_up": {kind: asdict(one) for kind, one in adding.items()},
            "finishing": asdict(finishing),
        },
        "assumed": {
            "spread": planned.spread,
            "failures_per_hour": planned.failures_per_hour,
            "shard_words": run.shard_words,
        },
        "hours": [
            {"workers": number, **{name: _shown(found[place]) for name, found in outcomes.items()}}
            for place, number in enumerate(WORKERS)
        ],
        "stops_scaling": {name: _end_of_scaling(found) for name, found in outcomes.items()},
        "memory_bytes": {"driver": estimate.memory_of_driver(), "worker": estimate.memory_of_worker()},
        "disk_bytes": estimate.disk(waiting),
        "learns_after_the_pass": [name for name, needs in order.needs.items() if needs.replays],
    }


def _shown(outcome: Outcome) -> dict[str, Any]:
    return {
        "hours": round(outcome.seconds / 3600, 4),
        "efficiency": round(outcome.efficiency, 4),
        "binds": outcome.binds,
        "failures": outcome.simulated.failures,
    }


def _end_of_scaling(outcomes: list[Outcome]) -> dict[str, Any] | None:
    """Return the first number of workers that loses more than half of their time, and why; None if none does."""
    for number, outcome in zip(WORKERS, outcomes, strict=True):
        if outcome.efficiency < LEAST_EFFICIENCY:
            return {"workers": number, "why": outcome.binds}
    return None
