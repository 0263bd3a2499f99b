"""Pieces of words, and texts whose unknown words fall apart into them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from wordstill.arrays import Array, unit_rows
from wordstill.errors import InputError
from wordstill.formats import load, save
from wordstill.formats.tokenizer import tokenizer_of
from wordstill.vectors import WordVectors
from wordstill.vectors.pieces import Pieces, cut_word, fit_pieces
from wordstill.vectors.texts import text_vectors

STEMS = ["walk", "talk", "jump", "paint", "climb", "shout", "sail", "count", "melt", "bend", "fold", "rest"]
ENDINGS = ["ing", "er", "ed", "able"]


def made_vectors(without: tuple[str, ...] = ()) -> WordVectors:
    """Words whose vectors are sums over their parts."""
    random = np.random.default_rng(2)
    parts = {part: random.normal(size=12) for part in [*STEMS, *ENDINGS]}
    words = {stem: parts[stem] for stem in STEMS}
    words |= {stem + ending: parts[stem] + parts[ending] for stem in STEMS for ending in ENDINGS}
    kept = {word: vector for word, vector in words.items() if word not in without}
    return WordVectors(list(kept), np.array(list(kept.values()), dtype=np.float32), range(len(kept), 0, -1))


def test_an_unknown_word_is_the_sum_of_what_it_falls_apart_into() -> None:
    hidden = ("walking", "foldable", "sailer")
    vectors, whole = made_vectors(hidden), made_vectors()
    vectors.pieces = fit_pieces(vectors)
    assert vectors.pieces is not None
    found = text_vectors(vectors, hidden)
    cosines = (unit_rows(found.matrix) * unit_rows(whole[list(hidden)])).sum(axis=1)
    assert (cosines > 0.9).all(), cosines
    assert found.known.tolist() == [0, 0, 0], "none has a row of its own"


def test_words_are_cut_as_the_real_wordpiece_cuts() -> None:
    tokenizers = pytest.importorskip("tokenizers")
    words, pieces = ["walk", "a", "walker"], ["w", "##a", "##al", "##ers", "##s", "##e", "x"]
    rows = {word: row for row, word in enumerate(words)}
    numbers = {piece: number for number, piece in enumerate(pieces)}
    model = tokenizers.Tokenizer(
        tokenizers.models.WordPiece({**rows, **{p: 3 + n for p, n in numbers.items()}, "[UNK]": 10}, unk_token="[UNK]")
    )

    @given(some.text("walkersx", min_size=1, max_size=12))
    def check(word: str) -> None:
        row, found = cut_word(word, rows, numbers)
        ours = ([] if row is None else [row]) + [3 + number for number in found]
        assert model.encode(word).ids == (ours or [10])

    check()


def test_a_folder_keeps_its_pieces(tmp_path: Path) -> None:
    vectors = made_vectors()
    vectors.pieces = fit_pieces(vectors)
    assert vectors.pieces is not None
    for dtype in ("float32", "int8"):
        save(vectors, tmp_path / dtype, dtype=dtype)
        read = load(tmp_path / dtype)
        assert read.words == vectors.words
        assert read.pieces is not None
        assert read.pieces.names == vectors.pieces.names
        np.testing.assert_allclose(read.pieces.matrix, vectors.pieces.matrix, atol=2e-2)
        np.testing.assert_allclose(read.matrix, vectors.matrix, atol=3e-2)
    (tmp_path / "int8" / "pieces.txt").write_text("one\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"1 pieces in pieces\.txt"):
        load(tmp_path / "int8")


def test_the_tokenizer_of_a_folder_gives_the_rows_that_texts_are_made_of() -> None:
    tokenizers = pytest.importorskip("tokenizers")
    import json

    vectors = made_vectors(("walking",))
    vectors.pieces = fit_pieces(vectors)
    assert vectors.pieces is not None
    content = tokenizer_of(vectors.words, lowercase=True, pieces=vectors.pieces.names)
    tokenizer = tokenizers.Tokenizer.from_str(json.dumps(content))
    table = np.concatenate([vectors.matrix, vectors.pieces.matrix])
    texts = ["Walking and painting!", "jumper", "zzz walkwalked", "counting 東"]
    for text, ours in zip(texts, text_vectors(vectors, texts).matrix, strict=True):
        ids = [number for number in tokenizer.encode(text).ids if number < len(table)]
        np.testing.assert_allclose(ours, table[ids].mean(axis=0), atol=1e-5)


def test_too_few_words_have_no_pieces() -> None:
    assert fit_pieces(WordVectors(["sun", "moon"], np.eye(2, dtype=np.float32))) is None


def test_a_text_is_the_mean_of_its_words_and_phrases() -> None:
    words = ["new_york", "new", "river", "The"]
    vectors = WordVectors(words, np.eye(4, dtype=np.float32), card={"lowercase": True})
    found = text_vectors(vectors, ["New York river", "new river", "", "nothing"])
    expected: Array = np.array([[0.5, 0, 0.5, 0], [0, 0.5, 0.5, 0], [0, 0, 0, 0], [0, 0, 0, 0]])
    np.testing.assert_allclose(found.matrix, expected)
    assert found.words.tolist() == [2, 2, 0, 1]
    assert found.known.tolist() == [2, 2, 0, 0]


def test_pieces_that_nothing_was_learned_of_are_zeros() -> None:
    pieces = Pieces(["##a"], np.zeros((1, 2), dtype=np.float32))
    vectors = WordVectors(["b"], np.ones((1, 2), dtype=np.float32))
    vectors.pieces = pieces
    assert text_vectors(vectors, ["ba"]).matrix.tolist() == [[0.5, 0.5]]
