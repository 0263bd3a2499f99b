"""What a report tells of vectors besides their words: scores, the run that made them, their card."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from wordstill.distillation.run_record import RunRecord
from wordstill.errors import InputError
from wordstill.evaluation.datasets import DATASETS
from wordstill.evaluation.results import AVERAGE_TITLES
from wordstill.evaluation.tasks import all_tasks, find_task
from wordstill.explore.displayed_words import displayed
from wordstill.io.files import plain
from wordstill.io.reading import read_json

# The title of a task that only another version of wordstill knows.
OTHER = "Other"
# The second measure of classifiers, which stands beside the first.
MACRO = "macro-F1"
CURVE_POINTS = 400
CARD_LINES, CARD_LETTERS = 200, 500
_SCORES = ("score", "low", "high", "score_all", "items", "covered")


def score_table(results: Sequence[Mapping[str, Any]], names: Sequence[str]) -> list[dict[str, Any]]:
    """Make an entry per data set with a score per model (None where there is none), task by task; means come last."""
    table: dict[tuple[str, ...], dict[str, Any]] = {}
    for result in results:
        if result["vectors"] not in names:
            continue
        name, task = str(result["dataset"]), find_task(str(result["task"]))
        known, averaged = DATASETS.get(name), name in AVERAGE_TITLES
        # The mean over the sets of a task that trains a model stands with that task.
        title = AVERAGE_TITLES.get(name) or (known.title if known else displayed(name))
        heading = (task.title if not averaged or not task.quick else "") if task else "" if averaged else OTHER
        shown = [("", result["metric"], result)]
        for part in result.get("parts", ()) if task and not task.quick else ():
            if part.get("name") == MACRO:
                shown.append((f", {MACRO}", MACRO, {**part, "low": None, "high": None}))
        for suffix, metric, scores in shown:
            entry = table.setdefault(
                (heading, name, suffix),
                {"title": title + suffix, "task": heading, "metric": metric, "scores": [None] * len(names)},
            )
            entry["scores"][names.index(result["vectors"])] = {key: scores.get(key) for key in (*_SCORES, "deviation")}
    order = [*(task.title for task in all_tasks()), OTHER, ""]
    return sorted(table.values(), key=lambda entry: order.index(entry["task"]))


def read_scores(path: Path) -> list[dict[str, Any]]:
    """Read what `wordstill evaluate --json FILE` wrote."""
    results = read_json(path)
    needed = {"vectors", "dataset", "task", "metric", *_SCORES}
    if not isinstance(results, list) or not all(isinstance(one, dict) and needed <= one.keys() for one in results):
        raise InputError(f"{path} holds no scores; give a file that `wordstill evaluate --json FILE` wrote")
    return results


def run_summary(folder: Path, record: RunRecord) -> dict[str, Any]:
    """Tell of a run what was done, how long each part took, and the loss of each student."""
    corpus, speed = record.corpus, record.tokens_per_second
    told = {
        "teacher": public_name(record.teacher.name) if record.teacher else "",
        "precision": record.precision,
        "paragraphs": corpus.paragraphs,
        "sentences": corpus.sentences,
        "words": corpus.words,
        "tokens": record.tokens,
        "words per second": round(record.words_per_second, 1),
        "tokens per second": speed["run"],
        "tokens per second, the teacher alone": speed["teacher_alone"],
        "tokens with padding, for one without": record.padding,
        "words too long for the teacher": record.truncated_words,
        "largest memory, MB": round(record.peak_memory_bytes / 1e6),
        "wordstill": record.version,
    }
    return {
        "name": displayed(folder.name),
        "lines": [
            *([name, value if isinstance(value, str) else _number(value)] for name, value in told.items() if value),
            *([name, displayed(value, CARD_LETTERS)] for name, value in (record.best.lines() if record.best else ())),
        ],
        "seconds": record.seconds.named_parts(),
        "curves": [
            {"name": name, "points": thinned(student.loss)}
            for name, student in record.students.items()
            if len(student.loss) > 1
        ],
    }


def public_name(teacher: str) -> str:
    """Return a teacher's name without the folder it lay in: a report may be sent to others."""
    return Path(teacher).name if Path(teacher).is_absolute() or teacher.startswith((".", "~")) else teacher


def thinned(points: Sequence[Sequence[float]], most: int = CURVE_POINTS) -> list[list[float]]:
    """Reduce a curve to at most so many points: neighbours are averaged, none is left out."""
    finite = [point for point in points if all(math.isfinite(value) for value in point)]
    size = max(1, math.ceil(len(finite) / most))
    groups = (finite[start : start + size] for start in range(0, len(finite), size))
    return [[sum(axis) / len(group) for axis in zip(*group, strict=True)] for group in groups]


def card_lines(card: Mapping[str, Any]) -> list[list[str]]:
    """Write a model card as lines of name and value, nested names joined by dots, long values cut."""
    lines = [[displayed(name, CARD_LETTERS), displayed(value, CARD_LETTERS)] for name, value in _flat(card)]
    return lines if len(lines) <= CARD_LINES else [*lines[:CARD_LINES], ["...", f"{len(lines) - CARD_LINES} more"]]


def _flat(value: Mapping[Any, Any], before: str = "") -> Iterator[tuple[str, str]]:
    for name, item in value.items():
        if isinstance(item, Mapping):
            yield from _flat(item, f"{before}{name}.")
        elif isinstance(item, list | tuple) and any(isinstance(part, Mapping) for part in item):
            for number, part in enumerate(item, 1):
                yield from _flat({number: part}, f"{before}{name}.")
        elif item not in (None, "", [], ()):
            yield (
                f"{before}{name}",
                item if isinstance(item, str) else json.dumps(item, ensure_ascii=False, default=plain),
            )


def _number(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:,.4g}" if value < 1000 else f"{value:,.0f}"
