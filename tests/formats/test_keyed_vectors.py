"""gensim's KeyedVectors taken from memory, and given back through word2vec's binary form."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from wordstill.errors import InputError
from wordstill.formats import from_gensim, save

gensim = pytest.importorskip("gensim.models")


def test_words_vectors_and_counts_come_over_and_go_back(tmp_path: Path) -> None:
    texts = [["the", "river", "flows"], ["the", "sea", "the", "river"]]
    model = gensim.Word2Vec(texts, vector_size=8, min_count=1, seed=1, workers=1, epochs=1)
    vectors = from_gensim(model)
    assert vectors.words == model.wv.index_to_key
    assert vectors.counts is not None
    assert dict(zip(vectors.words, vectors.counts.tolist(), strict=True)) == {
        "the": 3,
        "river": 2,
        "flows": 1,
        "sea": 1,
    }
    np.testing.assert_array_equal(vectors["river"], model.wv["river"])
    save(vectors, tmp_path / "v.bin")
    back = gensim.KeyedVectors.load_word2vec_format(str(tmp_path / "v.bin"), binary=True)
    np.testing.assert_array_equal(back["river"], model.wv["river"])


def test_keys_without_counts_and_rows_to_spare_come_over() -> None:
    keyed = gensim.KeyedVectors(2, count=5)
    keyed.add_vector("a", np.array([1.0, 2.0]))
    vectors = from_gensim(keyed)
    assert vectors.words == ["a"]
    np.testing.assert_array_equal(vectors["a"], [1.0, 2.0])


def test_other_things_are_refused() -> None:
    with pytest.raises(InputError, match="is not a KeyedVectors"):
        from_gensim({"a": [1.0]})
    numbered = gensim.KeyedVectors(2)
    numbered.add_vectors([1, 2], np.ones((2, 2)))
    with pytest.raises(InputError, match="keys that are not text"):
        from_gensim(numbered)
