"""A small corpus for tests, made by a seed: sentences that repeat words, as real text does."""

from __future__ import annotations

import random
from pathlib import Path

NOUNS = "river country sea gallon word vector fox dog city engineer teacher student".split()  # noqa: SIM905
VERBS = "flows reaches jumps reads learns looks carries turns".split()  # noqa: SIM905
PLACES = [
    "in New York",
    "near Tokyo",
    "through ten countries",
    "over 3.5 litres",
    "in the U.S. today",
    "before 10,000 people",
]


def write_corpus(path: Path, paragraphs: int, seed: int = 0) -> Path:
    """Paragraphs of one to six sentences, one a line."""
    draw = random.Random(seed)
    lines = []
    for _ in range(paragraphs):
        sentences = [
            f"The {draw.choice(NOUNS)} {draw.choice(VERBS)} {draw.choice(PLACES)}"
            + (f", and the {draw.choice(NOUNS)} {draw.choice(VERBS)}" if draw.random() < 0.4 else "")
            + "."
            for _ in range(draw.randint(1, 6))
        ]
        lines.append(" ".join(sentences))
    path.write_text("\n".join(lines), encoding="utf-8")  # without a final newline
    return path
