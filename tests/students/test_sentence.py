"""The student `sentence`: against a dense solution, and what its parts promise."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from made import made_batch, made_brief, made_sentences, merged

from wordstill.arrays import Array
from wordstill.corpus.vocabulary import Vocabulary
from wordstill.students.conjugate import Conjugate
from wordstill.students.sentence import HELD_OUT, RIDGES, Bags, Sentence, SentenceSettings
from wordstill.students.student import Brief, Contexts
from wordstill.teacher.batch import Batch

WORDS, WIDTH, LAYER = 40, 6, 2


def brief() -> Brief:
    counts = np.maximum(1, 400 // np.arange(1, WORDS + 1))
    return Brief(Vocabulary([f"w{n}" for n in range(WORDS)], counts), WIDTH, LAYER, total_words=1000, seed=3)


def made_text(sentences: int = 300, seed: int = 0, noise: float = 0.1) -> Batch:
    """Sentences whose vectors are sums over hidden vectors of their words, with noise and a common mean."""
    random = np.random.default_rng(seed)
    hidden = np.random.default_rng(99).normal(size=(WORDS + 1, WIDTH))
    texts = [random.integers(-1, WORDS - 5, size=random.integers(1, 12)) for _ in range(sentences)]
    pooled = [hidden[text].sum(axis=0) / np.sqrt(len(text)) + noise * random.normal(size=WIDTH) + 2.0 for text in texts]
    words = np.concatenate(texts).astype(np.int32)
    return Batch(
        words=words,
        sentences=np.repeat(np.arange(sentences, dtype=np.int32), [len(text) for text in texts]),
        positions=np.concatenate([np.arange(len(text), dtype=np.int32) for text in texts]),
        layers={LAYER: (hidden[words] + 0.5 * random.normal(size=(len(words), WIDTH)) + 1.0).astype(np.float32)},
        pooled={LAYER: np.array(pooled, dtype=np.float32)},
    )


def words_alone(seed: int = 5) -> Batch:
    words = np.arange(WORDS, dtype=np.int32)
    hidden = np.random.default_rng(99).normal(size=(WORDS + 1, WIDTH))[:WORDS]
    alone = hidden + np.random.default_rng(seed).normal(size=(WORDS, WIDTH)) - 3.0
    return Batch(words, words, words * 0, {LAYER: alone.astype(np.float32)})


def taught(settings: SentenceSettings, parts: int = 3) -> tuple[Sentence, list[Contexts]]:
    """A student that has observed a text in parts, and what was kept of it."""
    student = Sentence(brief(), settings)
    kept = [student.observe(made_text(seed=seed)) for seed in range(parts)]
    student.observe_alone(words_alone())
    return student, kept


def learn(student: Sentence, kept: list[Contexts], passes: int | None = None) -> None:
    for _ in range(student.needs.replays if passes is None else passes):
        for contexts in kept:
            student.replay(contexts)


def dense(kept: list[Contexts]) -> tuple[Array, Array]:
    """X and the centred E of the equation, written out."""
    bags, vectors = [], []
    for contexts in kept:
        for number, vector in enumerate(contexts.vectors):
            own = contexts.words[contexts.owners == number]
            known = own[own >= 0]
            bags.append(np.bincount(known, minlength=WORDS) / np.sqrt(max(1, len(known))))
            vectors.append(vector.astype(np.float64))
    every = np.array(vectors)
    return np.array(bags), every - every.mean(axis=0)


@pytest.mark.parametrize("ridge", [0.03, 1.0, 30.0])
def test_the_vectors_are_the_dense_solution_of_the_equation(ridge: float) -> None:
    student, kept = taught(SentenceSettings(ridge=ridge, steps=60))
    learn(student, kept)
    bags, targets = dense(kept)
    prior = student.prior.astype(np.float64)
    # The ridge as further rows of a least-squares problem.
    left = np.concatenate([bags, np.sqrt(ridge) * np.eye(WORDS)])
    right = np.concatenate([targets, np.sqrt(ridge) * prior])
    expected = np.linalg.lstsq(left, right, rcond=None)[0]
    np.testing.assert_allclose(student.vectors().matrix, expected, atol=2e-3)


def test_the_priors_coefficients_are_those_of_least_squares_over_the_sentences() -> None:
    student, kept = taught(SentenceSettings(ridge=1.0, steps=1))
    sums, seen = student.sums.astype(np.float64), student.seen
    alone = student.alone.astype(np.float64)
    learn(student, kept, 1)
    sif = 1e-3 / (1e-3 + brief().vocabulary.frequencies)
    share = seen * sif
    means = sums / np.maximum(1, seen)[:, None]
    means = (means - share @ means / share.sum()) * (sif * (seen > 0))[:, None]
    alone = (alone - share @ alone / share.sum()) * sif[:, None]
    trust = (seen / (seen + 5.0))[:, None]
    views = [alone, trust * means, (1 - trust) * alone]
    bags, targets = dense(kept)
    columns = np.stack([(bags @ view).ravel() for view in views], axis=1)
    expected = np.linalg.lstsq(columns, targets.ravel(), rcond=None)[0]
    np.testing.assert_allclose(student.coefficients, expected, rtol=2e-3)
    mixed = sum(number * view for number, view in zip(expected, views, strict=True))
    np.testing.assert_allclose(student.prior, mixed, atol=1e-3)


def test_the_ridge_is_the_one_that_predicts_held_out_sentences_best() -> None:
    student, kept = taught(SentenceSettings())
    learn(student, kept)
    bags, targets = dense(kept)
    held = np.concatenate([Bags.of(contexts).held_out() for contexts in kept])
    prior, errors = student.prior.astype(np.float64), []
    for ridge in RIDGES:
        learned = bags[~held]
        gram = learned.T @ learned + ridge * np.eye(WORDS)
        found = prior + np.linalg.solve(gram, learned.T @ (targets[~held] - learned @ prior))
        errors.append(float(np.square(targets[held] - bags[held] @ found).sum()))
    # Six directions are all there are, so that the sketch is a rotation.
    np.testing.assert_allclose(student.errors[:-1], errors, rtol=1e-2)
    assert student.chosen[0] == RIDGES[int(np.argmin(errors))]
    assert student.errors[:-1].min() < student.errors[-1]
    assert 0 < held.mean() < 3 / HELD_OUT


def test_a_sentence_is_held_out_by_its_words_wherever_it_stands() -> None:
    contexts = Sentence(brief(), SentenceSettings()).observe(made_text())
    first = Bags.of(contexts).held_out()
    order = np.random.default_rng(0).permutation(len(first))
    places = np.concatenate([np.flatnonzero(contexts.owners == number) for number in order])
    owners = np.repeat(np.arange(len(order)), np.bincount(contexts.owners)[order])
    moved = Contexts(contexts.vectors[order], contexts.words[places], owners)
    assert Bags.of(moved).held_out().tolist() == first[order].tolist()


@pytest.mark.parametrize("passes", [0, 1, 2, 5, 15, 20])
def test_a_state_goes_on_to_the_same_bytes(passes: int) -> None:
    settings = SentenceSettings(steps=8)
    whole, kept = taught(settings)
    learn(whole, kept)
    first, _ = taught(settings)
    learn(first, kept, passes)
    first.replay(kept[0])  # in the middle of a pass
    second = Sentence(brief(), settings)
    second.load_state_dict({name: array.copy() for name, array in first.state_dict().items()})
    for contexts in kept[1:]:
        second.replay(contexts)
    learn(second, kept, whole.needs.replays - passes - 1)
    assert second.vectors().matrix.tobytes() == whole.vectors().matrix.tobytes()


def test_shards_and_words_alone_are_merged_into_the_whole() -> None:
    settings = SentenceSettings(ridge=0.3, steps=10)
    batches = [made_text(seed=seed) for seed in range(3)]
    parts = merged(brief(), lambda given: Sentence(given, settings), [[batch] for batch in batches])
    half = WORDS // 2
    for rows in (np.arange(half), np.arange(half, WORDS)):
        given = replace(brief(), vocabulary=Vocabulary([f"w{n}" for n in rows], brief().vocabulary.counts[rows]))
        shard, every = Sentence(given, settings), words_alone()
        local = np.arange(half, dtype=np.int32)
        shard.observe_alone(Batch(local, local, local * 0, {LAYER: every.layers[LAYER][rows]}))
        parts.merge(shard, rows)
    whole, kept = taught(settings)
    learn(parts, kept)
    learn(whole, kept)
    # Ten steps of conjugate gradients in float32, added up in another order.
    np.testing.assert_allclose(parts.vectors().matrix, whole.vectors().matrix, rtol=1e-4, atol=1e-4)


def test_a_word_never_seen_has_what_the_teacher_says_of_it_alone() -> None:
    student, kept = taught(SentenceSettings(steps=5))
    learn(student, kept)
    vectors, alone = student.vectors(), words_alone().layers[LAYER]
    assert len(vectors) == WORDS
    assert student.seen[-1] == 0
    centred = alone - student_centre(student, alone)
    found = vectors.matrix[-1] @ centred[-1] / np.linalg.norm(vectors.matrix[-1]) / np.linalg.norm(centred[-1])
    assert abs(found) > 0.999


def student_centre(student: Sentence, alone: Array) -> Array:
    share = student.seen * student._sif()
    return np.asarray(share @ alone / share.sum())


def test_before_it_has_learned_there_is_a_prior_and_asking_for_it_changes_nothing() -> None:
    student, asked = (Sentence(made_brief(), SentenceSettings(ridge=1.0, steps=2)) for _ in range(2))
    for one in (student, asked):
        kept = one.observe(made_batch(made_sentences()))
    early = asked.vectors()
    assert len(early) == 7
    assert early.matrix.any()
    learn(student, [kept])
    learn(asked, [kept])
    assert student.vectors().matrix.tobytes() == asked.vectors().matrix.tobytes()


def test_conjugate_gradients_solve_each_column_with_its_own_ridge() -> None:
    random = np.random.default_rng(1)
    matrix = random.normal(size=(30, 8))
    right = random.normal(size=(8, 3)).astype(np.float32)
    ridges, gram = np.array([0.1, 1.0, 5.0]), matrix.T @ matrix
    solver: Any = Conjugate(right.copy(), ridges, np.diag(gram))
    for _ in range(12):
        solver.product += (gram @ solver.direction).astype(np.float32)
        solver.step(np.diag(gram))
    for column, ridge in enumerate(ridges):
        expected = np.linalg.solve(gram + ridge * np.eye(8), right[:, column])
        np.testing.assert_allclose(solver.solution[:, column], expected, atol=1e-4)
