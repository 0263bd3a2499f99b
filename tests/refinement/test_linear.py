"""The methods on the spectrum, against scikit-learn and the formulas written out."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.decomposition import PCA, TruncatedSVD
from small_spaces import made_vectors

from wordstill.arrays import Array
from wordstill.errors import InputError
from wordstill.refinement import center, pca, remove_top, spectral, whiten
from wordstill.refinement.center import RemoveTopSettings
from wordstill.refinement.pca import PcaSettings
from wordstill.refinement.spectral import SpectralSettings
from wordstill.refinement.whiten import WhitenSettings
from wordstill.vectors.directions import BLOCK_ROWS, reduce_dimensions

MATRIX = made_vectors(300, 12).matrix @ np.diag(np.linspace(0.2, 3.0, 12, dtype=np.float32))


def same_up_to_signs(first: Array, second: Array) -> None:
    signs = np.sign((first * second).sum(axis=0))
    np.testing.assert_allclose(first * signs, second, atol=2e-4)


def test_centered_rows_have_mean_zero() -> None:
    np.testing.assert_allclose(center(MATRIX), MATRIX - MATRIX.mean(axis=0), atol=1e-5)


def test_center_and_pca_are_the_principal_components_of_scikit_learn() -> None:
    same_up_to_signs(pca(center(MATRIX), PcaSettings(5)), PCA(5, svd_solver="full").fit_transform(MATRIX))


def test_pca_alone_keeps_dot_products_as_the_truncated_svd_does() -> None:
    same_up_to_signs(
        reduce_dimensions(MATRIX, 5), TruncatedSVD(5, algorithm="arpack", random_state=0).fit_transform(MATRIX)
    )
    rotated = reduce_dimensions(MATRIX, 12)
    np.testing.assert_allclose(rotated @ rotated.T, MATRIX @ MATRIX.T, rtol=1e-3, atol=1e-2)


def test_remove_top_leaves_nothing_along_the_first_components() -> None:
    components = PCA(3, svd_solver="full").fit(MATRIX).components_
    kept = MATRIX - MATRIX.mean(axis=0)
    expected = kept - kept @ components.T @ components
    np.testing.assert_allclose(remove_top(MATRIX, RemoveTopSettings(3)), expected, atol=1e-4)
    one = remove_top(MATRIX)
    assert np.linalg.matrix_rank(one, tol=1e-2) == 11


def test_whitened_rows_have_the_identity_as_covariance() -> None:
    np.testing.assert_allclose(np.cov(whiten(MATRIX).T, bias=True), np.eye(12), atol=1e-4)


def test_whitening_has_a_power_and_a_ridge() -> None:
    covariance = np.cov(MATRIX.T, bias=True)
    values, axes = np.linalg.eigh(covariance + 0.1 * np.trace(covariance) / 12 * np.eye(12))
    expected = (MATRIX - MATRIX.mean(axis=0)) @ (axes * values**-0.3) @ axes.T
    np.testing.assert_allclose(whiten(MATRIX, WhitenSettings(0.3, 0.1)), expected, atol=1e-4)


@pytest.mark.parametrize("power", [-0.3, 0.25])
def test_spectral_has_the_cosines_of_the_formula(power: float) -> None:
    values, axes = np.linalg.eigh(MATRIX.T @ MATRIX)
    expected = MATRIX @ axes @ np.diag(values**power)
    made = spectral(MATRIX, SpectralSettings(power))
    scale = np.linalg.norm(made) / np.linalg.norm(expected)
    np.testing.assert_allclose(made @ made.T, scale**2 * (expected @ expected.T), rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("method", [whiten, spectral, center, remove_top])
def test_a_space_of_lower_rank_and_one_of_zeros_stay_finite(method: object) -> None:
    flat = np.ones((20, 3), np.float32) * np.arange(20, dtype=np.float32)[:, None]
    for matrix in (flat, np.zeros((4, 3), np.float32)):
        assert np.isfinite(method(matrix)).all()  # type: ignore[operator]


def test_blocks_do_not_show() -> None:
    matrix = np.random.default_rng(0).standard_normal((2 * BLOCK_ROWS + 7, 3)).astype(np.float32)
    np.testing.assert_allclose(np.cov(whiten(matrix).T, bias=True), np.eye(3), atol=1e-4)


def test_more_dimensions_than_there_are_is_refused() -> None:
    with pytest.raises(InputError, match="cannot be reduced to 13"):
        pca(MATRIX, PcaSettings(13))
    with pytest.raises(InputError, match="below the 12 dimensions"):
        remove_top(MATRIX, RemoveTopSettings(12))
