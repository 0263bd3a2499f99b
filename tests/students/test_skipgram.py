"""dynamic-skipgram and context-to-vec against the papers' equations."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import torch
from made import made_batch, made_brief, made_sentences

from reference import skipgram as reference
from reference.x2static import row_adagrad
from wordstill.errors import InputError
from wordstill.kernels.sampling import generator
from wordstill.options import read_settings
from wordstill.students.context_to_vec import ContextToVec, ContextToVecSettings
from wordstill.students.dynamic_skipgram import DynamicSkipgram, DynamicSkipgramSettings
from wordstill.students.skipgram import Learned, Skipgram, Windows
from wordstill.teacher.batch import Batch

PLAIN: dict[str, Any] = {
    "dimensions": 4, "init": "random", "subsample": 0.0, "centre": False, "map_rate": 1.0, "window": 2, "pull": 0.0,
}  # fmt: skip
WANG = DynamicSkipgramSettings(**PLAIN, offset=False)
ZHENG = ContextToVecSettings(**PLAIN, offset=False)

CASES: list[Any] = [
    pytest.param(WANG, id="attention"),
    pytest.param(replace(WANG, window=5, offset=True), id="wide window with offset"),
    pytest.param(replace(WANG, attention=False), id="without attention"),
    pytest.param(replace(WANG, predict="each"), id="each word by itself"),
    pytest.param(replace(WANG, predict="each", window=5, offset=True), id="each word by itself with offset"),
    pytest.param(ZHENG, id="three losses"),
    pytest.param(
        replace(ZHENG, phi="tanh", semantic_weight=0.7, contextual_weight=2.0, negative_weight=0.3), id="tanh"
    ),
    pytest.param(replace(ZHENG, phi="relu", centre_share=0.9, window_share=0.2, negative_weight=0.3), id="relu"),
    pytest.param(replace(ZHENG, offset=True, window=5), id="three losses with offset"),
    pytest.param(replace(ZHENG, variant="released"), id="released"),
    pytest.param(replace(ZHENG, variant="released", window=5, offset=True), id="released with offset"),
]


def student_of(settings: Any) -> Skipgram:
    """A student whose table and maps are far from zero, so that no score is."""
    kind = DynamicSkipgram if isinstance(settings, DynamicSkipgramSettings) else ContextToVec
    student: Skipgram = kind(made_brief(), settings)
    student.begin(None)
    random = np.random.default_rng(8)
    student.table = random.normal(size=student.table.shape).astype(np.float32)
    student.maps = {name: (0.3 * random.normal(size=m.shape)).astype(np.float32) for name, m in student.maps.items()}
    return student


def literal(student: Skipgram, sentences: Any, negatives: Any, table: Any, maps: Any) -> torch.Tensor:
    """The papers' loss, in double precision."""
    settings: Any = student.settings
    read = [(torch.tensor(vectors, dtype=torch.float64), words) for vectors, words in sentences]
    given = (read, negatives, settings.window)
    if isinstance(settings, DynamicSkipgramSettings):
        if settings.predict == "each":
            return torch.stack(reference.each_word_by_itself(table, maps[0], *given, student.offset)).sum()
        return reference.dynamic_skipgram(table, maps[0], *given, settings.attention, student.offset)
    if settings.variant == "released":
        return reference.context_to_vec_released(table, maps[0], *given, student.offset)
    weights = (settings.semantic_weight, settings.contextual_weight, settings.negative_weight)
    shares = (settings.centre_share, settings.window_share)
    return reference.context_to_vec(table, maps, *given, shares, weights, settings.phi, student.offset)


def parameters(student: Skipgram) -> tuple[torch.Tensor, list[torch.Tensor]]:
    return (
        torch.tensor(student.table, dtype=torch.float64, requires_grad=True),
        [torch.tensor(map_, dtype=torch.float64, requires_grad=True) for map_ in student.maps.values()],
    )


def table_gradient(student: Skipgram, learned: Learned) -> Any:
    """The gradient of the whole table, added up place by place."""
    total = np.zeros_like(student.table)
    for i, k in np.ndindex(*learned.rows.shape):
        row = learned.rows[i, k]
        if row >= 0:
            total[row] += learned.coefficients[i, k] * learned.centres[i]
            if len(learned.own):
                total[row] += learned.own[i, k] * student.table[row]
    return total


