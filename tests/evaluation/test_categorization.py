from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.cluster import AgglomerativeClustering, KMeans
from sklearn.metrics.cluster import contingency_matrix

from wordstill.evaluation.space import Space
from wordstill.evaluation.tasks.categorization import Categories, categorization, categorization_of_web, in_majority

WORDS = [f"w{number}" for number in range(30)]
LABELS = ["animal"] * 10 + ["tool"] * 10 + ["fruit"] * 10


def blobs(spread: float) -> np.ndarray:
    generator = np.random.default_rng(0)
    return np.repeat(np.eye(3, 6), 10, axis=0) + spread * generator.standard_normal((30, 6))


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=40))
def test_purity_is_the_largest_class_of_each_cluster(pairs: list[tuple[int, int]]) -> None:
    classes, clusters = np.array(pairs).T
    table = contingency_matrix(classes, clusters)
    assert in_majority(classes, clusters).mean() == pytest.approx(table.max(axis=0).sum() / len(pairs))


def test_clear_groups_are_found_whole() -> None:
    outcome = categorization(Space("v", WORDS, blobs(0.05)), Categories(WORDS, LABELS), seeds=2)
    assert outcome.score() == 1.0


def test_the_score_is_the_mean_purity_of_seeded_k_means() -> None:
    matrix = blobs(0.6)
    units = (matrix / np.linalg.norm(matrix, axis=1, keepdims=True)).astype(np.float32)
    classes = np.repeat([0, 1, 2], 10)
    purities = [
        contingency_matrix(classes, KMeans(3, n_init=10, random_state=seed).fit(units).labels_).max(axis=0).sum() / 30
        for seed in (4, 5)
    ]
    outcome = categorization(Space("v", WORDS, matrix), Categories(WORDS, LABELS), seeds=2, seed=4)
    assert outcome.score() == pytest.approx(np.mean(purities))


def test_missing_words_are_left_out_or_counted_wrong() -> None:
    space = Space("v", WORDS[:20], blobs(0.05)[:20])
    outcome = categorization(space, Categories(WORDS, LABELS), seeds=1)
    assert outcome.take(outcome.covered).score() == 1.0
    assert outcome.filled().score() == pytest.approx(20 / 30)


def test_one_word_and_no_word_are_judged_too() -> None:
    categories = Categories(["w0", "w0", "w1"], ["animal", "tool", "tool"])
    assert categorization(Space("v", ["w0"], np.ones((1, 2))), categories).values[:2].tolist() == [1.0, 0.0]
    assert not categorization(Space("v", ["x"], np.ones((1, 2))), categories).covered.any()


def test_web_takes_the_best_of_six_clusterings() -> None:
    matrix = blobs(0.7)[:28]
    units = matrix / np.linalg.norm(matrix, axis=1, keepdims=True)
    vectors = np.concatenate([units, np.repeat(units.mean(axis=0, keepdims=True), 2, axis=0)])
    classes = np.repeat([0, 1, 2], 10)
    found = [AgglomerativeClustering(3, linkage="ward").fit_predict(vectors)]
    for metric in ("cosine", "euclidean"):
        for linkage in ("average", "complete"):
            found.append(AgglomerativeClustering(3, metric=metric, linkage=linkage).fit_predict(vectors))
    found.append(KMeans(3, n_init=10, random_state=0).fit_predict(vectors))
    best = max(contingency_matrix(classes, clusters).max(axis=0).sum() / 30 for clusters in found)
    outcome = categorization_of_web(Space("v", WORDS[:28], matrix, case="lowered"), Categories(WORDS, LABELS))
    assert outcome.score() == pytest.approx(best)
