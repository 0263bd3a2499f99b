"""A .vec file in fastText itself, which reads it to start its training from; run where fastText is installed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from wordstill.formats import save
from wordstill.vectors import WordVectors

WORDS = ["</s>", "the", "river", "東京", "nan", "2", "a\x85b", "\xa0x", "👩‍🔬"]


def test_fasttext_starts_from_the_vectors(tmp_path: Path) -> None:
    fasttext = pytest.importorskip("fasttext", reason="fastText is not here: pip install fasttext")
    matrix = np.random.default_rng(0).standard_normal((len(WORDS), 4)).astype(np.float32)
    matrix[2, 1] = 1e-45
    save(WordVectors(WORDS, matrix), tmp_path / "v.vec")
    lines = [f"__label__{number % 2} {word}\n" for number, word in enumerate(WORDS[1:])]
    (tmp_path / "texts.txt").write_text("".join(lines), encoding="utf-8")
    model = fasttext.train_supervised(
        str(tmp_path / "texts.txt"), dim=4, pretrainedVectors=str(tmp_path / "v.vec"), epoch=0, bucket=0, verbose=0
    )
    rows = model.get_input_matrix()
    for word, row in zip(WORDS, matrix, strict=True):
        np.testing.assert_allclose(rows[model.get_word_id(word)], row, rtol=1e-6)
