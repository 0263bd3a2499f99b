from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from made import made_batch, made_brief, made_sentences
from scipy.special import expit

from reference import x2static as reference
from wordstill.errors import InputError
from wordstill.kernels.rows import Step, adagrad_rows, adam_rows, group_by_row, logistic, scores_of, total_loss
from wordstill.kernels.sampling import generator
from wordstill.options import read_settings
from wordstill.students.student import Brief, Contexts
from wordstill.students.x2static import X2Static, X2StaticSettings

PAPER = X2StaticSettings.presets()["paper"]


def begun(settings: X2StaticSettings, brief: Brief | None = None) -> X2Static:
    """A student with a table, as it is when the first replay begins."""
    student = X2Static(brief or made_brief(), settings)
    student.begin(None)
    return student


def test_the_paper_preset_has_the_papers_constants() -> None:
    assert PAPER.init == "random"
    assert (PAPER.negatives, PAPER.negative_power, PAPER.subsample) == (10, 0.5, 5e-6)
    assert (PAPER.optimizer, PAPER.learning_rate, PAPER.schedule) == ("adam", 1e-3, "constant")
    assert (PAPER.epochs, PAPER.step_contexts, PAPER.clamp) == (1, 128, 20.0)
    assert not PAPER.centre
    assert not PAPER.offset
    table = begun(PAPER).table
    assert np.abs(table).max() <= 1 / 5
    assert np.abs(table).max() > 0.1


def made_step(seed: int = 0, scale: float = 1.0) -> tuple[Any, ...]:
    """A table, contexts and targets with negatives, words repeated on both sides."""
    random = np.random.default_rng(seed)
    table = (random.normal(size=(7, 5)) * scale).astype(np.float32)
    contexts = random.normal(size=(4, 5)).astype(np.float32)
    owners = np.array([0, 0, 1, 2, 3, 3], dtype=np.int32)
    rows = np.array([[0, 3, 3], [1, 0, 2], [0, 0, 5], [4, 1, 1], [2, 3, 0], [2, 2, 1]], dtype=np.int32)
    return table, contexts, owners, rows


def literal(table: Any, contexts: Any, owners: Any, rows: Any, clamp: float, offset: float) -> tuple[float, Any]:
    parameter = torch.tensor(table, dtype=torch.float64, requires_grad=True)
    vectors = [torch.tensor(contexts[owner], dtype=torch.float64) for owner in owners]
    loss = reference.loss(parameter, vectors, rows[:, 0].tolist(), rows[:, 1:].tolist(), clamp, offset)
    loss.backward()
    return float(loss.detach()), parameter.grad


@pytest.mark.parametrize(("scale", "clamp", "offset"), [(1.0, 20.0, 0.0), (1.0, 20.0, -2.3), (30.0, 20.0, 0.0)])
def test_loss_and_gradient_equal_the_papers_equation(scale: float, clamp: float, offset: float) -> None:
    table, contexts, owners, rows = made_step(scale=scale)
    expected, gradient = literal(table, contexts, owners, rows, clamp, offset)
    scores = scores_of(table, contexts, owners, rows)
    assert total_loss(scores, clamp, offset) == pytest.approx(expected, rel=1e-5)
    # With so large a sum of squares behind it Adagrad's pace is one, and the step the gradient itself.
    grouped = group_by_row(rows, np.full(7, -1, dtype=np.int64))
    squares, pull = np.full(7, 1e12, dtype=np.float32), np.zeros(7, dtype=np.float32)
    moved = np.zeros_like(table) + table
    step = Step(*grouped, 3, contexts, owners, clamp, offset)
    loss = adagrad_rows(moved, squares, np.zeros((0, 5), dtype=np.float32), pull, step, 1e6)
    assert loss == pytest.approx(expected, rel=1e-5)
    np.testing.assert_allclose(table - moved, gradient.numpy(), atol=1e-5)


@given(
    score=st.floats(-1e30, 1e30) | st.floats(-60.0, 60.0),
    sign=st.sampled_from([-1.0, 1.0]),
    clamp=st.sampled_from([0.5, 20.0, 1e9]),
    offset=st.floats(-5.0, 5.0),
)
def test_the_series_are_the_logistic_loss_and_its_slope(score: float, sign: float, clamp: float, offset: float) -> None:
    given_scores = np.array([score, np.nan])
    loss = logistic(given_scores[:1], np.array([sign]), clamp, offset)
    inside = abs(score + offset) <= clamp
    clamped = np.clip(score + offset, -clamp, clamp)
    assert loss == pytest.approx(np.logaddexp(0.0, sign * clamped), rel=1e-9, abs=1e-9)
    assert given_scores[0] == pytest.approx(sign * expit(sign * clamped) if inside else 0.0, abs=1e-12)
    assert np.isnan(logistic(given_scores[1:], np.array([sign]), clamp, offset))  # a NaN must show
    assert np.isnan(given_scores[1])


