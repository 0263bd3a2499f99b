"""What the faster precisions of the teacher gain."""

from __future__ import annotations

from typing import Any, get_args

from measuring.turns import figure, figures, ratio
from measuring.workload import Workload, run_batches
from wordstill.errors import InputError
from wordstill.system.progress import log
from wordstill.teacher.precision import LEAST_COSINE, Choice, Precision, Sample, choose_precision, remember_gain

FAST: tuple[Precision, ...] = tuple(way for way in get_args(Precision) if way in LEAST_COSINE)


def precisions(workload: Workload) -> dict[str, Any]:
    """Divide the speed of each faster way by that of float32, the teacher alone; tell how the word vectors agree."""
    teacher = workload.load_teacher()
    run = run_batches(workload, teacher, workload.settings(words=min(workload.words, 20_000)))
    batches = run.batches[:4]
    sample = Sample(teacher, batches, [teacher.layers])
    results: dict[str, Any] = {}
    for way in FAST:
        log.info("the teacher in %s", way)
        try:
            fast, choice = choose_precision(teacher, way, batches, [teacher.layers], run.tokens)
        except InputError as error:
            results[way] = {"note": str(error)}
            continue
        mine, plain = zip(*(sample.speeds(fast, teacher) for _ in range(workload.repeats)), strict=True)
        measured = Choice(
            tokens_per_second={way: max(mine), "float32": max(plain)}, preparing=choice.preparing, cosine=choice.cosine
        )
        remember_gain(teacher, way, measured)
        results[way] = {
            "over_float32": ratio(mine, plain),
            "tokens_per_second": figures(mine),
            "float32_tokens_per_second": figures(plain),
            "cosine": choice.cosine,
            "preparing_seconds": figure(choice.preparing[way]),
        }
    return results
