"""Every format that is written: what goes in comes out to the last bit, or is refused and nothing is written."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ugly_vectors import any_vectors, assert_same, one_row
from written_formats import EVERY_FORMAT, place_for

from wordstill.arrays import row_squares
from wordstill.errors import InputError
from wordstill.formats import FORMATS, TYPES, detect, load, save
from wordstill.vectors import WordVectors

NUMBERED = {"folder", "numpy", "parquet"}  # formats that keep the type of the numbers


def written(vectors: WordVectors, path: Path, name: str) -> bool:
    """Whether it could be written; where not, nothing may be there."""
    try:
        save(vectors, path, format=name)
    except InputError:
        assert not list(path.parent.iterdir())
        return False
    return True


def must_be_held(vectors: WordVectors, name: str) -> bool:
    """What the documentation promises that a format holds."""
    if not len(vectors):
        return name not in ("glove", "projector", "spacy")
    if name == "fasttext" and not np.isfinite(row_squares(vectors.matrix)).all():
        return False
    return all(FORMATS[name].holds(word) for word in vectors.words)


@pytest.mark.slow
@EVERY_FORMAT
@settings(max_examples=40)
@given(vectors=any_vectors() | any_vectors(one_token=True))
def test_ugly_words_numbers_and_counts_survive_or_are_refused(
    tmp_path_factory: pytest.TempPathFactory, name: str, vectors: WordVectors
) -> None:
    path = place_for(tmp_path_factory.mktemp("round"), name)
    assert written(vectors, path, name) == must_be_held(vectors, name)
    if not path.exists():
        return
    assert detect(path) == {"fasttext": "word2vec"}.get(name, name) or not len(vectors)
    read = load(path)
    assert_same(read, vectors)
    if FORMATS[name].keeps_counts and len(vectors):
        assert (read.counts is None) == (vectors.counts is None)
        np.testing.assert_array_equal(read.counts, vectors.counts)


@EVERY_FORMAT
@settings(max_examples=25)
@given(data=st.data())
def test_every_held_word_may_be_the_first_word_and_the_only_one(
    tmp_path_factory: pytest.TempPathFactory, name: str, data: st.DataObject
) -> None:
    vectors = data.draw(one_row(FORMATS[name].holds))
    path = place_for(tmp_path_factory.mktemp("one"), name)
    save(vectors, path, format=name)
    assert_same(load(path), vectors)


@EVERY_FORMAT
def test_a_word_of_a_million_characters_comes_first_and_survives(tmp_path: Path, name: str) -> None:
    vectors = WordVectors(["長" * 1_000_000, "short"], np.array([[1.5, 2.0], [0.0, -1.0]], np.float32), [2, 1])
    save(vectors, place_for(tmp_path, name), format=name)
    assert_same(load(place_for(tmp_path, name)), vectors)


@EVERY_FORMAT
def test_a_word_that_stands_twice_and_broken_unicode_are_refused_everywhere(tmp_path: Path, name: str) -> None:
    for words, message in ((["a", "a"], "'a' stands twice"), (["a", "\ud800"], "not valid Unicode")):
        with pytest.raises(InputError, match=message):
            save(WordVectors(words, np.ones((2, 2), np.float32)), place_for(tmp_path, name), format=name)
        assert not list(tmp_path.iterdir())


@EVERY_FORMAT
def test_nan_is_kept_or_refused(tmp_path: Path, name: str) -> None:
    vectors = WordVectors(["a", "b"], np.array([[np.nan, 1.0], [2.0, np.inf]], np.float32))
    if written(vectors, place_for(tmp_path, name), name):
        np.testing.assert_array_equal(load(place_for(tmp_path, name)).matrix, vectors.matrix)
    else:
        assert name == "fasttext"


@EVERY_FORMAT
def test_a_double_that_float32_cannot_hold_never_becomes_infinite(tmp_path: Path, name: str) -> None:
    vectors = WordVectors(["a", "b"], np.array([[1e300, 1.0], [2.0, 3.0]]))
    if written(vectors, place_for(tmp_path, name), name):
        assert load(place_for(tmp_path, name)).matrix[0, 0] == 1e300
        assert name in NUMBERED
    else:
        assert name not in NUMBERED


@EVERY_FORMAT
@pytest.mark.parametrize("dtype", TYPES)
def test_the_type_asked_for_is_stored_or_refused(tmp_path: Path, name: str, dtype: str) -> None:
    vectors = WordVectors(["a", "b"], np.array([[0.5, -127.0], [2.0, 1.0]], np.float32), [2, 1])
    path = place_for(tmp_path, name)
    if dtype not in FORMATS[name].types:
        with pytest.raises(InputError, match=rf"{name} holds .*, not {dtype}"):
            save(vectors, path, format=name, dtype=dtype)
        return
    save(vectors, path, format=name, dtype=dtype)
    read = load(path)
    assert read.matrix.dtype == ("float32" if dtype == "int8" else dtype)
    np.testing.assert_allclose(read.matrix, vectors.matrix, atol=0.5 if dtype == "int8" else 0)


@EVERY_FORMAT
def test_a_read_only_map_of_another_type_can_be_written(tmp_path: Path, name: str) -> None:
    vectors = WordVectors(["a", "b"], np.array([[0.5, -127.0], [2.0, 1.0]], np.float16), [2, 1])
    save(vectors, tmp_path / "half")
    path = place_for(tmp_path, name)
    save(load(tmp_path / "half"), path, format=name)
    np.testing.assert_array_equal(load(path).matrix, vectors.matrix)


@EVERY_FORMAT
def test_the_same_vectors_make_the_same_bytes(tmp_path: Path, name: str) -> None:
    vectors = WordVectors(["b", "a"], np.array([[0.5, -127.0], [2.0, 1.0]], np.float32), [2, 1])
    contents = []
    for folder in (tmp_path / "first", tmp_path / "second"):
        save(vectors, place_for(folder, name), format=name)
        contents.append({file.relative_to(folder): file.read_bytes() for file in folder.rglob("*") if file.is_file()})
    assert contents[0] == contents[1]