def test_the_gradient_agrees_with_finite_differences() -> None:
    table, contexts, owners, rows = made_step()
    _, gradient = literal(table, contexts, owners, rows, 20.0, -1.0)
    for row, column in ((0, 0), (2, 4), (3, 1), (6, 2)):
        ends = []
        for step in (1e-4, -1e-4):
            moved = table.astype(np.float64).copy()
            moved[row, column] += step
            ends.append(literal(moved, contexts, owners, rows, 20.0, -1.0)[0])
        assert gradient[row, column].item() == pytest.approx((ends[0] - ends[1]) / 2e-4, abs=1e-5)


def test_adam_steps_equal_torchs_sparse_adam() -> None:
    table, _, owners, rows = made_step()
    start = torch.tensor(table, dtype=torch.float64)
    first, second, slots = np.zeros_like(table), np.zeros_like(table), np.full(7, -1, dtype=np.int64)
    gradients, touched = [], []
    for step in (1, 2, 3):
        _, contexts, _, _ = made_step(seed=step)
        now = rows[step - 1 :: 2].copy()
        here = owners[step - 1 :: 2]
        gradients.append(literal(table, contexts, here, now, 20.0, 0.0)[1] / len(now))
        touched.append(set(now.ravel().tolist()))
        grouped = group_by_row(now, slots)
        asked = Step(*grouped, 3, contexts, here, 20.0, 0.0)
        adam_rows(table, first, second, asked, 0.01, step, 1 / len(now))
    expected = reference.lazy_adam(start, gradients, touched, 0.01)
    np.testing.assert_allclose(table, expected.numpy(), atol=1e-5)
    assert (slots == -1).all()


def test_adagrad_steps_have_one_rate_a_row() -> None:
    table, _, owners, rows = made_step()
    start = torch.tensor(table, dtype=torch.float64)
    squares, slots = np.zeros(7, dtype=np.float32), np.full(7, -1, dtype=np.int64)
    nothing, pull = np.zeros((0, 5), dtype=np.float32), np.zeros(7, dtype=np.float32)
    gradients = []
    for step in (1, 2, 3):
        _, contexts, _, _ = made_step(seed=step)
        gradients.append(literal(table, contexts, owners, rows, 20.0, 0.0)[1])
        grouped = group_by_row(rows, slots)
        adagrad_rows(table, squares, nothing, pull, Step(*grouped, 3, contexts, owners, 20.0, 0.0), 0.1)
    np.testing.assert_allclose(table, reference.row_adagrad(start, gradients, 0.1).numpy(), atol=1e-5)


def test_the_context_of_a_sentence_is_the_mean_over_all_its_words() -> None:
    sentences = made_sentences()
    means = made_batch(sentences).sentence_means(2)
    for mean, (vectors, _) in zip(means, sentences, strict=True):
        np.testing.assert_allclose(mean, reference.context(torch.tensor(vectors)).numpy(), rtol=1e-5)


def test_a_replayed_batch_makes_the_step_that_the_equations_ask_for() -> None:
    """The whole student at once: draws as it draws, then the literal loss and torch's SparseAdam."""
    task, settings = made_brief(), replace(PAPER, subsample=1e-2)
    student = begun(settings, task)
    start = torch.tensor(student.table, dtype=torch.float64)
    sentences = made_sentences()
    batch = made_batch(sentences)
    student.replay(student.observe(batch))

    random = generator(task.seed, 2, 1)
    kept = random.random(len(batch.words)) < student.keep[batch.words]
    kept &= batch.words >= 0
    assert 0 < kept.sum() < (batch.words >= 0).sum()
    negatives = student.sampler.draw(random, (int(kept.sum()), 10))
    targets = batch.words[kept]
    contexts = [torch.tensor(sentences[s][0], dtype=torch.float64) for s in batch.sentences[kept]]
    parameter = start.clone().requires_grad_()
    loss = reference.loss(
        parameter, [reference.context(c) for c in contexts], targets.tolist(), negatives.tolist(), 20.0
    )
    loss.backward()
    assert parameter.grad is not None
    rows = {*targets.tolist(), *negatives.ravel().tolist()}
    expected = reference.lazy_adam(start, [parameter.grad / len(targets)], [rows], 1e-3)
    np.testing.assert_allclose(student.table, expected.numpy(), atol=1e-5)
    assert student.losses[0][1] * len(targets) == pytest.approx(float(loss.detach()), rel=1e-5)


def test_a_batch_without_any_target_changes_nothing() -> None:
    student = begun(PAPER)
    before = student.table.copy()
    student.replay(student.observe(made_batch(made_sentences([(-1, -1), (-1,)]))))
    assert student.table.tobytes() == before.tobytes()


@pytest.mark.parametrize("init", ["closed", "random", "zero"])
def test_a_student_gathers_in_the_pass_and_learns_in_as_many_replays_as_epochs(init: Any) -> None:
    settings = X2StaticSettings(init=init, epochs=3, subsample=0.0)
    student = X2Static(made_brief(), settings)
    assert (student.needs.replays, student.needs.keeps) == (3, "contexts")
    batch = made_batch(made_sentences())
    contexts = student.observe(batch)
    np.testing.assert_array_equal(contexts.vectors, batch.sentence_means(2))
    assert (contexts.words.tolist(), contexts.owners.tolist()) == (batch.words.tolist(), batch.sentences.tolist())
    assert not student.begun
    assert not student.table.size
    assert student.losses == []
    for _ in range(student.needs.replays):
        student.replay(contexts)
    assert student.begun
    assert student.table.shape == (7, 5)
    assert student.losses


