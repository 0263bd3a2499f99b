"""Small models with ugly words and a run's record, for the tests of the report."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from wordstill import WordVectors

UGLY = [
    "<script>alert(1)</script>",
    "</script>",
    "<!--",
    "{{data}}",
    "<img src=x onerror=alert(1)>",
    '"quoted" & \\',
    "東京",
    "مدينة",
    "😀",
    "",
    "tab\there",
    "line\u2028end",
    "\udc80",
    "x" * 100_000,
]
WORDS = ["river", "rivers", "stream", "lake", "king", "queen", *(f"word{number}" for number in range(300))]


def made(words: list[str], seed: int = 0, dimensions: int = 16) -> WordVectors:
    """Random vectors, `rivers` near `river`; the last word's is zero."""
    matrix = np.random.default_rng(seed).standard_normal((len(words), dimensions)).astype(np.float32)
    matrix[words.index("rivers")] = matrix[words.index("river")] + 0.1
    matrix[-1] = 0.0
    counts = np.arange(len(words), 0, -1) * 10
    return WordVectors(words, matrix, counts, {"method": {"student": "aggregate"}, "teacher": "<b>minilm</b>"})


def make_run(folder: Path) -> Path:
    """A run of two students; the second lacks some words and has others. Lone surrogates have no place in a file."""
    words = [word for word in [*WORDS, *UGLY] if word != "\udc80"]
    made([*words, "nothing"]).save(folder / "one")
    made([*words[:200], "otherwise", "nothing"], seed=1).save(folder / "two")
    loss = [[number * 1000, 3.0 / (1 + number)] for number in range(1, 900)]
    record = {
        "version": "0.1.0",
        "finished": True,
        "settings": {},
        "teacher": {"name": "minilm"},
        "corpus": {"words": 1000, "sentences": 100, "paragraphs": 10},
        "seconds": {
            "total": 60.0,
            "read": 1.5,
            "teacher": 50.0,
            "writing": 0.5,
            "other": 1.0,
            "students": {"one": 3.0, "two": 4.0},
        },
        "words_per_second": 16.7,
        "peak_memory_bytes": 10**9,
        "students": {"one": {"path": "one", "loss": loss}, "two": {"path": "two", "loss": []}},
    }
    (folder / "run.json").write_text(json.dumps(record))
    return folder


def scores(*names: str) -> list[dict[str, object]]:
    """What `evaluate --json` would write."""
    given = {"score": 0.5, "low": 0.4, "high": 0.6, "score_all": 0.45, "items": 100, "covered": 80}
    return [
        {"vectors": name, "task": "similarity", "dataset": dataset, "metric": "spearman", "coverage": 0.8, **given}
        for name in names
        for dataset in ("ws353", "<i>mine</i>", "overall")
    ]
