"""Evidence against a literal count, and what is chosen by it where the right choice is known."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordstill.arrays import Array
from wordstill.errors import InputError
from wordstill.lexicons.lexicon import Lexicon
from wordstill.refinement.evidence import Evidence, gather_evidence, hold_out, measured, spelt_alike, without
from wordstill.refinement.mixing import View, mix
from wordstill.refinement.strength import STRENGTHS, USUAL, refine_by_evidence
from wordstill.vectors import WordVectors

WORDS = [
    f"{chr(97 + number % 26)}{chr(97 + number // 26 % 26)}{chr(97 + number // 7 % 26)}{number}" for number in range(600)
]


def meanings(seed: int = 0, groups: int = 100) -> tuple[Array, Lexicon]:
    """Vectors of words that mean one of so many things, and the lexicon of words that mean the same."""
    draw = np.random.default_rng(seed)
    group = draw.integers(groups, size=len(WORDS))
    pairs = [
        (WORDS[one], WORDS[other])
        for one in range(len(WORDS))
        for other in np.flatnonzero(group == group[one]).tolist()
        if one < other
    ]
    return draw.standard_normal((groups, 24))[group].astype(np.float32), Lexicon.of(pairs, "groups")


def noisy(matrix: Array, noise: float, seed: int) -> WordVectors:
    draw = np.random.default_rng(seed)
    return WordVectors(WORDS, (matrix + noise * draw.standard_normal(matrix.shape) + 0.2).astype(np.float32))


def literal(matrix: Array, pairs: Array, others: Array) -> list[float]:
    """The formula, word by word."""

    def cosine(one: int, other: int) -> float:
        lengths = np.linalg.norm(matrix[one]) * np.linalg.norm(matrix[other])
        return float(matrix[one] @ matrix[other] / lengths)

    scores = []
    for first, second in pairs.tolist():
        total = 0.0
        for end in (first, second):
            nearer = [
                cosine(end, other) > cosine(first, second) for other in others.tolist() if other not in (first, second)
            ]
            total += -math.log(sum(nearer) / len(others) + 1 / len(others))
        scores.append(total / 2)
    return scores


def test_scores_are_those_of_the_formula() -> None:
    matrix = np.random.default_rng(0).standard_normal((30, 5)).astype(np.float32)
    pairs, others = np.array([[0, 1], [2, 9], [29, 3]]), np.arange(0, 30, 2)
    evidence = Evidence("made", pairs, others)
    assert evidence.scores(matrix) == pytest.approx(literal(matrix.astype(np.float64), pairs, others))
    rows = evidence.rows
    assert evidence.among(rows).scores(matrix[rows]) == pytest.approx(evidence.scores(matrix))


def test_better_vectors_score_higher_and_lengths_do_not_matter() -> None:
    matrix, lexicon = meanings()
    evidence = gather_evidence(lexicon, noisy(matrix, 1, 1).key_to_index)
    assert evidence is not None
    scores = [evidence.scores(noisy(matrix, noise, 1).matrix).mean() for noise in (0.2, 0.6, 1.5)]
    assert scores == sorted(scores, reverse=True)
    vectors = noisy(matrix, 0.6, 1).matrix
    longer = vectors * np.linspace(0.5, 3, len(vectors), dtype=np.float32)[:, None]
    assert evidence.scores(longer) == pytest.approx(evidence.scores(vectors), abs=1e-3)


def test_too_few_pairs_are_no_evidence_and_draws_repeat() -> None:
    _, lexicon = meanings()
    rows = {word: row for row, word in enumerate(WORDS)}
    assert gather_evidence(lexicon, {word: row for word, row in rows.items() if row < 40}) is None
    first, again, other = (gather_evidence(lexicon, rows, seed) for seed in (0, 0, 1))
    assert first is not None
    assert again is not None
    assert other is not None
    assert np.array_equal(first.pairs, again.pairs)
    assert np.array_equal(first.others, again.others)
    assert not np.array_equal(first.others, other.others)


def test_pairs_held_out_are_not_refined_with() -> None:
    _, lexicon = meanings()
    kept, judged = hold_out(lexicon)
    assert set(kept.pairs()) | set(judged.pairs()) == set(lexicon.pairs())
    assert not set(kept.pairs()) & set(judged.pairs())
    assert 0.1 < len(judged.edges) / len(lexicon.edges) < 0.3
    assert set(without(lexicon, kept).pairs()) == set(judged.pairs())


@pytest.mark.parametrize(
    ("first", "second", "alike"),
    [
        ("walk", "walking", True),
        ("colour", "color", True),
        ("happy", "unhappy", True),
        ("car", "automobile", False),
        ("big", "large", False),
    ],
)
def test_words_alike_in_spelling_are_told(first: str, second: str, alike: bool) -> None:
    assert spelt_alike(first, second) is spelt_alike(second, first) is alike


@given(st.lists(st.floats(-5, 5), min_size=2))
def test_a_mean_lies_in_its_interval(values: list[float]) -> None:
    found = measured(np.array(values))
    assert found.low <= found.score <= found.high
    assert found.score == pytest.approx(np.mean(values))


# ---------------------------------------------------------------- mixing


def test_a_view_of_noise_loses_its_weight_and_a_good_one_keeps_it() -> None:
    matrix, lexicon = meanings()
    first, second = noisy(matrix, 0.9, 1), noisy(matrix, 0.9, 2)
    noise = noisy(np.zeros_like(matrix), 1.0, 3)
    evidence = gather_evidence(lexicon, first.key_to_index)
    assert evidence is not None
    views = [View("first", first, 1.0, "s"), View("second", second, 0.2, "s"), View("noise", noise, 1.0, "s")]
    mixed = mix(views, [evidence])
    assert mixed.weights["noise"] == 0
    assert mixed.weights["second"] >= 0.5
    assert mixed.adds["second"]["groups"].low > 0
    assert mixed.adds["noise"]["groups"] == (0, 0, 0)
    assert mixed.scores["groups"].score > max(one["groups"].score for one in mixed.alone.values())
    record = mixed.as_json()
    assert record["evidence"] == ["groups"]
    assert record["views"]["noise"]["weight"] == 0
    assert np.array_equal(mixed.vectors.matrix, mix(views, [evidence]).vectors.matrix)


def test_fixed_weights_stay_and_evidence_only_tells_what_they_bring() -> None:
    matrix, lexicon = meanings()
    first, noise = noisy(matrix, 0.9, 1), noisy(np.zeros_like(matrix), 1.0, 3)
    evidence = gather_evidence(lexicon, first.key_to_index)
    assert evidence is not None
    views = [View("first", first, 1.0, "s"), View("noise", noise, 0.7, "s")]
    mixed = mix(views, [evidence], fixed=True)
    assert mixed.weights == {"first": 1.0, "noise": 0.7}
    assert mixed.evidence == ()
    assert mixed.adds["noise"]["groups"].high < 0 < mixed.adds["first"]["groups"].low
    np.testing.assert_array_equal(mixed.vectors.matrix, mix(views).vectors.matrix)


def test_views_of_one_space_are_added_and_others_stand_beside() -> None:
    matrix, _ = meanings()
    parts = [noisy(matrix, 0.5, seed) for seed in range(3)]
    views = [View("a", parts[0], 1.0, "s"), View("b", parts[1], 0.5), View("c", parts[2], 0.25, "s")]
    mixed = mix(views)
    assert mixed.weights == {"a": 1.0, "b": 0.5, "c": 0.25}
    assert mixed.evidence == ()

    def centred(part: WordVectors) -> Array:
        moved = part.matrix.astype(np.float64) - part.matrix.mean(axis=0)
        return moved / np.linalg.norm(moved, axis=1, keepdims=True)

    a, b, c = map(centred, parts)
    expected = np.hstack([a + 0.25 * c, 0.5 * b])
    expected /= np.linalg.norm(expected, axis=1, keepdims=True)
    found = mixed.vectors.matrix / np.linalg.norm(mixed.vectors.matrix, axis=1, keepdims=True)
    assert found == pytest.approx(expected, abs=1e-5)


def test_a_rotated_view_finds_back_to_the_space_it_was_turned_from() -> None:
    from scipy.stats import ortho_group

    matrix, _ = meanings()
    first, second = noisy(matrix, 0.3, 0), noisy(matrix, 0.3, 1)
    turned = second.map(lambda rows: rows @ ortho_group.rvs(rows.shape[1], random_state=0).astype(np.float32))
    plain = mix([View("a", first, 1.0, "s"), View("b", second, 0.5, "s")]).vectors.matrix
    rotated = mix([View("a", first, 1.0, "s"), View("b", turned, 0.5, "s", rotate=True)]).vectors.matrix
    left_alone = mix([View("a", first, 1.0, "s"), View("b", turned, 0.5, "s")]).vectors.matrix

    def cosines(other: Array) -> float:
        return float((np.einsum("ij,ij->i", plain, other) / np.linalg.norm(plain, axis=1) ** 2).mean())

    assert cosines(rotated) > 0.98 > cosines(left_alone) + 0.05


def test_rows_are_as_long_as_the_first_views() -> None:
    matrix, _ = meanings()
    first = noisy(matrix, 0.5, 0)
    mixed = mix([View("a", first), View("b", noisy(matrix, 0.5, 1))])
    lengths = np.linalg.norm(first.matrix - first.matrix.mean(axis=0), axis=1)
    assert np.linalg.norm(mixed.vectors.matrix, axis=1) == pytest.approx(np.maximum(lengths, np.median(lengths) / 10))


def test_views_that_do_not_fit_are_refused() -> None:
    matrix, _ = meanings()
    good = noisy(matrix, 0.5, 0)
    with pytest.raises(InputError, match="no view"):
        mix([])
    with pytest.raises(InputError, match="differ in their words"):
        mix([View("a", good), View("b", good.take(WORDS[::-1]))])
    with pytest.raises(InputError, match="width differs"):
        mix([View("a", good, 1.0, "s"), View("b", good.map(lambda rows: rows[:, :5]), 1.0, "s")])
    with pytest.raises(InputError, match="weight of b"):
        mix([View("a", good), View("b", good, -1.0)])
    with pytest.raises(InputError, match="needs a weight above 0"):
        mix([View("a", good, 0.0)])


# ---------------------------------------------------------------- how strongly to retrofit


def test_the_strength_is_the_highest_that_the_guards_allow() -> None:
    matrix, lexicon = meanings()
    vectors = noisy(matrix, 0.9, 1)
    guard = gather_evidence(hold_out(lexicon, seed=5)[1], vectors.key_to_index)
    assert guard is not None
    refined = refine_by_evidence(vectors, lexicon, guards=[guard])
    assert refined.strength in STRENGTHS
    allowed = [one.strength for one in refined.tried if one.guards["groups"].high >= 0]
    assert refined.strength == max(allowed)
    assert len(refined.tried) - len(allowed) <= 1  # nothing is tried beyond the first fall
    assert all(one.held_out is not None and one.held_out.low > 0 for one in refined.tried)
    assert refined.vectors.card["refinement"][0]["settings"]["neighbors"] == refined.strength
    assert np.linalg.norm(refined.vectors.matrix - vectors.matrix) > 1


def test_nothing_is_refined_where_the_guards_only_fall() -> None:
    matrix, lexicon = meanings()
    vectors = noisy(matrix, 1.2, 1)
    drawn = np.random.default_rng(3).integers(len(WORDS), size=(2000, 2)).tolist()
    unlike = Lexicon.of([(WORDS[first], WORDS[second]) for first, second in drawn], "chance")
    guard = gather_evidence(lexicon, vectors.key_to_index)
    assert guard is not None
    refined = refine_by_evidence(vectors, unlike, guards=[guard])
    assert refined.strength == 0
    assert refined.vectors is vectors
    assert refined.as_json()["tried"][0]["guards"]["groups"][0] < 0


def test_without_a_guard_the_usual_strength_is_taken() -> None:
    matrix, lexicon = meanings()
    refined = refine_by_evidence(noisy(matrix, 0.9, 1), lexicon)
    assert refined.strength == USUAL
    assert refined.tried == ()


def test_guards_are_asked_where_too_few_pairs_can_be_held_out() -> None:
    matrix, lexicon = meanings()
    vectors = noisy(matrix, 1.2, 1)
    guard = gather_evidence(lexicon, vectors.key_to_index)
    assert guard is not None
    few = Lexicon(lexicon.words, lexicon.edges[:300], "few")
    refined = refine_by_evidence(vectors, few, guards=[guard])
    assert refined.tried[0].held_out is None
    assert refined.as_json()["tried"][0]["held_out"] is None
