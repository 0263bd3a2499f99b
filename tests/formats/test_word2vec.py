"""word2vec text and binary and GloVe text, against gensim in both directions."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from ugly_vectors import any_vectors, assert_same

from wordstill.errors import InputError
from wordstill.formats import detect, load, save, word_table
from wordstill.vectors import WordVectors

gensim = pytest.importorskip("gensim.models.keyedvectors")

KINDS = {"word2vec": "v.txt", "word2vec-binary": "v.bin", "glove": "v.txt"}


def read_with_gensim(path: Path, kind: str) -> WordVectors:
    read = gensim.KeyedVectors.load_word2vec_format(
        str(path), binary=kind == "word2vec-binary", no_header=kind == "glove"
    )
    return WordVectors(read.index_to_key, read.vectors)


def write_with_gensim(vectors: WordVectors, path: Path, kind: str) -> None:
    keyed = gensim.KeyedVectors(vectors.vector_size)
    keyed.add_vectors(vectors.words, vectors.matrix)
    keyed.save_word2vec_format(
        str(path), binary=kind == "word2vec-binary", write_header=kind != "glove", sort_attr="no"
    )


# gensim leaves files open when it reads GloVe's.
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("zipped", ["", ".gz"])
@settings(max_examples=50)
@given(vectors=any_vectors(one_token=True))
def test_ugly_words_and_numbers_survive_the_round_trip_here_and_in_gensim(
    tmp_path_factory: pytest.TempPathFactory, kind: str, zipped: str, vectors: WordVectors
) -> None:
    if not len(vectors) and kind == "glove":
        return  # an empty file, which load refuses
    path = tmp_path_factory.mktemp("round") / (KINDS[kind] + zipped)
    save(vectors, path, format=kind)
    assert_same(load(path), vectors)
    if len(vectors):  # gensim cannot read a file of no words
        assert_same(read_with_gensim(path, kind), vectors)


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=50)
@given(vectors=any_vectors(one_token=True).filter(len))
def test_what_gensim_writes_is_read(tmp_path_factory: pytest.TempPathFactory, kind: str, vectors: WordVectors) -> None:
    path = tmp_path_factory.mktemp("theirs") / "vectors"
    write_with_gensim(vectors, path, kind)
    if kind == "glove" and vectors.vector_size == 1 and detect(path) == "word2vec":
        return  # "2 1.0" never; gensim may write an integer word and nothing that tells it from a first line
    assert_same(load(path), vectors)


@pytest.mark.parametrize("kind", KINDS)
def test_many_blocks_are_read_like_one(tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from wordstill.formats import word2vec, word2vec_binary

    rng = np.random.default_rng(0)
    vectors = WordVectors([f"w{n}" for n in range(3000)], rng.standard_normal((3000, 7)).astype(np.float32))
    for module in (word_table, word2vec, word2vec_binary):
        monkeypatch.setattr(module, "BLOCK_BYTES", 100)
    save(vectors, tmp_path / "v", format=kind)
    assert_same(load(tmp_path / "v"), vectors)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("word", ["", "new york", "line\nbreak", "\ud800"])
def test_a_word_the_format_cannot_hold_is_refused_by_name(tmp_path: Path, kind: str, word: str) -> None:
    with pytest.raises(InputError) as caught:
        save(WordVectors(["fine", word], np.ones((2, 2))), tmp_path / "v", format=kind)
    assert repr(word) in str(caught.value)
    assert not list(tmp_path.iterdir())


def test_nan_is_kept(tmp_path: Path) -> None:
    for name in ("v.txt", "v.bin"):
        save(WordVectors(["a", "b"], np.array([[np.nan, 1.0], [2.0, np.nan]])), tmp_path / name)
        assert np.isnan(load(tmp_path / name).matrix).tolist() == [[True, False], [False, True]]


def test_gzipped_files_are_the_same_bytes_each_time(tmp_path: Path) -> None:
    for name in ("first.txt.gz", "second.txt.gz"):
        save(WordVectors(["a"], np.ones((1, 2))), tmp_path / name)
    assert (tmp_path / "first.txt.gz").read_bytes() == (tmp_path / "second.txt.gz").read_bytes()


def loaded(path: Path, content: bytes) -> WordVectors:
    path.write_bytes(content)
    return load(path)


READ = {
    "trailing spaces, as word2vec and fastText write": b"2 2\nthe 0.1 0.2 \nof 0.3 0.4 \n",
    "returns before newlines": b"2 2\r\nthe 0.1 0.2\r\nof 0.3 0.4\r\n",
    "tabs": b"2 2\nthe\t0.1\t0.2\nof\t0.3\t0.4\n",
    "doubled spaces": b"2 2\nthe  0.1   0.2\nof 0.3 0.4\n",
    "empty lines": b"2 2\nthe 0.1 0.2\n\nof 0.3 0.4\n\n",
    "no first line": b"the 0.1 0.2\nof 0.3 0.4\n",
}


@pytest.mark.parametrize("head", [b"2 2\n", b""], ids=["word2vec", "GloVe"])
def test_a_file_that_is_cut_inside_its_last_number_is_refused(tmp_path: Path, head: bytes) -> None:
    whole = head + b"the 0.1 0.2\nof 0.3 0.456\n"
    assert loaded(tmp_path / "v", whole).matrix[1, 1] == np.float32(0.456)
    for cut in range(1, 6):
        with pytest.raises(InputError, match="cut off"):
            loaded(tmp_path / "v", whole[:-cut])


@pytest.mark.parametrize("content", READ.values(), ids=READ.keys())
def test_the_habits_of_other_writers_are_read(tmp_path: Path, content: bytes) -> None:
    vectors = loaded(tmp_path / "v", content)
    assert vectors.words == ["the", "of"]
    np.testing.assert_array_equal(vectors.matrix, np.array([[0.1, 0.2], [0.3, 0.4]], np.float32))
    assert vectors.card == {}


def test_a_first_line_of_two_numbers_may_be_a_word_of_a_glove_file(tmp_path: Path) -> None:
    assert loaded(tmp_path / "v", b"2 3\nthe 5\n").words == ["2", "the"]
    assert loaded(tmp_path / "v", b"2 3 4\nthe 5 6\n").words == ["2", "the"]
    assert loaded(tmp_path / "v", b"1 1\nthe 5\n").words == ["the"]


def test_a_glove_word_with_spaces_is_read_whole(tmp_path: Path) -> None:
    vectors = loaded(tmp_path / "v", b". . . 0.1 0.2\nthe 0.3 0.4\nat a@b.c 0.5 0.6\n")
    assert vectors.words == [". . .", "the", "at a@b.c"]


def test_words_that_are_not_utf8_and_words_that_come_twice_are_noted(tmp_path: Path) -> None:
    vectors = loaded(tmp_path / "v", b"4 1\ncaf\xe9 1.5\na 2\nb 3\na 4\n")
    assert vectors.words == ["caf\ufffd", "a", "b"]
    assert vectors.matrix.tolist() == [[1.5], [2.0], [3.0]]
    assert vectors.card["notes"] == [
        "1 words were not UTF-8 and have replacement characters",
        "1 words came twice; the first of each was kept",
    ]
    binary = loaded(tmp_path / "b", b"2 2\n\xff\xfe \x00\x00\x80?\x00\x00\x00@\na \x00\x00\x80?\x00\x00\x00@\n")
    assert binary.words == ["\ufffd\ufffd", "a"]
    assert "not UTF-8" in binary.card["notes"][0]


BROKEN = {
    "too few lines": (b"3 2\nthe 0.1 0.2\nof 0.3 0.4\n", "promises 3 words in its first line and has 2"),
    "too many lines": (b"1 2\nthe 0.1 0.2\nof 0.3 0.4\n", "promises 1 words in its first line and has 2"),
    "a short last line": (b"2 3\nthe 0.1 0.2 0.5\nof 0.3 0.4", "line 3 of .* has 2 numbers and not 3"),
    "a short first line": (b"2 3\nthe 0.1\nof a 0.3 0.4 0.5", "line 2 of .* has 1 numbers and not 3"),
    "a line cut within a word": (b"2 2\nthe 0.1 0.2\nof", "line 3 of .* has 0 numbers and not 2"),
    "not a number": (b"2 2\nthe 0.1 0.2\nof 0.3 o.4\n", "line 3 of .*: 'o.4' is not a number"),
    "short lines of a GloVe file": (b"the 0.1 0.2 0.3\nof 0.1 0.2 0.3\na 0.1\n" * 60, "line 3 of .* has 1 numbers"),
    "no dimensions": (b"2 0\na\nb\n", "claims 0 dimensions"),
    "absurd dimensions": (b"1 99999999999\na \x00\x01", "claims 99999999999 dimensions"),
    "binary cut off": (b"2 2\na \x00\x00\x80?\x00\x00\x00@b \x00\x00", "promises 2 words .* has 1 whole ones"),
    "binary of a lying count": (b"99999999999 2\na \x00\x00\x80?\x00\x00\x00@", "promises 99999999999 words"),
    "binary that goes on": (b"1 2\na \x00\x00\x80?\x00\x00\x00@b \x00\x00", "goes on after the 1 words"),
    "cut gzip": (gzip.compress(b"1 2\na 0.1 0.2\n" * 9)[:-9], "is a damaged gzip file"),
}


@pytest.mark.parametrize(("content", "message"), BROKEN.values(), ids=BROKEN.keys())
def test_a_broken_file_is_refused_with_the_place_and_the_reason(tmp_path: Path, content: bytes, message: str) -> None:
    with pytest.raises(InputError, match=message):
        loaded(tmp_path / "v.txt", content)
