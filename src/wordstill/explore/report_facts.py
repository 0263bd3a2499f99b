"""What a report tells of vectors besides their words: scores, the run that made them, their card."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from wordstill.errors import InputError
from wordstill.evaluation.datasets import DATASETS
from wordstill.evaluation.results import AVERAGE, OVERALL
from wordstill.explore.shown_words import shown
from wordstill.io.files import plain

CURVE_POINTS = 400
CARD_LINES, CARD_LETTERS = 200, 500
# How far above the vectors a run's folder may be: run/aggregate/layer-06.
LEVELS_UP = 3
_TITLES = {AVERAGE: "average of 5", OVERALL: "mean of all"}
_KEPT = ("score", "low", "high", "score_all", "items", "covered")
# The order of a run's parts, and their names for people.
_PARTS = {
    "vocabulary": "counting words",
    "read": "reading",
    "teacher": "teacher",
    "pooling": "pooling",
    "keeping": "keeping contexts",
    "checkpoint": "checkpoints",
}


def score_table(results: Sequence[Mapping[str, Any]], names: Sequence[str]) -> list[dict[str, Any]]:
    """One entry a data set with one score a model (None where there is none); means come last."""
    table: dict[str, dict[str, Any]] = {}
    for result in results:
        if result["vectors"] not in names:
            continue
        name = str(result["dataset"])
        known = DATASETS.get(name)
        entry = table.setdefault(
            name,
            {
                "title": _TITLES.get(name) or (known.title if known else shown(name)),
                "task": "" if name in _TITLES else result["task"],
                "metric": result["metric"],
                "scores": [None] * len(names),
            },
        )
        entry["scores"][names.index(result["vectors"])] = {key: result[key] for key in _KEPT}
    return [
        *(table[name] for name in table if name not in _TITLES),
        *(table[name] for name in _TITLES if name in table),
    ]


def read_scores(path: Path) -> list[dict[str, Any]]:
    """What `wordstill evaluate --json FILE` wrote."""
    try:
        results = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from None
    except ValueError:
        raise InputError(f"{path} is no JSON; give a file that `wordstill evaluate --json FILE` wrote") from None
    needed = {"vectors", "dataset", "task", "metric", *_KEPT}
    if not isinstance(results, list) or not all(isinstance(one, dict) and needed <= one.keys() for one in results):
        raise InputError(f"{path} holds no scores; give a file that `wordstill evaluate --json FILE` wrote")
    return results


def run_of(folder: Path) -> Path | None:
    """The run.json whose run made the vectors in a folder."""
    folder = folder.resolve()
    for above in list(folder.parents)[:LEVELS_UP]:
        path = above / "run.json"
        if path.is_file():
            made = _read_run(path).get("students")
            paths = [above / str(one.get("path")) for one in made.values()] if isinstance(made, dict) else []
            return path if folder in paths else None
    return None


def run_settings(folder: Path) -> dict[str, Any]:
    """The settings of the run that made the vectors in a folder; empty where no run.json tells."""
    path = run_of(folder)
    settings = _read_run(path).get("settings") if path is not None else None
    return settings if isinstance(settings, dict) else {}


def run_facts(path: Path) -> dict[str, Any]:
    """A run for people: what was done, how long each part took, and the loss of each student."""
    record = _read_run(path)
    seconds = record.get("seconds", {})
    corpus, speed = record.get("corpus", {}), record.get("tokens_per_second", {})
    facts = {
        "teacher": public_name(_get(record, "teacher", "name")),
        "precision": record.get("precision"),
        "paragraphs": corpus.get("paragraphs"),
        "sentences": corpus.get("sentences"),
        "words": corpus.get("words"),
        "tokens": record.get("tokens"),
        "words a second": record.get("words_per_second"),
        "tokens a second": speed.get("run"),
        "tokens a second, the teacher alone": speed.get("teacher_alone"),
        "tokens with padding, for one without": record.get("padding"),
        "words too long for the teacher": record.get("truncated_words"),
        "largest memory, MB": round(record["peak_memory_bytes"] / 1e6) if "peak_memory_bytes" in record else None,
        "wordstill": record.get("version"),
    }
    parts = [(told, seconds.get(part)) for part, told in _PARTS.items()]
    parts[-1:-1] = list(seconds.get("students", {}).items())
    timed = [(str(name), float(value)) for name, value in parts if value]
    rest = float(seconds.get("total", 0.0)) - sum(value for _, value in timed)
    if timed and rest > 0.005 * float(seconds["total"]):
        timed.append(("the rest", rest))
    return {
        "name": shown(path.parent.name),
        "facts": [
            [name, value if isinstance(value, str) else _number(value)] for name, value in facts.items() if value
        ],
        "seconds": timed,
        "curves": [
            {"name": str(name), "points": thinned(student.get("loss", []))}
            for name, student in record.get("students", {}).items()
            if len(student.get("loss", [])) > 1
        ],
    }


def public_name(teacher: Any) -> Any:
    """A teacher's name without the folder it lay in: a report may be sent to others."""
    is_path = isinstance(teacher, str) and (Path(teacher).is_absolute() or teacher.startswith((".", "~")))
    return Path(teacher).name if is_path else teacher


def thinned(points: Sequence[Sequence[float]], most: int = CURVE_POINTS) -> list[list[float]]:
    """A curve of at most so many points: neighbours are averaged, none is left out."""
    finite = [point for point in points if all(math.isfinite(value) for value in point)]
    size = max(1, math.ceil(len(finite) / most))
    groups = (finite[start : start + size] for start in range(0, len(finite), size))
    return [[sum(axis) / len(group) for axis in zip(*group, strict=True)] for group in groups]


def card_lines(card: Mapping[str, Any]) -> list[list[str]]:
    """A model card as lines of name and value, nested names joined by dots, long values cut."""
    lines = [[shown(name, CARD_LETTERS), shown(value, CARD_LETTERS)] for name, value in _flat(card)]
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


def _read_run(path: Path) -> dict[str, Any]:
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"{path} cannot be read as JSON; is it a run's?") from error
    return record if isinstance(record, dict) else {}


def _get(record: Mapping[str, Any], *names: str) -> Any:
    value: Any = record
    for name in names:
        value = value.get(name) if isinstance(value, Mapping) else None
    return value


def _number(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:,.4g}" if value < 1000 else f"{value:,.0f}"
