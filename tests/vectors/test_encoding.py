"""WordVectors.encode: the words, the means and the memory; tokenizers is the judge of what a word is."""

from __future__ import annotations

import json
import pickle
import unicodedata
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wordstill.corpus.segment import find_words
from wordstill.errors import InputError
from wordstill.formats.tokenizer import tokenizer_of
from wordstill.vectors import WordVectors, encoding, text_words
from wordstill.vectors.text_words import TextWords

tokenizers = pytest.importorskip("tokenizers")

WORDS = [
    "the",
    "river",
    "bank",
    "new_york",
    "york city",
    "new",
    "c++",
    "1914-1918",
    "don't",
    "東",
    "café",
    ".",
    "[unk]",
]
MATRIX = np.random.default_rng(5).standard_normal((len(WORDS), 8)).astype(np.float32)
VECTORS = WordVectors(WORDS, MATRIX, range(len(WORDS), 0, -1))
# Pieces that meet in texts: words, parts of phrases, marks, joiners, controls and blanks of every kind.
PIECES = [
    *("new york", "anew", "New", "YORK city", "York  City", "york", "renew york city", "1914-1918", "1914-1918s"),
    *("river", "RIVER", "river.", "don't", "don’t", "C++", "c#", "U.S.", "end.Next", "10,000", "1,2", "東京", "ΣΑΣ"),
    *(" ", "  ", "\t", "\n", "\x00", "\x1c", "\x85", "\xa0", "\u3000", "\u200d", "\u200c", "\u00ad", "\ufeff", "_"),
    *(
        "é",
        "e\u0301",
        "²",
        "Ⓐ",
        "İ",
        "'s",
        "-",
        "--",
        "...",
        "(",
        "👍🏽",
        "\U0001f1eb\U0001f1f7",
        "www.x.org/a,",
        "a" * 150,
    ),
]
TEXTS = st.lists(st.sampled_from(PIECES) | st.text(max_size=4), max_size=8).map("".join)


def rows_of_tokenizers(words: list[str], text: str, lowercase: bool, whitespace: bool) -> list[int]:
    content = json.dumps(tokenizer_of(words, lowercase, whitespace))
    ids = tokenizers.Tokenizer.from_str(content).encode(text, add_special_tokens=False).ids
    return [-1 if number == len(words) else number for number in ids]


def vectors_cut_as(lowercase: bool, whitespace: bool, words: list[str] = WORDS) -> WordVectors:
    card = {"lowercase": lowercase, "words": "whitespace" if whitespace else "unicode"}
    return WordVectors(words, np.zeros((len(words), 2), np.float32), card=card)


@settings(max_examples=300)
@given(TEXTS, st.booleans(), st.booleans())
def test_words_are_those_that_the_saved_tokenizer_finds(text: str, lowercase: bool, whitespace: bool) -> None:
    text = "".join(letter for letter in text if unicodedata.category(letter) not in ("Cs", "Cn"))
    found = TextWords(vectors_cut_as(lowercase, whitespace)).rows(text)
    assert found == rows_of_tokenizers(WORDS, text, lowercase, whitespace)


@given(
    st.text("abW.,;:!?)('-+#/&@0 \u00e9", max_size=8)
    | st.sampled_from(["Ph.D.", "U.S.", "c#", "www.", "x..", "https:"])
)
def test_stretches_of_letters_and_a_mark_are_cut_as_all_others(text: str) -> None:
    assert text_words._find_words(text) == find_words(text)


