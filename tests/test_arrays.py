"""Lengths and directions of rows, whatever the size of their numbers; mpmath is the judge."""

from __future__ import annotations

import warnings

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordstill.arrays import in_range, row_norms, unit, unit_rows
from wordstill.evaluation.space import Space
from wordstill.vectors import WordVectors

SIZES = [(np.float32, 1e38), (np.float32, 3e38), (np.float32, 1e-40), (np.float64, 1e300), (np.float64, 1e-300)]


def exact_cosine(first: list[float], second: list[float]) -> float:
    with mpmath.workdps(50):
        dot, lengths = mpmath.mpf(0), [mpmath.mpf(0), mpmath.mpf(0)]
        for a, b in zip(first, second, strict=True):
            dot += mpmath.mpf(a) * mpmath.mpf(b)
            lengths[0] += mpmath.mpf(a) ** 2
            lengths[1] += mpmath.mpf(b) ** 2
        return float(dot / mpmath.sqrt(lengths[0] * lengths[1]))


@pytest.mark.parametrize(("dtype", "size"), SIZES)
def test_neighbours_and_similarities_are_right_whatever_the_size_of_the_numbers(dtype: type, size: float) -> None:
    base = np.array([[1.0, 0.5, 0.0], [0.9, 0.6, 0.1], [-0.2, 0.3, 1.0], [0.0, 0.0, 0.0]])
    vectors = WordVectors(["a", "b", "c", "zero"], (base * size).astype(dtype))
    rows = vectors.matrix.tolist()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert vectors.similarity("a", "b") == pytest.approx(exact_cosine(rows[0], rows[1]), abs=1e-3)
        found = dict(vectors.most_similar("a"))
        mean = vectors.n_similarity(["a", "b"], ["c"])
    assert found["b"] == pytest.approx(exact_cosine(rows[0], rows[1]), abs=1e-3)
    assert found["c"] == pytest.approx(exact_cosine(rows[0], rows[2]), abs=1e-3)
    assert found["zero"] == 0
    assert np.isfinite(mean)


@pytest.mark.parametrize(("dtype", "size"), SIZES)
def test_vectors_of_any_size_are_judged_and_not_counted_as_broken(dtype: type, size: float) -> None:
    space = Space("v", ["a", "b"], (np.array([[1.0, 1.0], [1.0, -1.0]]) * size).astype(dtype))
    assert space.notes == []
    np.testing.assert_allclose(np.abs(space.unit(space.find(["a", "b"]))), np.sqrt(0.5), rtol=1e-3)


@given(st.lists(st.floats(-300, 300), min_size=1, max_size=6), st.sampled_from([np.float32, np.float64]))
def test_lengths_are_those_of_exact_arithmetic(exponents: list[float], dtype: type) -> None:
    with np.errstate(over="ignore", under="ignore"):
        row = (10.0 ** np.array(exponents)).astype(dtype)
    if not np.isfinite(row).all():
        return
    with mpmath.workdps(50):
        exact = float(mpmath.sqrt(sum((mpmath.mpf(float(one)) ** 2 for one in row), mpmath.mpf(0))))
    length = row_norms(row[None])[0]
    assert float(length) == pytest.approx(exact, rel=1e-3, abs=1e-44)
    if exact:
        assert np.linalg.norm(unit(row)) == pytest.approx(1.0, rel=1e-3)
        assert np.linalg.norm(unit_rows(row[None])[0]) == pytest.approx(1.0, rel=1e-3)


def test_ordinary_rows_are_neither_copied_nor_changed() -> None:
    matrix = np.random.default_rng(0).standard_normal((50, 8)).astype(np.float32)
    matrix[7] = 0
    assert in_range(matrix) is matrix
    matrix[3] *= np.float32(1e30)
    scaled = in_range(matrix)
    others = np.arange(50) != 3
    assert (scaled[others] == matrix[others]).all()
    assert np.isfinite(row_norms(scaled)).all()


def test_rows_that_are_no_vectors_stay_what_they_are() -> None:
    matrix = np.array([[np.nan, 1.0], [np.inf, 1.0], [0.0, 0.0], [3.0, 4.0]], dtype=np.float32)
    lengths = row_norms(matrix)
    assert np.isnan(lengths[0])
    assert np.isinf(lengths[1])
    assert lengths[2:].tolist() == [0.0, 5.0]
