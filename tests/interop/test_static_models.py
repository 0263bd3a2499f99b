"""A vectors folder in sentence-transformers and in model2vec, each run where it is installed.

The two cannot share an environment with the rest (model2vec pins an older transformers): `make interop` makes one for
model2vec. Its own folders are read back here too.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from wordstill.arrays import Array, unit_rows
from wordstill.formats import load, save
from wordstill.vectors import WordVectors
from wordstill.vectors.pieces import fit_pieces
from wordstill.vectors.texts import text_vectors

WORDS = [
    "the",
    "river",
    "bank",
    "new_york",
    "state-of-the-art",
    "c++",
    "a b",
    "[UNK]",
    "back\\slash",
    "tab\tword",
    "東",
]
MATRIX = np.random.default_rng(3).standard_normal((len(WORDS), 16)).astype(np.float32)
CARD = {
    "teacher": "org/model",
    "licence": "apache-2.0",
    "settings": {"vocabulary": {"lowercase": True}},
    "title": '"quoted": # title',
}
TEXTS = {
    "The RIVER": ["the", "river"],
    "the river bank": ["the", "river", "bank"],
    "New York": ["new_york"],
    "state-of-the-art C++": ["state-of-the-art", "c++"],
    "東": ["東"],
    "": [],
    " ".join(["river", "bank", "bank"] * 400): ["river", "bank", "bank"] * 400,
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    save(WordVectors(WORDS, MATRIX, range(len(WORDS), 0, -1), CARD), tmp_path / "v")
    return tmp_path / "v"


def mean_of(words: list[str], divisor: int | None = None) -> Array:
    rows = MATRIX[[WORDS.index(word) for word in words]]
    return rows.sum(axis=0) / max(divisor or len(words), 1)


def test_sentence_transformers_takes_the_mean_of_the_words(folder: Path) -> None:
    sentence_transformers = pytest.importorskip("sentence_transformers")
    model = sentence_transformers.SentenceTransformer(str(folder), device="cpu")
    expected = np.stack([mean_of(words) for words in TEXTS.values()])
    np.testing.assert_allclose(model.encode(list(TEXTS)), expected, atol=1e-5)
    # An unknown word counts as a zero vector: half the length, the same direction.
    np.testing.assert_allclose(model.encode("river qqq"), mean_of(["river"], 2), atol=1e-6)


@pytest.mark.parametrize("normalize", [False, True])
def test_encode_gives_the_vectors_of_sentence_transformers(folder: Path, normalize: bool) -> None:
    sentence_transformers = pytest.importorskip("sentence_transformers")
    model = sentence_transformers.SentenceTransformer(str(folder), device="cpu")
    texts = [*TEXTS, "river qqq", "renew yorkshire's new york, a b!", "The\u00ad RIVER\x00bank (東) 'c++'"]
    expected = model.encode(texts, normalize_embeddings=normalize)
    np.testing.assert_allclose(load(folder).encode(texts, normalize=normalize), expected, atol=1e-5)


def test_encode_gives_the_directions_of_model2vec(folder: Path) -> None:
    model2vec = pytest.importorskip("model2vec")
    texts = [*TEXTS, "river qqq", "renew yorkshire's new york, a b!"]
    # model2vec leaves unknown words out of its mean: another length, the same direction.
    expected = model2vec.StaticModel.from_pretrained(folder, normalize=True).encode(texts)
    np.testing.assert_allclose(load(folder).encode(texts, normalize=True), expected, atol=1e-5)


def test_what_sentence_transformers_saves_is_read(folder: Path, tmp_path: Path) -> None:
    sentence_transformers = pytest.importorskip("sentence_transformers")
    sentence_transformers.SentenceTransformer(str(folder), device="cpu").save(str(tmp_path / "saved"))
    read = load(tmp_path / "saved")
    assert set(read.words) >= {"the", "river", "東"}
    np.testing.assert_array_equal(read["river"], MATRIX[1])


def test_model2vec_takes_the_mean_of_the_known_words(folder: Path) -> None:
    model2vec = pytest.importorskip("model2vec")
    model = model2vec.StaticModel.from_pretrained(folder)
    expected = np.stack([mean_of(words) for words in TEXTS.values()])
    np.testing.assert_allclose(model.encode(list(TEXTS)), expected, atol=1e-5)
    np.testing.assert_allclose(model.encode("river qqq"), mean_of(["river"]), atol=1e-6)
    assert model.base_model_name == "org/model"


# What a stored number may be off by: half a step of a row whose largest number is 3 or so.
OFF = {"float16": 2e-3, "int8": 1.5e-2}


@pytest.mark.parametrize("dtype", OFF)
def test_sentence_transformers_opens_smaller_numbers(tmp_path: Path, dtype: str) -> None:
    sentence_transformers = pytest.importorskip("sentence_transformers")
    if dtype == "int8":  # older ones do not multiply by the scales, and refuse int8
        pytest.importorskip("sentence_transformers", minversion="6.2")
    save(WordVectors(WORDS, MATRIX, card=CARD), tmp_path / "v", dtype=dtype)
    model = sentence_transformers.SentenceTransformer(str(tmp_path / "v"), device="cpu")
    stored = load(tmp_path / "v")
    np.testing.assert_allclose(model.encode("river"), stored["river"], rtol=1e-3)
    np.testing.assert_allclose(model.encode("the river bank"), mean_of(["the", "river", "bank"]), atol=OFF[dtype])
    np.testing.assert_allclose(model.encode("river qqq"), mean_of(["river"], 2), atol=OFF[dtype])


@pytest.mark.parametrize("dtype", OFF)
def test_model2vec_opens_smaller_numbers(tmp_path: Path, dtype: str) -> None:
    model2vec = pytest.importorskip("model2vec")
    save(WordVectors(WORDS, MATRIX, card=CARD), tmp_path / "v", dtype=dtype)
    model = model2vec.StaticModel.from_pretrained(tmp_path / "v")
    stored = load(tmp_path / "v")
    np.testing.assert_allclose(model.encode("river"), stored["river"], rtol=1e-3)
    np.testing.assert_allclose(model.encode("the river bank"), mean_of(["the", "river", "bank"]), atol=OFF[dtype])
    model.save_pretrained(tmp_path / "saved")
    np.testing.assert_allclose(load(tmp_path / "saved")["river"], stored["river"], rtol=1e-3)


@pytest.mark.parametrize("options", [{}, {"vocabulary_quantization": 4}, {"quantize_to": "int8"}], ids=str)
def test_what_model2vec_saves_is_read(folder: Path, tmp_path: Path, options: dict[str, int | str]) -> None:
    model2vec = pytest.importorskip("model2vec")
    if "vocabulary_quantization" in options:
        pytest.importorskip("sklearn")
    model = model2vec.StaticModel.from_pretrained(folder, **options)
    model.save_pretrained(tmp_path / "saved")
    read = load(tmp_path / "saved")
    expected = np.asarray(model.encode("river"), np.float32)
    np.testing.assert_allclose(read["river"], expected, rtol=1e-3, atol=1e-3)


@pytest.fixture
def for_texts(tmp_path: Path) -> Path:
    """Vectors with pieces: of "walk" + "ing" and the like, some of which are not in the table."""
    stems, endings = ["walk", "talk", "jump", "paint", "climb", "shout", "sail", "count"], ["ing", "er", "ed", "able"]
    random = np.random.default_rng(5)
    words = [*stems, *(stem + ending for stem in stems for ending in endings if (stem, ending) != ("walk", "ing"))]
    vectors = WordVectors(words, random.standard_normal((len(words), 16)).astype(np.float32), card=CARD)
    vectors.pieces = fit_pieces(vectors)
    save(vectors, tmp_path / "texts")
    return tmp_path / "texts"


UNKNOWN = ["Walking, talking and jumping", "climbers paint", "walk", "xyz walkable sailors"]


def test_sentence_transformers_cuts_unknown_words_into_pieces_as_wordstill_does(for_texts: Path) -> None:
    sentence_transformers = pytest.importorskip("sentence_transformers")
    model = sentence_transformers.SentenceTransformer(str(for_texts), device="cpu")
    ours = text_vectors(load(for_texts), UNKNOWN).matrix
    # A comma has no vector and counts as zeros here: the mean is shorter.
    np.testing.assert_allclose(unit_rows(model.encode(UNKNOWN)), unit_rows(ours), atol=1e-5)


def test_model2vec_cuts_unknown_words_into_pieces_as_wordstill_does(for_texts: Path) -> None:
    model2vec = pytest.importorskip("model2vec")
    model = model2vec.StaticModel.from_pretrained(for_texts)
    np.testing.assert_allclose(model.encode(UNKNOWN), text_vectors(load(for_texts), UNKNOWN).matrix, atol=1e-5)