@pytest.mark.parametrize("settings", CASES)
def test_loss_and_gradients_equal_the_papers_equations(settings: Any) -> None:
    student, sentences = student_of(settings), made_sentences()
    windows = student.windows(made_batch(sentences), generator(5))
    learned = student.gradient(student.table, windows)
    table, maps = parameters(student)
    negatives = windows.rows[:, 2 * settings.window :].tolist()
    loss = literal(student, sentences, negatives, table, maps)
    loss.backward()
    assert learned.loss == pytest.approx(float(loss.detach()), rel=1e-5)
    assert table.grad is not None
    np.testing.assert_allclose(table_gradient(student, learned), table.grad.numpy(), atol=2e-4)
    assert list(learned.maps) == list(student.maps)
    for name, map_ in zip(student.maps, maps, strict=True):
        assert map_.grad is not None
        np.testing.assert_allclose(learned.maps[name], map_.grad.numpy(), atol=1e-3)


@pytest.mark.parametrize("settings", CASES)
def test_the_gradients_agree_with_finite_differences(settings: Any) -> None:
    student, sentences = student_of(settings), made_sentences()
    windows = student.windows(made_batch(sentences), generator(5))
    negatives = windows.rows[:, 2 * settings.window :].tolist()
    learned = student.gradient(student.table, windows)
    gradients = [table_gradient(student, learned), *learned.maps.values()]
    for which, gradient in enumerate(gradients):
        for row, column in ((0, 0), (3, 1), (2, 3)):
            ends = []
            for step in (1e-5, -1e-5):
                table, maps = parameters(student)
                with torch.no_grad():
                    (table, *maps)[which][row, column] += step
                    ends.append(float(literal(student, sentences, negatives, table, maps)))
            assert gradient[row, column] == pytest.approx((ends[0] - ends[1]) / 2e-5, abs=1e-3)


def drawn_by(student: Skipgram, batch: Batch, step: int) -> Any:
    """The negatives that a step draws."""
    return (
        student.windows(batch, generator(student.brief.seed, 2, step)).rows[:, 2 * student.settings.window :].tolist()
    )


@pytest.mark.parametrize("settings", [WANG, ZHENG, replace(ZHENG, variant="released")])
@pytest.mark.parametrize("clip", [0.0, 5.0])
def test_a_step_of_gradient_descent_equals_torchs(settings: Any, clip: float) -> None:
    """Clipped as torch clips: all gradients together at one length."""
    settings = replace(settings, optimizer="sgd", learning_rate=0.025, clip=clip, schedule="constant")
    student, sentences = student_of(settings), made_sentences()
    batch = made_batch(sentences)
    table, maps = parameters(student)
    optimizer = torch.optim.SGD([table, *maps], lr=0.025)
    for step in (1, 2):
        optimizer.zero_grad()
        literal(student, sentences, drawn_by(student, batch, step), table, maps).backward()
        if clip:
            assert torch.nn.utils.clip_grad_norm_([table, *maps], clip) > clip
        optimizer.step()
        student.replay(batch)
    np.testing.assert_allclose(student.table, table.detach().numpy(), atol=1e-4)
    for name, map_ in zip(student.maps, maps, strict=True):
        np.testing.assert_allclose(student.maps[name], map_.detach().numpy(), atol=1e-4)


@pytest.mark.parametrize("map_rate", [1.0, 0.0])
@pytest.mark.parametrize("quantile", [0.0, 0.5])
def test_the_gradient_of_each_centre_is_clipped_as_torch_clips_it(quantile: float, map_rate: float) -> None:
    settings = replace(WANG, predict="each", optimizer="sgd", map_rate=map_rate)
    student, sentences = student_of(settings), made_sentences()
    windows = student.windows(made_batch(sentences), generator(5))
    table, maps = parameters(student)
    read = [(torch.tensor(vectors, dtype=torch.float64), words) for vectors, words in sentences]
    negatives = windows.rows[:, 2 * settings.window :].tolist()
    together = [table, maps[0]] if map_rate else [table]
    losses = reference.each_word_by_itself(table, maps[0], read, negatives, settings.window)
    gradients = [torch.autograd.grad(loss, together, retain_graph=True) for loss in losses]
    lengths = [float(torch.cat([one.flatten() for one in both]).norm()) for both in gradients]
    longest = float(np.quantile(lengths, quantile)) * 0.99
    student.settings = replace(settings, clip_centre=longest)
    learned = student.gradient(student.table, windows)
    sums = [torch.zeros_like(one) for one in together]
    for both, length in zip(gradients, lengths, strict=True):
        for total, one in zip(sums, both, strict=True):
            total += one * min(1.0, longest / length)
    np.testing.assert_allclose(table_gradient(student, learned), sums[0].numpy(), atol=5e-4)
    if map_rate:
        np.testing.assert_allclose(learned.maps["map"], sums[1].numpy(), atol=1e-3)


