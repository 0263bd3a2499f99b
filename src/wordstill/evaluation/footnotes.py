"""What the foot of a table must say."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from wordstill.evaluation.results import Result
from wordstill.evaluation.tasks import Settings

_COMPAT = {
    "web": (
        "As the word-embeddings-benchmarks (web) harness computes it, defects included: a missing word has"
        " the mean vector, a missing answer is wrong, SemEval-2012 ranks the gold scores as text, takes raw"
        " dot products and counts the training relations too, and categorization takes the best of six"
        " clusterings."
    ),
    "muse": (
        "As MUSE computes it, defects included: the first 200,000 words lowercased, items with a missing word"
        " skipped, and analogies asked for the third word (a - b + d)."
    ),
}


def compat_notes(settings: Settings) -> list[str]:
    """What the harness whose numbers are reproduced does differently."""
    return [_COMPAT[settings.compat]] if settings.compat else []


def coverage_notes(results: Iterable[Result]) -> list[str]:
    """A warning where the scores of several vectors are over different items."""
    covered: dict[str, set[int]] = {}
    for result in results:
        covered.setdefault(result.dataset, set()).add(result.covered)
    if all(len(counts) == 1 for counts in covered.values()):
        return []
    return [
        "The vectors cover different items, and a higher score on fewer items is not better: see `all`,"
        " or compare two on the items that both cover (--compare)."
    ]


def layer_notes(names: Iterable[str]) -> list[str]:
    """A warning where several layers of one student stand side by side."""
    layers = Counter(match[1] for name in names if (match := re.fullmatch(r"(.+)/layer-\d+", name)))
    return [
        f"{student}: the best of {count} layers is picked on these very sets, that is, on the test;"
        " choose it with --split dev and report it with --split test."
        for student, count in layers.items()
        if count > 1
    ]
