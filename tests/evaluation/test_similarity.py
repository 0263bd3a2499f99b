from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import scipy.stats
from gensim.models import KeyedVectors

from wordstill.evaluation.space import Space, make_space
from wordstill.evaluation.tasks.similarity import Pairs, read_pairs, similarity, similarity_with_mean_vector

WORDS = ["sun", "moon", "star", "sea", "river", "tree"]


@pytest.mark.parametrize("name", ["wordsim353.tsv", "simlex999.txt"])
def test_gensims_word_pair_evaluation_gives_the_same_numbers(gensim_data: Path, name: str) -> None:
    pairs = read_pairs(gensim_data / name)
    generator = np.random.default_rng(0)
    words = sorted({word.lower() for word in (*pairs.first, *pairs.second)})
    # A tenth of the words is missing, so that both must skip the same pairs.
    words = [word for number, word in enumerate(words) if number % 10]
    keyed = KeyedVectors(20)
    keyed.add_vectors(words, generator.standard_normal((len(words), 20)).astype(np.float32))
    _, theirs, missing = keyed.evaluate_word_pairs(str(gensim_data / name))
    outcome = similarity(make_space("v", keyed), pairs)
    assert outcome.take(outcome.covered).score() == pytest.approx(theirs.statistic, abs=1e-6)
    assert 100 * (1 - outcome.covered.mean()) == pytest.approx(missing)


def test_a_pair_with_a_missing_word_has_no_similarity() -> None:
    space = Space("v", WORDS, np.random.default_rng(0).standard_normal((6, 3)))
    outcome = similarity(space, Pairs(["sun", "sun", "x"], ["moon", "x", "y"], np.array([1.0, 2.0, 3.0])))
    assert np.isnan(outcome.predicted).tolist() == [False, True, True]


def test_all_pairs_are_scored_with_the_mean_similarity_for_missing_ones() -> None:
    generator = np.random.default_rng(1)
    matrix = generator.standard_normal((6, 3))
    pairs = Pairs(["sun", "sea", "x", "tree", "star"], ["moon", "river", "sun", "sun", "sea"], np.arange(5.0))
    outcome = similarity(Space("v", WORDS, matrix), pairs)
    cosines = outcome.predicted.copy()
    cosines[2] = np.nanmean(cosines)
    assert outcome.filled().score() == pytest.approx(scipy.stats.spearmanr(np.arange(5.0), cosines).statistic)


def test_no_overlap_with_the_set_gives_no_score() -> None:
    outcome = similarity(Space("v", WORDS, np.eye(6)), Pairs(["a", "b"], ["c", "d"], np.array([1.0, 2.0])))
    assert np.isnan(outcome.take(outcome.covered).score())
    assert np.isnan(outcome.filled().score())


def test_web_gives_a_missing_word_the_mean_of_the_unit_vectors() -> None:
    matrix = np.random.default_rng(2).standard_normal((6, 4))
    units = matrix / np.linalg.norm(matrix, axis=1, keepdims=True)
    first, second = ["sun", "gone", "tree", "Sun"], ["moon", "sea", "absent", "moon"]
    mean = units.mean(axis=0)
    table = dict(zip(WORDS, units, strict=True))
    expected = [table.get(one, mean) @ table.get(two, mean) for one, two in zip(first, second, strict=True)]
    space = Space("v", ["Sun", *WORDS[1:]], matrix, case="lowered")
    found = similarity_with_mean_vector(space, Pairs(first, second, np.arange(4.0)))
    np.testing.assert_allclose(found.predicted, expected, rtol=1e-5)
