"""Students of shards, each over its own words, merged: what one student that observed everything has."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some
from made import SENTENCES, made_batch, made_brief, made_sentences, made_shard, merged

from wordstill.students.alone import Alone, AloneSettings
from wordstill.students.closed import Closed, ClosedSettings
from wordstill.students.context_to_vec import ContextToVec, ContextToVecSettings
from wordstill.students.dynamic_skipgram import DynamicSkipgram, DynamicSkipgramSettings
from wordstill.students.principal import Principal, PrincipalSettings
from wordstill.students.registry import STUDENTS, Chosen, choose_students, make_students
from wordstill.students.student import Brief, Student
from wordstill.students.x2static import X2Static, X2StaticSettings
from wordstill.teacher.batch import TABLE, Batch

# How a corpus of batches, by seed, is cut into shards. No sentence has the words 4 to 6 in the last two batches.
CUTS = [((0, 1, 2, 3),), ((0,), (1,), (2,), (3,)), ((0, 1), (2, 3)), ((3,), (0, 1, 2))]
FEWER = tuple(tuple(word if word < 4 else -1 for word in sentence) for sentence in SENTENCES)
# Counts are whole numbers, and merged without a rounding.
COUNTS = {"seen", "contexts", "done"}


def batch_of(seed: int) -> Batch:
    return made_batch(made_sentences(FEWER if seed >= 2 else SENTENCES, seed=seed))


def cases() -> list[Any]:
    text = [name for name in STUDENTS if choose_students([name], {})[name].needs().text]
    few = {"fasttext": {"buckets": "100"}, "sent2vec": {"buckets": "100"}}  # as many as there are would take long
    options = [(name, few.get(name, {})) for name in text if name != "principal"]  # an estimate, with its own test
    options += [("aggregate", {"over_contexts": over}) for over in ("min", "max")]
    options += [("closed", {"view": "window", "window": "2"}), ("x2static", {"init": "zero"})]
    options += [(name, {"init": "random"}) for name in ("x2static", "dynamic-skipgram", "context-to-vec")]
    return [pytest.param(name, given, id=" ".join([name, *given.values()])) for name, given in options]


@pytest.mark.parametrize("cut", CUTS, ids=str)
@pytest.mark.parametrize(("name", "options"), cases())
def test_shards_merged_are_the_whole(name: str, options: dict[str, str], cut: tuple[tuple[int, ...], ...]) -> None:
    chosen: Chosen = choose_students([name], {name: options})[name]
    whole, parts = chosen.make(made_brief()), merged(made_brief(), chosen.make, [[batch_of(s) for s in p] for p in cut])
    for seed in range(4):
        whole.observe(batch_of(seed))
    ours, theirs = parts.state_dict(), whole.state_dict()
    assert ours.keys() == theirs.keys()
    for key in ours:
        if key.rpartition(".")[2] in COUNTS:
            assert ours[key].tolist() == theirs[key].tolist(), key
    same_vectors(parts, whole)
    if chosen.needs().replays:
        learn(parts)
        learn(whole)
        same_vectors(parts, whole)


def learn(student: Any) -> None:
    """The epochs of a student, over the words of the whole corpus."""
    for seed in range(4):
        batch = batch_of(seed)
        fresh = type(student)(made_brief(), student.settings)
        student.replay(batch if student.needs.keeps == "words" else fresh.observe(batch))


def same_vectors(ours: Student, theirs: Student) -> None:
    first, second = ours.vectors(), theirs.vectors()
    assert first.words == second.words
    np.testing.assert_allclose(first.matrix, second.matrix, rtol=1e-3, atol=1e-3)


@given(some.lists(some.integers(0, 30), min_size=1, max_size=8), some.integers(0, 3))
def test_the_closed_forms_sums_do_not_depend_on_the_cut(seeds: list[int], cuts: int) -> None:
    batches = [made_batch(made_sentences(seed=seed)) for seed in seeds]
    borders = sorted({0, *(place % len(batches) for place in range(1, cuts + 1)), len(batches)})
    shards = [batches[low:high] for low, high in pairwise(borders)]
    parts = merged(made_brief(), lambda brief: Closed(brief, ClosedSettings()), shards).gathered
    means = np.concatenate([batch.sentence_means(2) for batch in batches]).astype(np.float64)
    mean, covariance = parts.moments()
    np.testing.assert_allclose(mean, means.mean(axis=0), rtol=1e-5)
    np.testing.assert_allclose(covariance, np.cov(means.T, bias=True), atol=1e-4)
    assert parts.contexts[0] == len(means)
    expected = np.zeros((7, 5))
    for batch in batches:
        own = batch.sentence_means(2)
        for word, sentence in zip(batch.words, batch.sentences, strict=True):
            expected[word] += own[sentence] if word >= 0 else 0.0
    np.testing.assert_allclose(parts.sums, expected, rtol=1e-4)


@pytest.mark.parametrize("shards", [1, 2, 10, 60])
def test_the_principal_directions_of_shards_are_near_the_exact_one_and_along_the_mean(shards: int) -> None:
    batches = [made_batch(made_sentences(seed=seed)) for seed in range(60)]
    cut = [batches[place::shards] for place in range(shards)]
    student = merged(made_brief(), lambda brief: Principal(brief, PrincipalSettings()), cut)
    vectors = student.vectors()
    assert vectors.words == made_brief().vocabulary.words
    for number, word in enumerate(vectors.words):
        held = np.concatenate([batch.layers[2][batch.words == number] for batch in batches]).astype(np.float64)
        assert student.seen[number] == len(held)
        exact = np.linalg.eigh(held.T @ held)[1][:, -1]
        exact *= np.sign(exact @ held.mean(axis=0))
        assert vectors[word] @ exact > 0.999


def test_principal_directions_that_point_apart_are_not_taken_from_each_other() -> None:
    towards = np.tile(np.array([[2.0, 1.0, 0.0, 0.0, 0.0]], dtype=np.float32), (6, 1))
    shards = [[made_batch([(-towards[:2], (0, 0))])], [made_batch([(towards, (0,) * 6)])]]
    student = merged(made_brief(), lambda brief: Principal(brief, PrincipalSettings()), shards)
    assert np.linalg.norm(student.table[0]) == pytest.approx(8 * 5.0, rel=1e-5)  # eight times |x|^2
    np.testing.assert_allclose(student.vectors()["w0"], towards[0] / np.sqrt(5.0), rtol=1e-5)


def test_words_alone_of_shards_take_their_places() -> None:
    made = np.random.default_rng(3).normal(size=(7, 5)).astype(np.float32)
    words = np.arange(7, dtype=np.int32)
    shards = [
        [Batch(words[part], words[: len(words[part])], words[part] * 0, {2: made[part], TABLE: made[part]})]
        for part in (slice(0, 3), slice(3, 7))
    ]
    for name in ("alone", "table"):
        whole = merged(made_brief(), choose_students([name], {})[name].make, shards)
        np.testing.assert_array_equal(whole.vectors().matrix, made)
        first = merged(made_brief(), choose_students([name], {})[name].make, shards[:1])
        assert first.vectors().words == ["w0", "w1", "w2"]


def test_a_shard_of_which_nothing_is_known_yet_changes_nothing() -> None:
    brief, numbers, _ = made_shard(made_brief(), np.array([1, 4]))
    for name in STUDENTS:
        make = choose_students([name], {})[name].make
        student, before = make(made_brief()), make(made_brief()).state_dict()
        student.merge(make(brief), numbers)
        for key, array in student.state_dict().items():
            np.testing.assert_array_equal(array, before[key])
    alone = Alone(made_brief(), AloneSettings())
    alone.merge(Alone(brief, AloneSettings()), numbers)
    assert alone.vectors().words == []


def test_students_that_share_sums_merge_them_once() -> None:
    chosen = choose_students(["closed", "other=closed", "x2static"], {"other": {"power": "1"}})

    def make(brief: Brief) -> dict[str, Student]:
        return make_students(chosen, brief, "last", 2)

    whole, alone = make(made_brief()), Closed(made_brief(), ClosedSettings(power=1.0))
    for seed in (1, 2):
        batch = batch_of(seed)
        brief, numbers, local = made_shard(made_brief(), batch.words)
        parts, own = make(brief), batch.renumbered(local)
        for name, part in parts.items():
            part.observe(own)
            assert name in whole
        for name, part in parts.items():
            whole[name].merge(part, numbers)
        alone.observe(batch)
    closed, other, trained = (whole[name] for name in ("closed", "other", "x2static"))
    assert isinstance(closed, Closed)
    assert isinstance(other, Closed)
    assert isinstance(trained, X2Static)
    assert trained.closed is not None
    assert closed.gathered is other.gathered is trained.closed.gathered
    assert closed.gathered.seen.tolist() == alone.gathered.seen.tolist()
    assert closed.gathered.contexts.tolist() == alone.gathered.contexts.tolist()
    np.testing.assert_allclose(other.vectors().matrix, alone.vectors().matrix, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(
    ("kind", "settings"),
    [
        (X2Static, X2StaticSettings(init="zero")),
        (DynamicSkipgram, DynamicSkipgramSettings(init="random")),
        (ContextToVec, ContextToVecSettings(init="random")),
    ],
)
def test_the_mean_of_shards_weighs_each_by_its_size(kind: Any, settings: Any) -> None:
    batches = [made_batch(made_sentences(SENTENCES[:size], seed=size)) for size in (1, 4, 7)]
    student = merged(made_brief(), lambda brief: kind(brief, settings), [[batch] for batch in batches])
    every = [batch.sentence_means(2) if kind is X2Static else batch.layers[2] for batch in batches]
    np.testing.assert_allclose(student.mean, np.concatenate(every).astype(np.float64).mean(axis=0), rtol=1e-6)
    assert student.done[0] == sum(map(len, every))


@pytest.mark.parametrize(("name", "options"), cases())
def test_a_shard_without_any_word_of_the_vocabulary_can_be_observed_and_merged(
    name: str, options: dict[str, str]
) -> None:
    chosen: Chosen = choose_students([name], {name: options})[name]
    strange = made_batch(made_sentences([(-1, -1, -1), (-1, -1)], seed=8))
    whole, parts = chosen.make(made_brief()), merged(made_brief(), chosen.make, [[strange], [batch_of(0)]])
    whole.observe(strange)
    whole.observe(batch_of(0))
    same_vectors(parts, whole)