def test_the_mean_of_the_contexts_is_whole_before_the_first_step() -> None:
    student, batches = (
        X2Static(made_brief(), X2StaticSettings(init="zero")),
        [made_batch(made_sentences(seed=s)) for s in (1, 2)],
    )
    contexts = [student.observe(batch) for batch in batches]
    expected = np.concatenate([each.vectors for each in contexts]).astype(np.float64).mean(axis=0)
    np.testing.assert_allclose(student.mean, expected, rtol=1e-6)
    student.replay(contexts[0])
    np.testing.assert_allclose(student.mean, expected, rtol=1e-6)


@pytest.mark.parametrize("preset", ["small", "paper"])
@pytest.mark.parametrize("when", ["in the pass", "in a replay"])
def test_a_state_that_is_loaded_goes_on_to_the_same_bytes(preset: str, when: str) -> None:
    settings = replace(X2StaticSettings.presets()[preset], subsample=0.0)
    student = X2Static(made_brief(), settings)
    kept = [student.observe(made_batch(made_sentences(seed=seed))) for seed in (1, 2)]
    if when == "in a replay":
        student.replay(kept[0])
    resumed = X2Static(made_brief(), settings)
    resumed.load_state_dict({name: array.copy() for name, array in student.state_dict().items()})
    for one in (student, resumed):
        if when == "in the pass":
            kept.append(one.observe(made_batch(made_sentences(seed=3))))
        one.replay(kept[-1])
    assert student.vectors().matrix.tobytes() == resumed.vectors().matrix.tobytes()
    assert student.losses == resumed.losses


def made_contexts() -> Contexts:
    """Sentences of four words, each context the mean of what its words point to."""
    random = np.random.default_rng(5)
    directions = random.normal(size=(7, 5)).astype(np.float32)
    words = random.integers(0, 7, size=(400, 4)).astype(np.int32)
    vectors = directions[words].mean(axis=1) + 3.0
    return Contexts(vectors, words.ravel(), np.repeat(np.arange(400, dtype=np.int32), 4))


def full_loss(student: X2Static, contexts: Contexts) -> float:
    targets = student._targets(contexts, generator(99))
    return float(total_loss(scores_of(student.table, *targets), student.settings.clamp, student.offset))


@pytest.mark.parametrize("init", ["zero", "random"])
def test_training_lowers_the_loss(init: Any) -> None:
    contexts = made_contexts()
    settings = X2StaticSettings(init=init, subsample=0.0, epochs=5, pull=0.0, step_contexts=128)
    student = begun(settings, replace(made_brief(), total_words=1600))
    student.mean = contexts.vectors.mean(axis=0)
    before = full_loss(student, contexts)
    for _ in range(5):
        student.replay(contexts)
    assert full_loss(student, contexts) < 0.97 * before


def test_the_closed_form_is_a_better_start_than_zero() -> None:
    contexts = made_contexts()
    zero, closed = (X2Static(made_brief(), X2StaticSettings(init=i, subsample=0.0)) for i in ("zero", "closed"))
    assert closed.closed is not None
    closed.closed.gathered.add(contexts)
    for student in (zero, closed):
        student.begin(contexts)
    zero.mean = closed.mean
    assert full_loss(closed, contexts) < 0.97 * full_loss(zero, contexts)


def test_options_are_read_and_refused_by_name() -> None:
    settings = read_settings(X2StaticSettings, "x2static", {"preset": "paper", "epochs": "4", "centre": "true"})
    assert (settings.epochs, settings.centre, settings.optimizer) == (4, True, "adam")
    for options, message in (
        ({"epoch": "4"}, "has no option 'epoch'"),
        ({"epochs": "many"}, "x2static.epochs is a whole number, not 'many'"),
        ({"epochs": "0"}, "x2static.epochs must be between 1 and"),
        ({"init": "best"}, "x2static.init is one of closed, random, zero"),
        ({"preset": "huge"}, "x2static.preset is one of small, paper"),
        ({"centre": "yes"}, "x2static.centre is true or false"),
    ):
        with pytest.raises(InputError, match=message):
            read_settings(X2StaticSettings, "x2static", options)


def test_a_loss_that_is_not_a_number_stops_at_once() -> None:
    student = begun(replace(PAPER, subsample=0.0))
    student.table[:] = np.nan
    contexts = student.observe(made_batch(made_sentences([(6, 6, 6), (6,)])))
    with pytest.raises(FloatingPointError, match="the loss is nan"):
        student.replay(contexts)


def test_the_variant_by_pieces_takes_its_contexts_from_them() -> None:
    means = np.random.default_rng(1).normal(size=(7, 5)).astype(np.float32)
    batch = replace(made_batch(made_sentences()), pieces={2: means})
    contexts = X2Static(made_brief(), X2StaticSettings(variant="pieces")).observe(batch)
    np.testing.assert_array_equal(contexts.vectors, means)
