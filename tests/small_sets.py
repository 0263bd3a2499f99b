"""Small texts whose classes and tags follow from single words."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from wordstill import WordVectors

WORDS = [f"w{number}" for number in range(40)]


def random_vectors(seed: int = 0, dimensions: int = 20) -> WordVectors:
    matrix = np.random.default_rng(seed).standard_normal((len(WORDS), dimensions)).astype(np.float32)
    return WordVectors(WORDS, matrix, np.arange(len(WORDS), 0, -1))


def informative_vectors(seed: int = 0) -> WordVectors:
    """Vectors in which words of even numbers lie on one side."""
    vectors = random_vectors(seed)
    matrix = 0.3 * vectors.matrix
    matrix[::2, 0] += 3.0
    return WordVectors(WORDS, matrix, vectors.counts)


def write_presence(path: Path, texts: int = 300) -> Path:
    """Write texts whose label is whether the word w7 is there."""
    generator = np.random.default_rng(1)
    others = [word for word in WORDS if word != "w7"]
    lines = []
    for number in range(texts):
        words = list(generator.choice(others, size=int(generator.integers(4, 9))))
        if number % 2:
            words[int(generator.integers(len(words)))] = "w7"
        lines.append(f"{'yes' if number % 2 else 'no'}\t{' '.join(words)}\n")
    path.write_text("".join(lines))
    return path


def write_majority(path: Path, texts: int = 400) -> Path:
    """Write texts whose label is whether most words have even numbers: it is in the informative vectors."""
    generator = np.random.default_rng(2)
    rows = generator.integers(0, len(WORDS), size=(texts, 5))
    labels = (rows % 2 == 0).sum(axis=1) > 2
    path.write_text(
        "".join(f"{label}\t{' '.join(WORDS[one] for one in row)}\n" for row, label in zip(rows, labels, strict=True))
    )
    return path


def write_tags(path: Path, sentences: int = 120) -> Path:
    """Write sentences in which two words after w3 are a span."""
    generator = np.random.default_rng(3)
    lines = []
    for _ in range(sentences):
        words = [WORDS[number] for number in generator.integers(4, len(WORDS), size=7)]
        begin = int(generator.integers(0, 5))
        words[begin] = "w3"
        tags = ["O"] * 7
        tags[begin + 1 : begin + 3] = ["B-x", "I-x"]
        lines += [f"{word} {tag}\n" for word, tag in zip(words, tags, strict=True)] + ["\n"]
    path.write_text("".join(lines))
    return path
