"""What vectors distilled in each precision are worth, beside those of float32."""

from __future__ import annotations

import math
import tempfile
from pathlib import Path
from typing import Any

from measuring.precisions import FAST
from measuring.turns import figure
from measuring.workload import Workload
from wordstill.distillation.distill import distill
from wordstill.errors import InputError
from wordstill.evaluation import evaluate
from wordstill.evaluation.results import AVERAGE
from wordstill.system.progress import log


def scores(workload: Workload) -> dict[str, Any]:
    """Return each student's mean score over the similarity sets that are on this machine, in points of 100.

    A set counts by its pairs that have vectors: where four pairs of 65 do, one that changes places is worth 20 points.
    """
    results: dict[str, Any] = {}
    plain: dict[str, float] = {}
    for precision in ("float32", *FAST):
        log.info("a run in %s, judged", precision)
        try:
            found, results["datasets"] = _judged(workload, precision)
        except InputError as error:
            results[precision] = {"note": str(error)}
            if precision == "float32":
                break  # nothing to stand beside
            continue
        plain = plain or found
        results[precision] = {
            name: {"score": figure(score), "over_float32": figure(score - plain[name])} for name, score in found.items()
        }
    return results


def _judged(workload: Workload, precision: str) -> tuple[dict[str, float], list[str]]:
    """Distill in one precision; return the mean score of each student, and the names of the sets."""
    with tempfile.TemporaryDirectory() as name:
        settings = workload.settings(precision=precision, students=workload.students[-1])
        run = distill(workload.paths, out=Path(name) / "run", settings=settings)
        students = list(run.record.students)
        judged = evaluate({student: run.vectors(student) for student in students}, tasks=["similarity"], resamples=1)
    found = [each for each in judged if each.task == "similarity" and each.dataset != AVERAGE]
    sets = list(dict.fromkeys(each.dataset for each in found if not math.isnan(each.score)))
    if not sets:
        raise InputError("there are no similarity sets with words of this text; get some with wordstill data get")
    means = {}
    for student in students:
        own = [each for each in found if each.vectors == student and each.dataset in sets]
        means[student] = 100 * sum(each.score * each.covered for each in own) / sum(each.covered for each in own)
    return means, sets
