"""Projector, numpy and parquet files that others wrote: read as they are meant, or refused with the reason."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from wordstill.errors import InputError
from wordstill.formats import detect, load, save
from wordstill.vectors import WordVectors


def small() -> WordVectors:
    return WordVectors(["the", "river"], np.array([[1.0, 2.0], [3.0, 4.0]], np.float32), [7, 5])


def test_numpy_alone_opens_the_pair(tmp_path: Path) -> None:
    save(small(), tmp_path / "v.npy")
    assert np.load(tmp_path / "v.npy").tolist() == [[1.0, 2.0], [3.0, 4.0]]
    lines = (tmp_path / "v.words.tsv").read_text(encoding="utf-8").splitlines()
    assert [line.split("\t") for line in lines] == [["the", "7"], ["river", "5"]]


def test_an_array_is_read_with_a_plain_list_of_words_and_stays_mapped(tmp_path: Path) -> None:
    np.save(tmp_path / "v.npy", np.arange(6, dtype=">f8").reshape(3, 2))
    (tmp_path / "v.words.txt").write_bytes(b"caf\xe9\r\na\\tb\r\na\xff")
    vectors = load(tmp_path / "v.npy")
    assert vectors.words == ["caf\ufffd", "a\tb", "a\ufffd"]
    assert vectors.matrix.tolist() == [[0, 1], [2, 3], [4, 5]]
    assert vectors.card["notes"] == [
        "1 words had escapes (\\\\ \\t \\n \\r), which were undone",
        "2 words were not UTF-8 and have replacement characters",
    ]
    save(small(), tmp_path / "own.npy")
    assert not load(tmp_path / "own.npy").matrix.flags.owndata


def test_arrays_that_are_no_vectors_are_refused(tmp_path: Path) -> None:
    np.save(tmp_path / "v.npy", np.ones((2, 2)))
    with pytest.raises(InputError, match=r"is an array without words: v\.words\.tsv"):
        load(tmp_path / "v.npy")
    (tmp_path / "v.words.txt").write_text("a\nb\nc\n")
    with pytest.raises(InputError, match=r"has 2 rows, and .* has 3 words"):
        load(tmp_path / "v.npy")
    np.save(tmp_path / "v.npy", np.ones(3))
    with pytest.raises(InputError, match="must be a matrix"):
        load(tmp_path / "v.npy")
    np.save(tmp_path / "v.npy", np.array([["a"], [None]], dtype=object), allow_pickle=True)
    with pytest.raises(InputError, match="does not load as an array of numbers"):
        load(tmp_path / "v.npy")
    save(small(), tmp_path / "cut.npy")
    (tmp_path / "cut.npy").write_bytes((tmp_path / "cut.npy").read_bytes()[:-4])
    with pytest.raises(InputError, match="does not load as an array"):
        load(tmp_path / "cut.npy")


def test_the_projector_gets_a_heading_with_counts_and_none_without(tmp_path: Path) -> None:
    save(small(), tmp_path / "vectors.tsv")
    assert (tmp_path / "vectors.tsv").read_text() == "1\t2\n3\t4\n"
    assert (tmp_path / "metadata.tsv").read_text() == "word\tcount\nthe\t7\nriver\t5\n"
    save(WordVectors(["the", "river"], small().matrix), tmp_path / "other.tsv")
    assert (tmp_path / "other_metadata.tsv").read_text() == "the\nriver\n"
    assert load(tmp_path).words == ["the", "river"]  # the folder of vectors.tsv and metadata.tsv


def test_a_projector_pair_with_more_columns_is_read(tmp_path: Path) -> None:
    (tmp_path / "x_tensor.tsv").write_bytes(b"0.5\t1\r\n-2\t1e-3\r\n")
    (tmp_path / "x_metadata.tsv").write_bytes(b"label\tclass\tCount\r\nthe\tDET\t7\r\nriver\tNOUN\t5\r\n")
    vectors = load(tmp_path / "x_tensor.tsv")
    assert vectors.words == ["the", "river"]
    assert vectors.counts is not None
    assert vectors.counts.tolist() == [7, 5]
    np.testing.assert_array_equal(vectors.matrix, np.array([[0.5, 1], [-2, 1e-3]], np.float32))


def test_gensim_writes_a_pair_that_is_read(tmp_path: Path) -> None:
    script = pytest.importorskip("gensim.scripts.word2vec2tensor")
    save(small(), tmp_path / "v.txt")
    script.word2vec2tensor(str(tmp_path / "v.txt"), str(tmp_path / "x"))
    assert detect(tmp_path / "x_tensor.tsv") == "projector"
    vectors = load(tmp_path / "x_tensor.tsv")
    assert vectors.words == ["the", "river"]
    assert vectors.matrix.tolist() == [[1.0, 2.0], [3.0, 4.0]]


@pytest.mark.parametrize(
    ("numbers", "metadata", "message"),
    [
        (b"1\t2\n3\n", b"a\nb\n", "must have 2 numbers with tabs"),
        (b"1\t2\n3\tx\n", b"a\nb\n", "must have 2 numbers with tabs"),
        (b"1\t2\n3\t4\n", b"a\n", "has 2 lines, and .* has 1 words"),
        (b"1\t2\n3\t4\n", b"word\tx\na\tb\nc\n", "must have 2 columns"),
        (b"1\t2\n", b"word\tcount\na\tmany\n", "not 'many'"),
    ],
)
def test_a_pair_that_does_not_fit_is_refused(tmp_path: Path, numbers: bytes, metadata: bytes, message: str) -> None:
    (tmp_path / "vectors.tsv").write_bytes(numbers)
    (tmp_path / "metadata.tsv").write_bytes(metadata)
    with pytest.raises(InputError, match=message):
        load(tmp_path / "vectors.tsv")


def test_pyarrow_finds_three_columns_and_the_card(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    vectors = small()
    vectors.card["method"] = "closed"
    save(vectors, tmp_path / "v.parquet")
    assert parquet.read_table(tmp_path / "v.parquet").to_pylist() == [
        {"word": "the", "count": 7, "vector": [1.0, 2.0]},
        {"word": "river", "count": 5, "vector": [3.0, 4.0]},
    ]
    assert load(tmp_path / "v.parquet").card == {"method": "closed"}


def test_many_row_groups_are_read_like_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyarrow")
    from wordstill.formats import parquet

    monkeypatch.setattr(parquet, "ROWS_A_GROUP", 3)
    vectors = WordVectors([str(n) for n in range(10)], np.arange(20, dtype=np.float16).reshape(10, 2), range(10))
    save(vectors, tmp_path / "v.parquet")
    assert load(tmp_path / "v.parquet").matrix.tolist() == vectors.matrix.tolist()


def test_parquet_of_others_is_read_by_the_kind_of_its_columns(tmp_path: Path) -> None:
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    columns = {"id": [1, 2, 3], "token": ["a", "b", "a"], "embedding": [[1, 2], [3, 4], [5, 6]]}
    parquet.write_table(arrow.table(columns), tmp_path / "v.parquet")
    vectors = load(tmp_path / "v.parquet")
    assert vectors.words == ["a", "b"]
    assert vectors.matrix.tolist() == [[1, 2], [3, 4]]
    assert vectors.card["notes"] == ["1 words came twice; the first of each was kept"]


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"word": ["a"], "size": [1]}, "must have a column of text and one of lists"),
        ({"word": ["a", "b"], "vector": [[1.0], [1.0, 2.0]]}, "vectors of 1 and of 2 numbers"),
        ({"word": ["a", None], "vector": [[1.0], [2.0]]}, "rows without a word"),
        ({"word": ["a", "b"], "vector": [[1.0], [None]]}, "numbers are missing"),
        ({"word": ["a"], "vector": [["x"]]}, "lists of string"),
    ],
)
def test_parquet_that_is_no_table_of_vectors_is_refused(
    tmp_path: Path, columns: dict[str, list[object]], message: str
) -> None:
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    parquet.write_table(arrow.table(columns), tmp_path / "v.parquet")
    with pytest.raises(InputError, match=message):
        load(tmp_path / "v.parquet")


def test_parquet_text_that_is_not_utf8_is_noted(tmp_path: Path) -> None:
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    words = arrow.array([b"ok", b"caf\xe9"], arrow.binary()).view(arrow.string())
    parquet.write_table(arrow.table({"word": words, "vector": [[1.0], [2.0]]}), tmp_path / "v.parquet")
    vectors = load(tmp_path / "v.parquet")
    assert vectors.words == ["ok", "caf\ufffd"]
    assert vectors.card["notes"] == ["1 words were not UTF-8 and have replacement characters"]


def test_a_cut_parquet_file_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    save(small(), tmp_path / "v.parquet")
    (tmp_path / "v.parquet").write_bytes((tmp_path / "v.parquet").read_bytes()[:-4])
    with pytest.raises(InputError, match="was cut off"):
        load(tmp_path / "v.parquet")


@pytest.mark.parametrize(("name", "package"), [("v.parquet", "pyarrow"), ("v.spacy", "spacy")])
def test_a_missing_package_is_named_with_the_way_to_get_it(
    tmp_path: Path, name: str, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(InputError, match=r"needs (pyarrow|spaCy): pip install 'wordstill\[(corpora|spacy)\]'"):
        save(small(), tmp_path / name)
