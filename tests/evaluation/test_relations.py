from __future__ import annotations

import numpy as np
import pytest
import scipy.stats

from wordstill.evaluation.space import Space
from wordstill.evaluation.tasks.relations import Relation, relation_scores, relation_scores_of_web, typicality

WORDS = list("abcdefghij")
MATRIX = np.random.default_rng(3).standard_normal((10, 5))
UNITS = dict(zip(WORDS, MATRIX / np.linalg.norm(MATRIX, axis=1, keepdims=True), strict=True))


def relation(pairs: list[tuple[str, str]], prototypes: list[tuple[str, str]], texts: list[str]) -> Relation:
    return Relation("1a", prototypes, pairs, np.array([float(text) for text in texts]), texts, False)


PAIRS = [("e", "f"), ("g", "h"), ("i", "j"), ("a", "j"), ("b", "i")]
TEXTS = ["9.5", "-2.0", "10.0", "100.0", "-30.0"]


def test_a_pair_is_scored_by_its_angle_to_the_mean_offset() -> None:
    outcome = typicality(Space("v", WORDS, MATRIX), relation(PAIRS, [("a", "b"), ("c", "d")], TEXTS))
    direction = (UNITS["b"] - UNITS["a"] + UNITS["d"] - UNITS["c"]) / 2
    offsets = [UNITS[right] - UNITS[left] for left, right in PAIRS]
    expected = [offset @ direction / np.linalg.norm(offset) / np.linalg.norm(direction) for offset in offsets]
    np.testing.assert_allclose(outcome.predicted, expected, rtol=1e-5)
    assert outcome.score() == pytest.approx(scipy.stats.spearmanr(list(map(float, TEXTS)), expected).statistic)


def test_missing_pairs_are_skipped_or_at_the_mean_and_a_lost_relation_counts_zero() -> None:
    covered = relation([*PAIRS, ("a", "missing")], [("a", "b"), ("missing", "d")], [*TEXTS, "5.0"])
    lost = relation(PAIRS, [("missing", "b")], TEXTS)
    skipped, every, count = relation_scores(Space("v", WORDS, MATRIX), [covered, lost])
    outcome = typicality(Space("v", WORDS, MATRIX), covered)
    assert count == 5
    assert skipped[0] == outcome.take(outcome.covered).score()
    assert every[0] == outcome.filled().score()
    assert np.isnan(skipped[1])
    assert every[1] == 0.0


def test_web_ranks_the_gold_scores_as_text_and_takes_dot_products() -> None:
    pairs = [*PAIRS, ("gone", "e")]
    texts = [*TEXTS, "9.0"]
    mean = np.mean(list(UNITS.values()), axis=0)
    direction = (UNITS["a"] + UNITS["c"]) / 2 - (UNITS["b"] + UNITS["d"]) / 2
    dots = [(UNITS.get(left, mean) - UNITS.get(right, mean)) @ direction for left, right in pairs]
    as_text = [sorted(texts).index(text) for text in texts]
    expected = scipy.stats.spearmanr(as_text, dots).statistic
    assert as_text != np.argsort(np.argsort([float(text) for text in texts])).tolist()
    found = relation_scores_of_web(
        Space("v", WORDS, MATRIX, case="lowered"), [relation(pairs, [("a", "b"), ("c", "d")], texts)]
    )
    assert found.tolist() == [pytest.approx(expected)]