@pytest.mark.parametrize("map_rate", [1.0, 0.0])
@pytest.mark.parametrize("clip_centre", [0.0, 0.3])
@pytest.mark.parametrize("step_sentences", [1, 3])
def test_compiled_descent_takes_the_steps_one_by_one(step_sentences: int, clip_centre: float, map_rate: float) -> None:
    """The compiled loop ends where the gradients of each step, which are checked above, lead to."""
    settings = replace(
        WANG, predict="each", optimizer="sgd", learning_rate=0.01, schedule="linear", map_rate=map_rate, epochs=2
    )
    settings = replace(settings, clip_centre=clip_centre, step_sentences=step_sentences)
    student, literally, batch = student_of(settings), student_of(settings), made_batch(made_sentences())
    windows = student.windows(batch, generator(student.brief.seed, 2, 1))
    losses, ends = [], [*batch.sentence_starts[step_sentences::step_sentences].tolist(), len(batch.words)]
    for first, last in pairwise([0, *ends]):
        inside = (windows.places >= first) & (windows.places < last)
        learned = literally.gradient(literally.table, Windows(*(part[inside[: len(part)]] for part in windows)))
        rate = np.float32(0.01 * (1 - last / (2 * student.brief.total_words)))
        literally.table -= rate * table_gradient(literally, learned)
        for name, gradient in learned.maps.items():
            literally.maps[name] -= rate * map_rate * gradient
        losses.append(learned.loss)
    student.replay(batch)
    np.testing.assert_allclose(student.table, literally.table, atol=1e-5)
    np.testing.assert_allclose(student.maps["map"], literally.maps["map"], atol=1e-5)
    assert student.losses[0][1] == pytest.approx(sum(losses) / len(windows.rows), rel=1e-5)


@pytest.mark.parametrize("settings", [WANG, ZHENG])
def test_adagrad_steps_have_one_rate_a_row(settings: Any) -> None:
    settings = replace(settings, map_rate=0.0, learning_rate=0.1, schedule="constant")
    student, sentences = student_of(settings), made_sentences()
    batch = made_batch(sentences)
    start, gradients = torch.tensor(student.table, dtype=torch.float64), []
    before = {name: map_.copy() for name, map_ in student.maps.items()}
    for step in (1, 2, 3):
        table, maps = parameters(student)
        literal(student, sentences, drawn_by(student, batch, step), table, maps).backward()
        gradients.append(table.grad)
        student.replay(batch)
    np.testing.assert_allclose(student.table, row_adagrad(start, gradients, 0.1).numpy(), atol=1e-4)
    assert all((student.maps[name] == map_).all() for name, map_ in before.items())


def test_the_paper_presets_have_the_papers_constants() -> None:
    wang = DynamicSkipgramSettings.presets()["paper"]
    assert (wang.dimensions, wang.window, wang.negatives, wang.negative_power) == (300, 5, 5, 0.75)
    assert (wang.optimizer, wang.learning_rate, wang.schedule, wang.clip_centre) == ("sgd", 0.025, "linear", 5.0)
    assert (wang.subsample, wang.predict, wang.epochs, wang.init) == (0.0, "each", 1, "random")
    printed = DynamicSkipgramSettings.presets()["printed"]
    assert (printed.predict, printed.attention, printed.clip, printed.clip_centre) == ("window", True, 5.0, 0.0)
    same = {"predict": "each", "clip": 0.0, "clip_centre": 5.0, "step_sentences": 1}
    assert replace(printed, **same) == wang  # type: ignore[arg-type]
    zheng = ContextToVecSettings.presets()["paper"]
    assert (zheng.dimensions, zheng.window, zheng.negatives, zheng.learning_rate) == (300, 5, 5, 0.08)
    assert (zheng.centre_share, zheng.window_share, zheng.phi, zheng.variant) == (0.5, 0.5, "identity", "paper")
    assert (zheng.semantic_weight, zheng.contextual_weight, zheng.negative_weight) == (1.0, 1.0, 1.0)