@settings(max_examples=50)
@given(TEXTS, st.booleans())
def test_many_phrases_are_found_as_few_are(text: str, whitespace: bool) -> None:
    text = "".join(letter for letter in text if unicodedata.category(letter) not in ("Cs", "Cn"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_words, "_FEW_HEADS", 0)
        found = TextWords(vectors_cut_as(True, whitespace)).rows(text)
    assert found == rows_of_tokenizers(WORDS, text, True, whitespace)


@given(TEXTS)
def test_a_vocabulary_without_phrases_takes_the_short_way_to_the_same_words(text: str) -> None:
    words = [word for word in WORDS if word not in ("new_york", "york city", "1914-1918")]
    text = "".join(letter for letter in text if unicodedata.category(letter) not in ("Cs", "Cn"))
    found = TextWords(vectors_cut_as(True, False, words)).rows(text)
    assert found == rows_of_tokenizers(words, text, True, False)


@pytest.mark.parametrize("text", ["anew york city", "renew york new york", "new york's", "(new york)", "new york city"])
def test_a_phrase_that_stands_inside_a_word_is_passed_over(text: str) -> None:
    assert TextWords(VECTORS).rows(text) == rows_of_tokenizers(WORDS, text, True, False)


def test_what_goes_on_beside_a_phrase_is_what_tokenizers_takes_for_part_of_a_word() -> None:
    letters = [chr(code) for code in [*range(0x21, 0x600), *range(0x900, 0x980), *range(0x2000, 0x2500)]]
    letters = [letter for letter in letters if unicodedata.category(letter) not in ("Cn", "Cc", "Cf", "Zs", "Zl", "Zp")]
    tokenizer = tokenizers.Tokenizer.from_str(json.dumps(tokenizer_of(["a b"], False)))
    expected = [0 in one.ids for one in tokenizer.encode_batch([f"a b{letter}" for letter in letters])]
    words = TextWords(vectors_cut_as(False, False, ["a b"]))
    assert [0 in words.rows(f"a b{letter}") for letter in letters] == expected


def test_a_text_is_the_mean_of_its_words_and_an_unknown_one_counts_as_zeros() -> None:
    np.testing.assert_allclose(VECTORS.encode("The river qqq"), (MATRIX[0] + MATRIX[1]) / 3, rtol=1e-6)
    np.testing.assert_array_equal(VECTORS.encode(["", "qqq", "bank"]), [np.zeros(8), np.zeros(8), MATRIX[2]])
    assert VECTORS.encode([]).shape == (0, 8)


def test_normalized_vectors_have_length_one_or_none() -> None:
    encoded = VECTORS.encode(["the river", "qqq"], normalize=True)
    np.testing.assert_allclose(np.linalg.norm(encoded, axis=1), [1.0, 0.0], atol=1e-6)


def test_rules_answer_for_words_outside_the_table() -> None:
    expected = (MATRIX[1] + (MATRIX[1] + MATRIX[2]) / 2) / 3
    encoded = VECTORS.encode(["river riverbank qqq", "the"], oov="pieces")
    np.testing.assert_allclose(encoded, [expected, MATRIX[0]], rtol=1e-5)
    with pytest.raises(InputError, match="oov is a list of"):
        VECTORS.encode("river", oov="guess")


def test_batches_hold_no_more_texts_than_they_say_and_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = []

    def texts() -> Iterator[str]:
        for number in range(50):
            drawn.append(number)
            yield f"the river bank {number} riverbank"

    expected = VECTORS.encode(list(texts()), oov="pieces")
    # Almost nothing is kept between batches.
    monkeypatch.setattr(text_words, "KEPT_CHARACTERS", 10)
    monkeypatch.setattr(encoding, "_BLOCK_ROWS", 2)
    drawn.clear()
    batches = VECTORS.encode_batches(texts(), oov="pieces", batch_size=7)
    first = next(batches)
    assert len(first) == len(drawn) == 7
    np.testing.assert_allclose(np.concatenate([first, *batches]), expected, rtol=1e-6)


def test_a_batch_ends_where_its_texts_are_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoding, "BATCH_CHARACTERS", 20)
    assert [len(batch) for batch in VECTORS.encode_batches(["the river"] * 5)] == [3, 2]


def test_what_is_no_text_is_refused_in_a_sentence() -> None:
    with pytest.raises(InputError, match="text 1 is no string but of type int"):
        VECTORS.encode(["a", 1])  # type: ignore[list-item]
    with pytest.raises(InputError, match="batch_size"):
        VECTORS.encode(["a"], batch_size=0)


@pytest.mark.parametrize("dtype", ["float16", "float64"])
def test_sums_are_not_rounded_to_half_precision(dtype: str) -> None:
    vectors = WordVectors(WORDS, MATRIX.astype(dtype))
    encoded = vectors.encode(" ".join(["river"] * 5000))
    assert encoded.dtype == np.result_type(np.float32, dtype)
    np.testing.assert_allclose(encoded, vectors["river"].astype(encoded.dtype), rtol=1e-4)


def test_vectors_that_have_encoded_can_be_pickled() -> None:
    vectors = WordVectors(WORDS, MATRIX)
    expected = vectors.encode(["the river"])
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(vectors)).encode(["the river"]), expected)  # noqa: S301
