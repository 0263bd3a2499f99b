from __future__ import annotations

import numpy as np
import pytest

from wordstill.arrays import Array, unit_rows
from wordstill.explore.layout import map_places, nearest_rows, places, principal_plane
from wordstill.explore.tsne import GridRepulsion, conditional, exact_repulsion

pytestmark = pytest.mark.slow


def clusters(each: int, count: int = 8, seed: int = 0) -> tuple[Array, Array]:
    """Unit rows around a few centres, and the centre of each."""
    generator = np.random.default_rng(seed)
    labels = np.repeat(np.arange(count), each)
    centres = generator.standard_normal((count, 30))
    return unit_rows((centres[labels] + 0.5 * generator.standard_normal((len(labels), 30))).astype(np.float32)), labels


def test_nearest_rows_are_those_of_scikit_learn() -> None:
    neighbors = pytest.importorskip("sklearn.neighbors")
    units, _ = clusters(200)
    found, cosines = nearest_rows(units, 7)
    distances, expected = neighbors.NearestNeighbors(metric="cosine").fit(units).kneighbors(n_neighbors=7)
    assert np.array_equal(found, expected)
    assert np.allclose(1 - cosines, distances, atol=1e-5)


def test_of_equal_words_the_earlier_stands_first_and_none_is_its_own_neighbour() -> None:
    found, cosines = nearest_rows(np.ones((5, 1), dtype=np.float32), 4)
    assert found.tolist() == [[1, 2, 3, 4], [0, 2, 3, 4], [0, 1, 3, 4], [0, 1, 2, 4], [0, 1, 2, 3]]
    assert (cosines == 1).all()


@pytest.mark.parametrize("rows", [0, 1, 2])
def test_a_handful_of_words_has_a_map_too(rows: int) -> None:
    coordinates, neighbors, _ = map_places(np.eye(3, dtype=np.float32)[:rows])
    assert coordinates.shape == (rows, 2)
    assert np.isfinite(coordinates).all()
    assert neighbors.shape == (rows, max(0, rows - 1))


def test_the_weights_have_the_perplexity_asked_for() -> None:
    squared = np.sort(np.random.default_rng(0).random((50, 30)), axis=1)
    weights = conditional(squared, 8.0)
    perplexity = np.exp(-(weights * np.log(weights)).sum(axis=1))
    assert np.allclose(perplexity, 8.0, rtol=1e-6)


def test_equal_distances_have_equal_weights() -> None:
    assert np.allclose(conditional(np.zeros((3, 10)), 4.0), 0.1)


def test_the_grid_gives_nearly_the_sums_over_all_pairs() -> None:
    points = (np.random.default_rng(0).standard_normal((2, 3000)) * 6).astype(np.float32)
    exact, exact_total = exact_repulsion(points)
    close, close_total = GridRepulsion()(points)
    assert close_total == pytest.approx(exact_total, rel=1e-3)
    assert np.corrcoef(exact.ravel(), close.ravel())[0, 1] > 0.995


def test_a_map_keeps_neighbours_about_as_well_as_scikit_learns() -> None:
    manifold = pytest.importorskip("sklearn.manifold")
    units, _ = clusters(50)
    ours = places(units, "tsne")
    theirs = manifold.TSNE(init="pca", random_state=0, max_iter=500).fit_transform(units)
    kept = [manifold.trustworthiness(units, made, n_neighbors=10) for made in (ours, theirs)]
    assert kept[0] > kept[1] - 0.02
    assert kept[0] > 0.9


def test_a_large_map_keeps_clusters_apart_and_is_the_same_every_time() -> None:
    units, labels = clusters(250)
    made, neighbors, _ = map_places(units)
    assert np.array_equal(made, map_places(units)[0])
    centres = np.stack([np.median(made[labels == one], axis=0) for one in range(8)])
    nearest = ((made[:, None] - centres) ** 2).sum(axis=2).argmin(axis=1)
    assert (nearest == labels).mean() > 0.98
    assert (labels[neighbors[:, 0]] == labels).mean() > 0.98


def test_principal_plane_is_scikit_learns_up_to_sign() -> None:
    decomposition = pytest.importorskip("sklearn.decomposition")
    units, _ = clusters(20)
    ours, theirs = principal_plane(units), decomposition.PCA(2).fit_transform(units)
    assert np.allclose(np.abs(ours), np.abs(theirs), atol=1e-5)


def test_vectors_of_one_dimension_have_a_plane() -> None:
    assert principal_plane(np.array([[1.0], [2.0], [4.0]])).shape == (3, 2)
