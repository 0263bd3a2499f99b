"""Vectors in spaCy: a folder that spacy.load opens, text that `spacy init vectors` takes, spaCy's own folders read."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from wordstill.errors import InputError
from wordstill.formats import detect, load, save
from wordstill.vectors import WordVectors

spacy = pytest.importorskip("spacy", reason="spaCy is not here: pip install 'wordstill[spacy]'")

WORDS = ["the", "river", "noun", "don't", "new york", "tab\tword", "a\x00", "東", "👩‍🔬"]
MATRIX = np.random.default_rng(3).standard_normal((len(WORDS), 16)).astype(np.float32)


def test_a_pipeline_finds_the_vectors_whatever_the_case(tmp_path: Path) -> None:
    save(WordVectors(WORDS, MATRIX, card={"language": "en"}), tmp_path / "v.spacy")
    pipeline = spacy.load(tmp_path / "v.spacy")
    assert pipeline.lang == "en"
    for word, row in zip(WORDS, MATRIX, strict=True):
        np.testing.assert_array_equal(pipeline.vocab.get_vector(word), row)
    document = pipeline("The RIVER")
    assert [token.has_vector for token in document] == [True, True]
    np.testing.assert_allclose(document.vector, MATRIX[:2].mean(axis=0), atol=1e-6)
    assert not pipeline("unheard")[0].has_vector
    expected = MATRIX[0] @ MATRIX[1] / np.linalg.norm(MATRIX[0]) / np.linalg.norm(MATRIX[1])
    assert document[0].similarity(document[1]) == pytest.approx(expected, abs=1e-5)


def test_words_with_capitals_are_found_as_they_are_written(tmp_path: Path) -> None:
    save(WordVectors(["River", "river", "NOUN"], MATRIX[:3]), tmp_path / "v.spacy")
    pipeline = spacy.load(tmp_path / "v.spacy")
    assert pipeline.lang == "xx"
    for word, row in zip(["River", "river", "NOUN"], MATRIX, strict=False):
        np.testing.assert_array_equal(pipeline(word)[0].vector, row)
    assert not pipeline("RIVER")[0].has_vector


def test_init_vectors_takes_the_text(tmp_path: Path) -> None:
    from spacy.cli.init_pipeline import init_vectors_cli

    save(WordVectors(["the", "river"], MATRIX[:2]), tmp_path / "v.txt")
    init_vectors_cli("en", tmp_path / "v.txt", tmp_path / "out", -1, 0, "default", None, False, None, "ORTH")
    np.testing.assert_array_equal(spacy.load(tmp_path / "out").vocab.get_vector("river"), MATRIX[1])
    read = load(tmp_path / "out")
    assert read.words == ["the", "river"]
    np.testing.assert_array_equal(read.matrix, MATRIX[:2])


def test_a_pruned_table_where_words_share_a_vector_is_read(tmp_path: Path) -> None:
    pipeline = spacy.blank("en")
    for word in ("the", "river", "stream"):
        pipeline.vocab.strings.add(word)
    pipeline.vocab.vectors = spacy.vectors.Vectors(data=MATRIX[:2].copy(), keys=["the", "river"])
    pipeline.vocab.vectors.add("stream", row=1)
    pipeline.vocab.to_disk(tmp_path / "vocabulary")
    assert detect(tmp_path / "vocabulary") == "spacy"
    read = load(tmp_path / "vocabulary")
    assert sorted(read.words) == ["river", "stream", "the"]
    np.testing.assert_array_equal(read["stream"], MATRIX[1])


def test_floret_vectors_have_no_words_and_are_refused(tmp_path: Path) -> None:
    pipeline = spacy.blank("en")
    pipeline.vocab.vectors = spacy.vectors.Vectors(data=MATRIX.copy(), mode="floret", minn=2, maxn=3)
    pipeline.to_disk(tmp_path / "floret")
    with pytest.raises(InputError, match="floret"):
        load(tmp_path / "floret")


def test_a_damaged_folder_is_refused(tmp_path: Path) -> None:
    save(WordVectors(WORDS, MATRIX), tmp_path / "v.spacy")
    (tmp_path / "v.spacy" / "vocab" / "vectors").write_bytes(b"\x93NUMPY")
    with pytest.raises(InputError, match="does not load as"):
        load(tmp_path / "v.spacy")
