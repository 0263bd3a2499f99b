"""contextlstm and syngcn: literal versions, no leak of the target, finite differences, and runs that break."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from reference.networks import graph_context, lstm_context
from runs import break_run, vector_bytes
from small_parses import parsed_batch, random_parses, write_parses
from wordstill.arrays import Array
from wordstill.corpus.conllu import ParsedSentence
from wordstill.corpus.vocabulary import Vocabulary
from wordstill.distillation.distill import distill
from wordstill.distillation.settings import DistillSettings
from wordstill.students.contextlstm import ContextLstm, ContextLstmSettings
from wordstill.students.network import NetworkStudent, Step, adam
from wordstill.students.student import Brief
from wordstill.students.syngcn import SynGcn, SynGcnSettings

WORDS = ["a", "b", "c", "d", "e"]
VOCABULARY = Vocabulary(WORDS, np.array([90, 70, 50, 30, 20]), relations=("amod", "nsubj", "obj"))
SENTENCES = random_parses(VOCABULARY, 12, seed=4)
BATCH = parsed_batch(SENTENCES, VOCABULARY)


def made(kind: str, **options: Any) -> NetworkStudent:
    brief = Brief(VOCABULARY, 0, 0, total_words=5000, seed=3)
    small: dict[str, Any] = {"dimensions": 4, "negatives": 3, "step_sentences": 5, "subsample": 0.0, **options}
    if kind == "contextlstm":
        return ContextLstm(brief, ContextLstmSettings(**{"inputs": 3, "hidden": 3, **small}))
    return SynGcn(brief, SynGcnSettings(**small))


def doubled(kind: str) -> tuple[NetworkStudent, Step, torch.Tensor]:
    """A student in double precision, with weights that are nowhere zero, a step, and the vectors of its words."""
    student = made(kind)
    student.begin(None)
    student.network.double()
    draw = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for parameter in student.network.parameters():
            parameter.copy_(torch.randn(parameter.shape, generator=draw, dtype=torch.float64) * 0.7)
    step = next(student.steps(BATCH, np.random.default_rng(0)))
    given = torch.randn((len(step.words), student.input_width), generator=draw, dtype=torch.float64)
    return student, step, given


def sentences_of(step: Step) -> list[slice]:
    ends = np.cumsum(step.lengths)
    return [slice(int(end - length), int(end)) for end, length in zip(ends, step.lengths, strict=True)]


def weights_of(student: NetworkStudent) -> dict[str, Array]:
    return {name: parameter.detach().numpy() for name, parameter in student.network.named_parameters()}


def test_the_contexts_of_two_lstms_are_those_of_the_literal_version() -> None:
    student, step, given = doubled("contextlstm")
    found, weights = student.network(given, step).detach().numpy(), weights_of(student)
    for part in sentences_of(step):
        words = list(given[part].numpy())
        expected = [lstm_context(words, place, weights) for place in range(len(words))]
        np.testing.assert_allclose(found[part], expected, rtol=1e-9)


def test_the_contexts_of_a_graph_are_those_of_the_literal_version() -> None:
    student, step, given = doubled("syngcn")
    found, weights = student.network(given, step).detach().numpy(), weights_of(student)
    for part, sentence in zip(sentences_of(step), SENTENCES[:5], strict=True):
        relations = VOCABULARY.number_relations(sentence.relations).tolist()
        words = list(given[part].numpy())
        for place in range(len(words)):
            expected = graph_context(words, sentence.heads, relations, place, weights)
            np.testing.assert_allclose(found[part][place], expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("kind", ["contextlstm", "syngcn"])
def test_a_word_does_not_leak_into_its_own_context(kind: str) -> None:
    student, step, given = doubled(kind)
    given.requires_grad_(True)
    for number, part in enumerate(sentences_of(step)):
        for place in range(part.stop - part.start):
            context = student.network(given, step)[part.start + place]
            (slope,) = torch.autograd.grad(context.abs().sum(), given, allow_unused=True)
            felt = np.zeros(len(step.words), bool) if slope is None else slope.abs().sum(dim=1).numpy() > 0
            others = [other for other in range(part.stop - part.start) if other != place]
            if kind == "syngcn":
                heads = SENTENCES[number].heads
                others = [other for other in others if heads[place] == other or heads[other] == place]
            assert np.flatnonzero(felt).tolist() == [part.start + other for other in others]


@pytest.mark.parametrize("kind", ["contextlstm", "syngcn"])
def test_gradients_are_those_of_finite_differences(kind: str) -> None:
    student, step, given = doubled(kind)
    places, words = student.targets(step, np.random.default_rng(2))
    assert len(places)
    targets = torch.randn((len(WORDS), 4), generator=torch.Generator().manual_seed(5), dtype=torch.float64)
    leaves = {"inputs": given, "targets": targets, **dict(student.network.named_parameters())}

    def loss() -> torch.Tensor:
        return student.total_loss(step, given, targets, places, words)

    for leaf in leaves.values():
        leaf.requires_grad_(True)
    slopes = torch.autograd.grad(loss(), list(leaves.values()))
    draw, tiny = np.random.default_rng(0), 1e-6
    for (name, leaf), slope in zip(leaves.items(), slopes, strict=True):
        for _ in range(4):
            place = tuple(int(draw.integers(size)) for size in leaf.shape)
            losses = []
            for move in (tiny, -tiny):
                with torch.no_grad():
                    leaf[place] += move
                    losses.append(float(loss()))
                    leaf[place] -= move
            assert float(slope[place]) == pytest.approx((losses[0] - losses[1]) / (2 * tiny), rel=1e-5, abs=1e-7), name


def test_the_losses_are_those_of_their_equations() -> None:
    scores = torch.tensor([[1.5, -0.5, 2.0]], dtype=torch.float64)
    expected = np.log1p(np.exp(-1.5)) + np.log1p(np.exp(-0.5)) + np.log1p(np.exp(2.0))
    assert float(made("contextlstm").loss(scores)) == pytest.approx(expected)
    expected = -np.log(np.exp(1.5) / np.exp([1.5, -0.5, 2.0]).sum())
    assert float(made("syngcn").loss(scores)) == pytest.approx(expected)


def test_the_steps_are_those_of_torchs_adam() -> None:
    draw = torch.Generator().manual_seed(0)
    ours = torch.randn(5, 3, generator=draw)
    theirs = ours.clone().requires_grad_(True)
    moments = torch.zeros(5, 3), torch.zeros(5, 3)
    optimizer = torch.optim.Adam([theirs], lr=0.1)
    for number in range(1, 6):
        theirs.grad = torch.randn(5, 3, generator=draw)
        adam(ours, theirs.grad.clone(), moments, number, 0.1)
        optimizer.step()
    np.testing.assert_allclose(ours.numpy(), theirs.detach().numpy(), rtol=1e-4, atol=1e-5)


def test_a_step_moves_the_rows_of_its_words_alone() -> None:
    student = made("contextlstm", negatives=1)
    student.begin(None)
    before = {name: tensor.clone() for name, tensor in student.tensors.items()}
    step = Step(np.array([0, 1, 5]), np.array([3]), np.zeros((0, 3), dtype=np.int64))
    for number in (1, 2):  # targets begin at zero: the first step moves nothing but them
        student.done[1] = number
        student._learn(step, np.random.default_rng(number))
    moved = (student.tensors["inputs"] != before["inputs"]).any(dim=1)
    assert moved.tolist() == [True, True, False, False, False, True]
    assert (student.tensors["network.left.weight_ih_l0"] != before["network.left.weight_ih_l0"]).any()


@pytest.mark.parametrize("kind", ["contextlstm", "syngcn"])
def test_words_that_are_used_alike_become_alike(kind: str) -> None:
    draw = np.random.default_rng(0)
    sentences = []
    for _ in range(300):
        verb, nouns = ("a", ["b", "c"]) if draw.random() < 0.5 else ("d", ["e"])
        sentences.append(ParsedSentence([verb, str(draw.choice(nouns))], [-1, 0], ["nsubj", "obj"]))
    batch = parsed_batch(sentences, VOCABULARY)
    student = made(kind, dimensions=8, learning_rate=0.02, epochs=10, step_sentences=20)
    student.observe(batch)
    for _ in range(10):
        student.replay(batch)
    vectors = student.vectors()
    assert vectors.words == WORDS
    assert vectors.similarity("b", "c") > vectors.similarity("b", "e") + 0.3
    assert student.losses[-1][1] < 0.8 * student.losses[0][1]


@pytest.mark.slow
def test_a_killed_run_goes_on_to_the_same_bytes(tmp_path: Path) -> None:
    corpus = write_parses(tmp_path / "texts.conllu", 300)
    shape = {"dimensions": "6", "epochs": "2"}
    settings = DistillSettings(
        students=("contextlstm", "syngcn"),
        student_options={"contextlstm": {**shape, "inputs": "4", "hidden": "4"}, "syngcn": shape},
        shard_words=1200,
        threads=1,
    )
    distill(corpus, out=tmp_path / "whole", settings=settings, workers=0)
    expected = vector_bytes(tmp_path / "whole")
    assert len(expected) > 2
    for after in (3, 5, 8):
        out = tmp_path / str(after)
        break_run(corpus, out, settings, after)
        distill(corpus, out=out, settings=settings, resume=True)
        assert vector_bytes(out) == expected
