"""float16 and int8: how far a number may move, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays_of

from wordstill.arrays import Array
from wordstill.errors import InputError
from wordstill.formats.storage import as_type, from_int8, to_int8
from wordstill.vectors import WordVectors

NUMBERS = st.floats(-(2.0**100), 2.0**100, width=32) | st.floats(-1, 1, width=32)
MATRICES = arrays_of.arrays(np.float32, st.tuples(st.integers(0, 5), st.integers(0, 4)), elements=NUMBERS)


@given(matrix=MATRICES)
def test_an_int8_number_moves_by_at_most_half_a_step_of_its_row(matrix: Array) -> None:
    rows, scales = to_int8(matrix)
    steps = np.abs(matrix.astype(np.float64)).max(axis=1, initial=0.0) / 127
    moved = np.abs(from_int8(rows, scales).astype(np.float64) - matrix)
    # Tiny steps are themselves rounded to a float32 that may have few digits.
    assert (moved <= steps[:, None] * 0.501 + 127 * 1e-45).all()


@given(matrix=MATRICES)
def test_storing_int8_twice_changes_no_row_more(matrix: Array) -> None:
    # A scale near the smallest float32 has too few digits to be found again.
    matrix = np.where(np.abs(matrix).max(axis=1, initial=0.0, keepdims=True) > 1e-30, matrix, 0).astype(np.float32)
    rows, scales = to_int8(matrix)
    np.testing.assert_array_equal(to_int8(from_int8(rows, scales))[0], rows)


def test_a_short_vector_keeps_as_many_digits_as_a_long_one() -> None:
    matrix = np.array([[1.0, -0.3], [1000.0, -300.0], [0.0, 0.0]], np.float32)
    rows, scales = to_int8(matrix)
    assert rows.tolist() == [[127, -38], [127, -38], [0, 0]]
    assert scales[1] == pytest.approx(1000 * scales[0])


@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf, 1e300])
def test_int8_refuses_what_has_no_scale(number: float) -> None:
    with pytest.raises(InputError, match="int8 cannot hold"):
        to_int8(np.array([[number, 1.0]]))


def test_float16_refuses_numbers_that_would_become_infinite_and_keeps_infinity() -> None:
    with pytest.raises(InputError, match=r"1 vectors have numbers that are too large for float16 \(above 65504\)"):
        as_type(np.array([[70000.0], [1.0]], np.float32), "float16")
    assert as_type(np.array([[np.inf]], np.float32), "float16")[0, 0] == np.inf


def test_neighbors_of_float16_vectors_are_those_of_the_same_numbers_in_float32() -> None:
    matrix = np.random.default_rng(2).standard_normal((200, 50)).astype(np.float16)
    words = [str(row) for row in range(200)]
    half, single = WordVectors(words, matrix), WordVectors(words, matrix.astype(np.float32))
    for word in words[:20]:
        assert [near for near, _ in half.most_similar(word)] == [near for near, _ in single.most_similar(word)]
