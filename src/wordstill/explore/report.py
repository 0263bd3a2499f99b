"""One HTML file about vectors: scores, a map of their words, neighbours, training, cards. It needs no network.

    from wordstill.explore.report import write_report
    write_report(["run/aggregate", "run/closed"], "report.html")

The page is `assets/report.html` with its style, its scripts and the data put into it. Words are data: they stand in a
block of JSON in which no `<` is left, and the scripts only ever set text. The page's own security policy allows
nothing but the one style and the one script, by their hashes.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

from wordstill import __version__
from wordstill.errors import InputError
from wordstill.evaluation import Results, evaluate
from wordstill.evaluation.datasets import DATASETS
from wordstill.evaluation.lookup import find
from wordstill.evaluation.sources import Subject, subjects
from wordstill.explore.report_facts import card_lines, run_facts, run_of, score_table
from wordstill.explore.shown_words import frequency_order, shown
from wordstill.explore.wordmap import MAP_WORDS, word_map
from wordstill.io.files import replacing
from wordstill.vectors import WordVectors

# Tasks that train nothing: judged in seconds.
TASKS = ("similarity", "analogy", "relations", "categorization")
MOST_MODELS, MOST_WORDS, MOST_MAP_WORDS = 12, 50, 60_000
SCRIPTS = ("base.js", "charts.js", "wordmap.js", "report.js")
# Shown where nobody names words; those without a vector are replaced by frequent ones.
WORDS = ("river", "president", "blue", "music", "doctor", "london", "run", "quickly")

Scores = Sequence[Mapping[str, Any]]


def write_report(
    vectors: Any,
    out: str | Path,
    *,
    words: Sequence[str] = (),
    scores: Scores | Results | None = None,
    datasets: Sequence[str] | None = None,
    title: str = "Word vectors",
    map_words: int = MAP_WORDS,
    say: Callable[[str], None] = lambda line: None,
) -> Path:
    """Write a report on vectors to `out`, and return its path.

    vectors    what `evaluate` takes: paths, run folders (for all their students), names with vectors
    words      whose neighbours are listed; any words that have a vector
    scores     what `evaluate` returned, or its JSON; without it all data sets that are here are judged
    datasets   the data sets to judge instead
    map_words  how many of the most frequent words are on the map
    """
    judged = subjects(vectors)
    if len(judged) > MOST_MODELS:
        raise InputError(f"a report shows at most {MOST_MODELS} vectors side by side, not {len(judged)}")
    if not 1 <= map_words <= MOST_MAP_WORDS:
        raise InputError(f"the map has from 1 to {MOST_MAP_WORDS:,} words, not {map_words:,}")
    models = {subject.name: _loaded(subject) for subject in judged}
    results, notes = _scores(models, scores, datasets, say)
    runs, run_numbers = _runs(judged)
    data = {
        "title": title,
        "version": __version__,
        "models": [
            {
                "name": shown(name),
                "words": len(one),
                "dimensions": one.vector_size,
                "counted": None if one.counts is None else int(one.counts.sum()),
                "card": card_lines(one.card),
                "run": run_numbers[name],
            }
            for name, one in models.items()
        ],
        "scores": results,
        "notes": notes,
        "chosen": chosen_words(models, words),
        "map": word_map(list(models.values()), map_words, say).as_json(),
        "runs": runs,
    }
    path = Path(out)
    with replacing(path) as temporary:
        temporary.write_bytes(page(data))
    return path


def page(data: Mapping[str, Any]) -> bytes:
    """The whole file as bytes."""
    style, script = asset("report.css"), "\n".join(asset(name) for name in SCRIPTS)
    policy = (
        f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; img-src data:;"
        " base-uri 'none'; form-action 'none'"
    )
    parts = {
        "policy": policy,
        "title": html.escape(str(data["title"])),
        "style": style,
        "data": script_json(data),
        "script": script,
    }
    # One pass: what is put in is never looked at again.
    text = re.sub(r"\{\{(\w+)\}\}", lambda match: parts[match[1]], asset("report.html"))
    return text.encode("utf-8", errors="backslashreplace")


def script_json(value: Any) -> str:
    """JSON for a script element: no `<`, so that nothing in it can end the element or begin a comment."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")


def chosen_words(models: Mapping[str, WordVectors], words: Sequence[str]) -> list[dict[str, Any]]:
    """The nearest words, of the whole vocabulary, of each chosen word in each model; None where it has no vector."""
    if len(words) > MOST_WORDS:
        raise InputError(f"a report lists the neighbours of at most {MOST_WORDS} words, not {len(words)}")
    for word in words:
        if not any(word in vectors for vectors in models.values()):
            raise InputError(f"the word {word!r} has no vector in any of these; leave it out of --words")
    return [
        {
            "word": shown(word),
            "near": [
                [[shown(near), round(cosine, 4)] for near, cosine in vectors.most_similar(word, topn=10)]
                if word in vectors
                else None
                for vectors in models.values()
            ],
        }
        for word in words or default_words(next(iter(models.values())))
    ]


def default_words(vectors: WordVectors, count: int = 6) -> list[str]:
    """Well-known words that have a vector, or else frequent ones that are neither short nor numbers."""
    known = [word for word in WORDS if word in vectors][:count]
    frequent = (vectors.words[row] for row in frequency_order(vectors).tolist()[100:])
    ordinary = (word for word in frequent if word.isalpha() and len(word) > 3 and word not in known)
    known += [word for word, _ in zip(ordinary, range(count - len(known)), strict=False)]
    return known or vectors.words[:count]


def asset(name: str) -> str:
    """The text of one of the page's own files."""
    return resources.files("wordstill.explore").joinpath("assets", name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _loaded(subject: Subject) -> WordVectors:
    vectors = subject.load()
    if not isinstance(vectors, WordVectors):
        raise InputError(f"{subject.name} is a {type(vectors).__name__}; a report is made of WordVectors or paths")
    if len(vectors) == 0:
        raise InputError(f"{subject.name} has no words; there is nothing to report")
    return vectors


def _scores(
    models: Mapping[str, WordVectors],
    scores: Scores | Results | None,
    datasets: Sequence[str] | None,
    say: Callable[[str], None],
) -> tuple[list[dict[str, Any]], list[str]]:
    if scores is None:
        if datasets is None and not any(find(entry) for entry in DATASETS.values() if entry.task in TASKS):
            return [], ["No data set is on this machine: `wordstill data list` shows what can be had."]
        scores = evaluate(dict(models), TASKS if datasets is None else None, datasets, progress=say)
    notes = list(scores.notes) if isinstance(scores, Results) else []
    listed = [one.as_dict() for one in scores] if isinstance(scores, Results) else scores
    table = score_table(listed, list(models))
    if listed and not table:
        judged = ", ".join(dict.fromkeys(str(one["vectors"]) for one in listed))
        raise InputError(f"the scores are of {judged}; none is of {', '.join(models)}")
    return table, notes


def _runs(judged: Iterable[Subject]) -> tuple[list[dict[str, Any]], dict[str, int | None]]:
    """The runs that made the vectors, each once, and the number of each model's run."""
    found: dict[Path, int] = {}
    numbers: dict[str, int | None] = {}
    for subject in judged:
        path = run_of(subject.path) if subject.path is not None else None
        numbers[subject.name] = None if path is None else found.setdefault(path, len(found))
    return [run_facts(path) for path in found], numbers
