"""Folders of sentence-transformers and of model2vec, read as word vectors."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from wordstill.arrays import Array
from wordstill.errors import InputError
from wordstill.formats import detect, load, save
from wordstill.io import safetensors
from wordstill.vectors import WordVectors

TOKENIZER = {
    "model": {"type": "WordPiece", "vocab": {"[PAD]": 0, "the": 1, "river": 2, "##s": 3, "bank": 4}},
    "added_tokens": [{"id": 0, "content": "[PAD]", "special": True}],
}
ROWS = np.arange(10, dtype=np.float32).reshape(5, 2)


def folder_of(path: Path, arrays: dict[str, Array]) -> Path:
    path.mkdir(parents=True, exist_ok=True)
    safetensors.write(path / "model.safetensors", arrays)
    (path / "tokenizer.json").write_text(json.dumps(TOKENIZER))
    return path


@pytest.mark.parametrize("key", ["embeddings", "embedding.weight"])
@pytest.mark.parametrize("place", ["", "0_StaticEmbedding", "elsewhere"])
def test_words_are_found_under_each_name_and_in_each_place(tmp_path: Path, key: str, place: str) -> None:
    folder_of(tmp_path / place, {key: ROWS})
    if place == "elsewhere":
        modules = [{"path": place, "type": "sentence_transformers.models.StaticEmbedding"}]
        (tmp_path / "modules.json").write_text(json.dumps(modules))
    vectors = load(tmp_path)
    assert detect(tmp_path) == "static-embedding"
    assert vectors.words == ["the", "river", "bank"]
    assert vectors.matrix.tolist() == [[2, 3], [4, 5], [8, 9]]
    assert vectors.card["notes"] == [
        "2 entries of the tokenizer are parts of words or special tokens and were left out"
    ]


def test_a_quantized_vocabulary_is_unfolded_with_its_weights(tmp_path: Path) -> None:
    arrays = {
        "embeddings": np.array([[1, 2], [3, 4]], np.int8),
        "mapping": np.array([0, 1, 1, 0, 0]),
        "weights": np.array([1.0, 0.5, 2.0, 1.0, 3.0]),
    }
    matrix = load(folder_of(tmp_path / "v", arrays)).matrix
    assert matrix.dtype == np.float32
    assert matrix.tolist() == [[1.5, 2.0], [6.0, 8.0], [3.0, 6.0]]


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"embeddings": ROWS[:3]}, "has 3 vectors, and a word with the number 4"),
        ({"embeddings": ROWS, "mapping": np.array([0, 9, 9, 9, 9])}, "beyond the 5 embeddings"),
        ({"encoder.weight": ROWS}, "no tensor 'embeddings'"),
        ({"embeddings": ROWS.ravel()}, "no tensor 'embeddings'"),
    ],
)
def test_tensors_that_do_not_fit_are_refused(tmp_path: Path, arrays: dict[str, Array], message: str) -> None:
    with pytest.raises(InputError, match=message):
        load(folder_of(tmp_path / "v", arrays))


def test_a_broken_tokenizer_is_refused(tmp_path: Path) -> None:
    folder_of(tmp_path / "v", {"embeddings": ROWS})
    for content in ("", "[]", "{}", '{"model": {"vocab": 3}}', '{"model": {"vocab": {"a": "b"}}}'):
        (tmp_path / "v" / "tokenizer.json").write_text(content)
        with pytest.raises(InputError, match=r"tokenizer\.json is (not a tokenizer|no JSON)"):
            load(tmp_path / "v")


def test_our_own_folder_without_its_vocabulary_still_gives_its_words(tmp_path: Path) -> None:
    save(WordVectors(["the", "river"], ROWS[:2]), tmp_path / "v")
    (tmp_path / "v" / "vocabulary.tsv").unlink()
    vectors = load(tmp_path / "v")
    assert vectors.words == ["the", "river"]
    assert not vectors.matrix.flags.owndata
