"""The tagger: its BiLSTM against torch's own, and that it learns."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from wordstill.evaluation.downstream.settings import TaggingSettings
from wordstill.evaluation.downstream.tagger import Sentences, Spellings, make_tagger, predict_tags, train_tagger

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


def test_both_directions_are_those_of_torchs_packed_bilstm() -> None:
    model, sentences = made()
    model.eval()
    emissions, lengths = model.emissions(sentences, np.arange(3))
    theirs = torch.nn.LSTM(11, 6, batch_first=True, bidirectional=True)
    for name, value in model.onwards.named_parameters():
        getattr(theirs, name).data = value.data
    for name, value in model.backwards.named_parameters():
        getattr(theirs, f"{name}_reverse").data = value.data
    for place in range(3):
        spelled = model.spelled(torch.from_numpy(sentences.spellings[place]))
        words = torch.cat([model.vectors(torch.from_numpy(sentences.rows[place])), spelled], dim=1)
        expected = model.emit(theirs(words[None])[0])[0]
        torch.testing.assert_close(emissions[place, : lengths[place]], expected, rtol=1e-4, atol=1e-5)


def test_a_spelling_has_the_largest_of_each_filter_whatever_stands_beside_it() -> None:
    model, _ = made()
    model.eval()
    together = model.spelled(torch.tensor([0, 3]))
    torch.testing.assert_close(together[:1], model.spelled(torch.tensor([0])), rtol=1e-4, atol=1e-5)
    assert model.spellings.of(["dddd"]).tolist() == [3]


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
