from __future__ import annotations

import numpy as np
import pytest
from gensim.models import KeyedVectors

from wordstill import WordVectors
from wordstill.errors import InputError
from wordstill.evaluation.harnesses import letters_and_digits
from wordstill.evaluation.space import Space, make_space

CORNERS = np.eye(4, dtype=np.float32)


def test_a_word_with_nan_or_infinity_is_missing_and_never_an_answer() -> None:
    matrix = CORNERS.copy()
    matrix[1, 0], matrix[2, 0] = np.nan, np.inf
    space = Space("v", ["a", "b", "c", "d"], matrix)
    assert space.find(["a", "b", "c", "d"]).tolist() == [0, -1, -1, 3]
    assert space.candidates.tolist() == [0, 3]
    assert space.notes == ["v: 2 words have a vector with NaN or infinity, counted as missing."]


def test_a_zero_vector_is_missing() -> None:
    matrix = CORNERS.copy()
    matrix[2] = 0
    space = Space("v", ["a", "b", "c", "d"], matrix)
    assert space.find(["c", "d"]).tolist() == [-1, 3]
    assert space.notes == ["v: 1 word has a vector of zeros, counted as missing."]


def test_the_first_row_of_a_word_that_stands_twice_counts() -> None:
    space = make_space("v", WordVectors(["a", "b", "a", "c"], CORNERS))
    assert space.find(["a"]).tolist() == [0]
    assert space.candidates.tolist() == [0, 1, 3]
    assert "1 rows are of words that stand more than once" in space.notes[0]


def test_a_lowercase_vocabulary_finds_capitalised_words() -> None:
    assert Space("v", ["athens", "iraq", "b", "c"], CORNERS).find(["Athens", "IRAQ"]).tolist() == [0, 1]


def test_a_few_special_tokens_in_capitals_do_not_make_a_vocabulary_cased() -> None:
    words = ["[PAD]", *(f"w{number}" for number in range(200)), "athens"]
    assert Space("v", words, np.ones((202, 2))).find(["Athens"]).tolist() == [201]


def test_a_cased_vocabulary_does_not_take_the_bird_for_the_country() -> None:
    space = Space("v", ["turkey", "Greece", "Athens", "Ankara"], CORNERS)
    assert space.find(["Turkey", "Athens", "athens"]).tolist() == [-1, 2, -1]


def test_ignoring_case_the_first_of_the_variants_counts() -> None:
    space = Space("v", ["Turkey", "turkey", "TURKEY", "b"], CORNERS, case="ignore")
    assert space.find(["turkey", "tURKEY", "B"]).tolist() == [0, 0, 3]
    assert space.candidates.tolist() == [0, 3]


def test_exact_case_finds_only_the_word_as_it_is() -> None:
    assert Space("v", ["athens", "b", "c", "d"], CORNERS, case="exact").find(["Athens"]).tolist() == [-1]


def test_top_cuts_the_vocabulary() -> None:
    space = Space("v", ["a", "b", "c", "d"], CORNERS, top=2)
    assert space.find(["b", "c"]).tolist() == [1, -1]
    assert space.candidates.tolist() == [0, 1]


def test_unit_vectors_have_length_one_and_missing_words_zeros() -> None:
    space = Space("v", ["a", "b"], np.array([[3, 4], [0, 2]], dtype=np.int64))
    np.testing.assert_allclose(space.unit(np.array([0, -1, 1])), [[0.6, 0.8], [0, 0], [0, 1]], rtol=1e-6)
    np.testing.assert_allclose(space.unit_or_mean(np.array([-1])), [[0.3, 0.9]], rtol=1e-6)


@pytest.mark.parametrize("scale", [1e-30, 1e30])
def test_very_short_and_very_long_vectors_are_vectors(scale: float) -> None:
    matrix = np.array([[3.0, 4.0], [1.0, 0.0]], dtype=np.float32)
    space = Space("v", ["a", "b"], matrix * np.float32(scale))
    np.testing.assert_allclose(space.unit(np.array([0, 1])), [[0.6, 0.8], [1, 0]], rtol=1e-6)
    assert space.notes == []


def test_half_precision_and_memory_maps_are_read(tmp_path: object) -> None:
    path = f"{tmp_path}/matrix.npy"
    np.save(path, CORNERS.astype(np.float16))
    space = Space("v", ["a", "b", "c", "d"], np.load(path, mmap_mode="r"))
    assert space.unit(np.array([2])).dtype == np.float32
    assert space.candidates.tolist() == [0, 1, 2, 3]


def test_mappings_and_keyed_vectors_are_vectors_too() -> None:
    keyed = KeyedVectors(4)
    keyed.add_vectors(["a", "b", "c", "d"], CORNERS)
    assert make_space("v", keyed).find(["c"]).tolist() == [2]
    assert make_space("v", {"a": [1.0, 0.0], "b": [0.0, 1.0]}).find(["b"]).tolist() == [1]


@pytest.mark.parametrize("vectors", [{}, {"a": [1.0], "b": [1.0, 2.0]}, {"a": 1.0}, 3, {"a": ["x", "y"]}])
def test_what_is_no_vectors_is_refused(vectors: object) -> None:
    with pytest.raises(InputError):
        make_space("v", vectors)


def test_the_web_cleaning_drops_punctuation_but_not_hyphens() -> None:
    assert letters_and_digits("Bank's") == "banks"
    assert letters_and_digits("well-known_x") == "well-known_x"