@pytest.mark.parametrize("settings", CASES)
def test_batches_without_any_window_change_nothing(settings: Any) -> None:
    student = student_of(settings)
    before = student.table.copy()
    student.replay(made_batch(made_sentences([(2,), (-1,), (-1, -1), (3,)])))
    assert student.table.tobytes() == before.tobytes()


def test_a_centre_outside_the_vocabulary_teaches_and_a_lone_word_has_no_vector() -> None:
    student = student_of(WANG)
    before = student.table.copy()
    batch = made_batch(made_sentences([(-1, 4), (3,)]))
    student.observe(batch)
    student.replay(batch)
    assert (student.table[4] != before[4]).any()  # predicted by the word before it, which has no row itself
    assert student.vectors().words == ["w4"]


def test_words_are_left_out_of_windows_by_their_frequency() -> None:
    student = student_of(replace(WANG, subsample=1e-2))
    batch = made_batch([one for seed in range(200) for one in made_sentences(seed=seed)])
    kept = np.bincount(student.windows(batch, generator(1)).rows[:, :4].clip(-1).ravel() + 1, minlength=8)[1:]
    every = np.bincount(student_of(WANG).windows(batch, generator(1)).rows[:, :4].ravel() + 1, minlength=8)[1:]
    np.testing.assert_allclose(kept / every, student.keep, atol=0.05)


SMALL: list[Any] = [
    (DynamicSkipgram, DynamicSkipgramSettings()),
    (ContextToVec, ContextToVecSettings()),
    (ContextToVec, ContextToVecSettings(variant="released")),
]


def structured(seed: int = 5) -> Batch:
    """Sentences whose words' vectors point to what their neighbours are."""
    random = np.random.default_rng(seed)
    directions = random.normal(size=(7, 5)).astype(np.float32)
    words = random.integers(0, 7, size=(400, 4)).astype(np.int32)
    around = directions[words].sum(axis=1, keepdims=True) - directions[words]
    vectors = around / 3 + 0.1 * random.normal(size=(400, 4, 5)).astype(np.float32) + 3.0
    return Batch(
        words.ravel(),
        np.repeat(np.arange(400, dtype=np.int32), 4),
        np.tile(np.arange(4, dtype=np.int32), 400),
        {2: vectors.reshape(-1, 5).astype(np.float32)},
    )


def mean_loss(student: Skipgram, batch: Batch) -> float:
    windows = student.windows(batch, generator(99))
    return student.gradient(student.table, windows).loss / len(windows.rows)


@pytest.mark.parametrize(("kind", "settings"), SMALL)
def test_training_lowers_the_loss_from_any_start(kind: Callable[..., Skipgram], settings: Any) -> None:
    batch = structured()
    for init in ("closed", "random"):
        given = replace(settings, init=init, subsample=0.0, epochs=5, pull=0.0, learning_rate=0.05, map_rate=0.1)
        student = kind(replace(made_brief(), total_words=1600), given)
        student.observe(batch)
        student.begin(batch)
        before = mean_loss(student, batch)
        for _ in range(5):
            student.replay(batch)
        assert mean_loss(student, batch) < 0.98 * before


@pytest.mark.parametrize(("kind", "settings"), SMALL)
@pytest.mark.parametrize("dimensions", [0, 3])
def test_the_start_is_the_closed_form(kind: Callable[..., Skipgram], settings: Any, dimensions: int) -> None:
    batch = structured()
    student = kind(made_brief(), replace(settings, dimensions=dimensions))
    assert student.observe(batch) is None
    expected = student.vectors().matrix
    assert not student.begun
    assert student.projection() == {}
    student.begin(batch)
    assert list(student.projection()) == [*student.map_names, "mean"]
    assert student.table.shape == (7, dimensions or 5)
    if not dimensions:
        cosines = (student.table * expected).sum(axis=1)
        cosines /= np.linalg.norm(student.table, axis=1) * np.linalg.norm(expected, axis=1)
        np.testing.assert_allclose(cosines, 1.0, atol=1e-5)


