"""The tagger: its BiLSTM against torch's own, and that it learns."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from wordstill.evaluation.downstream.bilstm import BiLstm
from wordstill.evaluation.downstream.settings import TaggingSettings
from wordstill.evaluation.downstream.tagger import (
    Dropout,
    Sentences,
    Spellings,
    make_tagger,
    predict_tags,
    train_tagger,
)

SETTINGS = TaggingSettings(hidden=12, characters=4, character_filters=5, batch=4, epochs=2)
WORDS = [("a", "bb", "ccc"), ("bb",), ("ccc", "a", "a", "dddd", "bb")]


def made(finetune: bool = False, **changed: object):
    vectors = np.random.default_rng(0).standard_normal((5, 6)).astype(np.float32)
    vectors[0] = 0
    rows = {"a": 1, "bb": 2, "ccc": 3, "dddd": 4}
    spellings = Spellings(WORDS, [])
    sentences = Sentences(
        [np.array([rows[word] for word in text]) for text in WORDS], [spellings.of(text) for text in WORDS]
    )
    model = make_tagger(vectors, spellings, ["X", "Y"], SETTINGS, constrained=False, finetune=finetune, seed=0)
    return model, sentences


def as_torchs(bilstm: BiLstm, vectors: int, features: int) -> torch.nn.LSTM:
    """Copy the parameters into torch's own BiLSTM, whose gates stand in the order i, f, g, o."""
    half = bilstm.states
    theirs = torch.nn.LSTM(vectors + features, half, batch_first=True, bidirectional=True)
    order = torch.cat([torch.arange(2 * half), torch.arange(3 * half, 4 * half), torch.arange(2 * half, 3 * half)])
    weights = torch.cat([bilstm.of_vectors.weight, bilstm.of_features.weight], dim=1).detach()
    for number, end in enumerate(("", "_reverse")):
        own = order + 4 * half * number
        getattr(theirs, f"weight_ih_l0{end}").data = weights[own]
        getattr(theirs, f"weight_hh_l0{end}").data = bilstm.of_states[number].detach().T[order]
        getattr(theirs, f"bias_ih_l0{end}").data = bilstm.of_vectors.bias.detach()[own]
        getattr(theirs, f"bias_hh_l0{end}").data = bilstm.of_features.bias.detach()[own]
    return theirs


def test_states_and_gradients_are_those_of_torchs_packed_bilstm() -> None:
    torch.manual_seed(0)
    bilstm, lengths = BiLstm(3, 2, 5), torch.tensor([5, 3, 1])
    theirs = as_torchs(bilstm, 3, 2)
    inputs = torch.randn(3, 5, 5)
    weights = torch.randn(3, 5, 10) * (torch.arange(5) < lengths[:, None])[:, :, None]
    ours, other = inputs.clone().requires_grad_(True), inputs.clone().requires_grad_(True)
    states = bilstm(ours[:, :, :3], ours[:, :, 3:], lengths)
    packed = torch.nn.utils.rnn.pack_padded_sequence(other, lengths, batch_first=True)
    expected, _ = torch.nn.utils.rnn.pad_packed_sequence(theirs(packed)[0], batch_first=True)
    (states * weights).sum().backward()
    (expected * weights).sum().backward()
    torch.testing.assert_close(states * (weights != 0), expected, rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(ours.grad, other.grad, rtol=1e-4, atol=1e-5)
    for weight in bilstm.parameters():
        weight.data = weight.grad
    for name, gradient in as_torchs(bilstm, 3, 2).named_parameters():
        torch.testing.assert_close(gradient.data, getattr(theirs, name).grad, rtol=1e-4, atol=1e-5)


def test_a_spelling_has_the_largest_of_each_filter_whatever_stands_beside_it() -> None:
    model, _ = made()
    model.eval()
    words = ["a", "bb", "ccc", "dddd"]
    together = model.spelled(np.arange(4))
    weight = model.filters.weight.view(5, 3, 4).transpose(1, 2)
    for number, word in enumerate(words):
        letters, _ = model.spellings.behind_each_other(np.array([number]))
        assert len(letters) == len(word) + 2
        read = model.letters(torch.from_numpy(letters)).T[None]
        expected = torch.nn.functional.conv1d(read, weight, model.filters.bias).amax(dim=2)
        torch.testing.assert_close(together[number : number + 1], expected)
    assert model.spellings.of(["dddd"]).tolist() == [3]


def test_dropout_drops_its_share_and_keeps_the_mean_and_rests_when_the_model_does() -> None:
    dropout, values = Dropout(0.25), torch.ones(100, 100)
    kept = dropout(values)
    assert kept.unique().tolist() == [0.0, pytest.approx(4 / 3)]
    assert float(kept.mean()) == pytest.approx(1.0, abs=0.03)
    assert torch.equal(dropout.eval()(values), values)


@pytest.mark.parametrize("finetune", [False, True])
def test_training_repeats_by_its_seed_and_moves_vectors_only_where_it_may(finetune: bool) -> None:
    tags = [np.array([0, 1, 0]), np.array([1]), np.array([0, 0, 0, 1, 1])]
    found = []
    for seed in (0, 0, 1):
        model, sentences = made(finetune)
        before = model.vectors.weight.detach().clone()
        (*_, model) = train_tagger(model, sentences, tags, SETTINGS, seed)
        assert torch.equal(before, model.vectors.weight) != finetune
        found.append(model.emit.weight.detach().clone())
        assert [len(one) for one in predict_tags(model, sentences)] == [3, 1, 5]
    assert torch.equal(found[0], found[1])
    assert not torch.equal(found[0], found[2])
