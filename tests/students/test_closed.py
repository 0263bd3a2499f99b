from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from made import made_batch, made_brief, made_sentences

from reference.closed import closed_form, closed_form_of_windows
from wordstill.arrays import Array
from wordstill.errors import InputError
from wordstill.students.closed import Closed, ClosedSettings
from wordstill.students.student import Contexts
from wordstill.students.x2static import X2Static, X2StaticSettings


def learned(*parts: list[tuple[Array, object]], settings: ClosedSettings | None = None) -> Closed:
    student = Closed(made_brief(), settings or ClosedSettings())
    for part in parts:
        student.observe(made_batch(part))
    return student


@pytest.mark.parametrize(("power", "ridge"), [(0.5, 0.1), (1.0, 0.1), (1.0, 0.01), (0.0, 0.0), (0.3, 1.0)])
def test_it_equals_the_formula_over_all_contexts_at_once(power: float, ridge: float) -> None:
    sentences = made_sentences() + made_sentences(seed=1) + made_sentences(seed=2)
    student = learned(sentences[:7], sentences[7:], settings=ClosedSettings(power=power, ridge=ridge))
    expected, seen = closed_form(sentences, 7, power, ridge)
    vectors = student.vectors()
    assert student.gathered.seen.tolist() == seen.tolist()
    assert vectors.words == [f"w{n}" for n in range(7)]
    np.testing.assert_allclose(vectors.matrix, expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("window", [1, 2, 5])
def test_a_window_ends_at_the_sentences_borders_and_leaves_its_word_out(window: int) -> None:
    sentences = made_sentences() + made_sentences(seed=1) + made_sentences(seed=2)
    settings = ClosedSettings(view="window", window=window)
    student = learned(sentences[:7], sentences[7:], settings=settings)
    expected, seen = closed_form_of_windows(sentences, 7, 0.5, 0.1, window)
    assert student.gathered.seen.tolist() == seen.tolist()
    np.testing.assert_allclose(student.vectors().matrix, expected, rtol=1e-4, atol=1e-4)


def test_a_word_without_a_vector_takes_up_its_place_in_a_window() -> None:
    batch = made_batch(made_sentences([(0, 1, 2, 3)]))
    gap = replace(batch, positions=np.array([0, 1, 3, 4], dtype=np.int32))  # the word at position 2 has no vector
    student = Closed(made_brief(), ClosedSettings(view="window", window=2))
    student.observe(gap)
    vectors = batch.layers[2].astype(np.float64)
    np.testing.assert_allclose(student.gathered.sums[0], vectors[1], rtol=1e-6)
    np.testing.assert_allclose(student.gathered.sums[1], vectors[[0, 2]].mean(axis=0), rtol=1e-6)


def test_words_that_stand_alone_have_no_window() -> None:
    student = learned(made_sentences([(2,), (-1,), (3,)]), settings=ClosedSettings(view="window"))
    assert student.gathered.contexts[0] == 0
    assert student.vectors().words == []


def test_two_halves_merged_equal_the_whole() -> None:
    first, second = made_sentences(seed=1), made_sentences(seed=2)
    whole, left, right = learned(first, second), learned(first), learned(second)
    left.merge(right, np.arange(7))
    np.testing.assert_allclose(left.vectors().matrix, whole.vectors().matrix, rtol=1e-5, atol=1e-5)
    assert left.gathered.seen.tolist() == whole.gathered.seen.tolist()


def test_the_order_of_batches_does_not_matter() -> None:
    parts = [made_sentences(seed=seed) for seed in range(4)]
    forth, back = learned(*parts), learned(*parts[::-1])
    np.testing.assert_allclose(forth.vectors().matrix, back.vectors().matrix, rtol=1e-4, atol=1e-5)


def test_a_state_that_is_loaded_goes_on_to_the_same_bytes() -> None:
    first, second = made_sentences(seed=1), made_sentences(seed=2)
    student, resumed = learned(first), learned()
    resumed.load_state_dict({name: array.copy() for name, array in student.state_dict().items()})
    for one in (student, resumed):
        one.observe(made_batch(second))
    assert student.vectors().matrix.tobytes() == resumed.vectors().matrix.tobytes()


def test_a_word_that_never_occurs_has_no_vector() -> None:
    vectors = learned(made_sentences([(0, 1), (1, 1, 0), (3,), (-1,)])).vectors()
    assert vectors.words == ["w0", "w1", "w3"]
    assert vectors.counts is not None
    assert vectors.counts.tolist() == [900, 400, 90]


def test_one_context_alone_gives_finite_vectors() -> None:
    assert np.isfinite(learned(made_sentences([(0,)])).vectors().matrix).all()


def test_settings_out_of_range_are_refused() -> None:
    with pytest.raises(InputError, match=r"closed\.ridge must be at least 0, not -1"):
        ClosedSettings(ridge=-1.0)


def test_students_of_one_view_share_its_sums() -> None:
    task, batches = made_brief(), [made_batch(made_sentences(seed=seed)) for seed in (1, 2)]
    closed, trained = Closed(task, ClosedSettings(power=1.0)), X2Static(task, X2StaticSettings())
    other = Closed(task, ClosedSettings(view="window"))
    for batch in batches:
        for student in (closed, trained, other):
            student.observe(batch)
    assert trained.closed is not None
    assert trained.closed.gathered is closed.gathered
    assert other.gathered is not closed.gathered
    alone = learned(made_sentences(seed=1), made_sentences(seed=2), settings=ClosedSettings(power=1.0))
    trained.replay(Contexts(batches[0].sentence_means(task.layer), batches[0].words, batches[0].sentences))
    np.testing.assert_array_equal(closed.vectors().matrix, alone.vectors().matrix)


def test_sums_are_given_up_where_nobody_else_rests_on_them() -> None:
    trained = X2Static(made_brief(), X2StaticSettings())
    trained.replay(trained.observe(made_batch(made_sentences())))
    assert trained.closed is not None
    assert not len(trained.closed.gathered.sums)