@pytest.mark.parametrize(("kind", "settings"), SMALL)
@pytest.mark.parametrize("init", ["closed", "random"])
def test_a_student_gathers_in_the_pass_and_learns_in_as_many_replays_as_epochs(
    kind: Callable[..., Skipgram], settings: Any, init: Any
) -> None:
    student, batch = kind(made_brief(), replace(settings, init=init, epochs=3, subsample=0.0)), structured()
    assert (student.needs.replays, student.needs.keeps) == (3, "words")
    student.observe(batch)
    if init == "random":  # of the windows' vectors otherwise, once the closed form is taken
        np.testing.assert_allclose(student.mean, batch.layers[2].astype(np.float64).mean(axis=0), rtol=1e-6)
    assert not student.begun
    assert not student.table.size
    assert student.losses == []
    student.replay(batch)
    assert student.begun
    assert student.table.shape == (7, 5)
    assert student.losses


@pytest.mark.parametrize(("kind", "settings"), SMALL)
@pytest.mark.parametrize("preset", ["small", "paper"])
@pytest.mark.parametrize("when", ["in the pass", "in a replay"])
def test_a_state_that_is_loaded_goes_on_to_the_same_bytes(
    kind: Callable[..., Skipgram], settings: Any, preset: str, when: str
) -> None:
    settings = replace(type(settings).presets()[preset], dimensions=4, subsample=0.0)
    student, resumed = (kind(made_brief(), settings) for _ in range(2))
    batches = [made_batch(made_sentences(seed=seed)) for seed in (1, 2)]
    student.observe(batches[0])
    if when == "in a replay":
        student.observe(batches[1])
        student.replay(batches[0])
    resumed.load_state_dict({name: array.copy() for name, array in student.state_dict().items()})
    for one in (student, resumed):
        if when == "in the pass":
            one.observe(batches[1])
            one.replay(batches[0])
        one.replay(batches[1])
    assert student.vectors().matrix.tobytes() == resumed.vectors().matrix.tobytes()
    assert student.losses == resumed.losses


@pytest.mark.parametrize(("kind", "settings"), SMALL)
def test_any_number_of_threads_gives_the_same_bytes(kind: Callable[..., Skipgram], settings: Any) -> None:
    import numba

    tables = []
    most = numba.get_num_threads()
    for threads in (1, most):
        numba.set_num_threads(threads)
        student = kind(made_brief(), replace(settings, init="random", subsample=0.0, map_rate=0.1))
        student.observe(structured())
        student.replay(structured())
        tables.append(student.table.tobytes())
    numba.set_num_threads(most)
    assert tables[0] == tables[1]


def test_contexts_that_are_all_one_give_finite_vectors() -> None:
    batch = made_batch([(np.ones((3, 5), dtype=np.float32), (0, 1, 2))])
    for kind, settings in SMALL:
        student = kind(made_brief(), settings)
        student.observe(batch)
        student.replay(batch)
        assert np.isfinite(student.vectors().matrix).all()


def test_options_are_read_and_refused_by_name() -> None:
    settings = read_settings(DynamicSkipgramSettings, "dynamic-skipgram", {"preset": "paper", "attention": "false"})
    assert (settings.attention, settings.dimensions) == (False, 300)
    for kind, options, message in (
        (DynamicSkipgramSettings, {"window": "0"}, r"dynamic-skipgram\.window must be between 1 and"),
        (ContextToVecSettings, {"phi": "sine"}, r"phi is one of identity, tanh, relu"),
        (ContextToVecSettings, {"negative_weight": "-1"}, r"context-to-vec\.negative_weight must be at least 0"),
    ):
        with pytest.raises(InputError, match=message):
            read_settings(kind, "student", options)
    with pytest.raises(InputError, match=r"dynamic-skipgram\.dimensions must be between 1 and 5"):
        DynamicSkipgram(made_brief(), DynamicSkipgramSettings(dimensions=300))
