"""contextlstm: a word's vector tells the sentences around it from others (context2vec, Melamud et al. 2016).

One LSTM reads the words before a place from left to right, another one those behind it from right to left. What they
say last goes through two layers and is the context c of the place; the word itself is never read:

    c_i = W2 relu(W1 [ left(begin, w_1 .. w_i-1) ; right(end, w_n .. w_i+1) ] + b1) + b2
    loss(w_i) = l(u_wi . c_i) + sum over negatives n of l(-u_n . c_i),      l(x) = log(1 + e^-x)

The vectors are u. Negatives are drawn by count^0.75, and Adam takes the steps. `preset=paper` has the paper's sizes,
and Adam's usual rate. On little text that rate leaves the vectors nearly untrained: the default was found by a search.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
from torch import nn

from wordstill.options import setting
from wordstill.students import replaying
from wordstill.students.network import NO_EDGES, NetworkSettings, NetworkStudent, Step, input_rows, places_of
from wordstill.teacher.batch import Batch


@dataclass(frozen=True)
class ContextLstmSettings(NetworkSettings):
    """All that the method leaves open."""

    owner = "contextlstm"

    dimensions: int = setting(200, "dimensions of the vectors", low=1, high=100_000)
    inputs: int = setting(100, "dimensions of the words that the LSTMs read", low=1, high=100_000)
    hidden: int = setting(200, "cells of each LSTM; the layer between has twice as many", low=1, high=100_000)
    epochs: int = replaying.EPOCHS(2)
    negatives: int = replaying.NEGATIVES(10)
    negative_power: float = replaying.NEGATIVE_POWER(0.75)
    subsample: float = replaying.SUBSAMPLE(0.0)
    learning_rate: float = replaying.LEARNING_RATE(0.004)
    schedule: Literal["constant", "linear"] = replaying.SCHEDULE("linear")
    step_sentences: int = setting(64, "sentences per step", low=1)

    @staticmethod
    def presets() -> dict[str, ContextLstmSettings]:
        """`small`, the default, for 1 to 20 million words; `paper` for two billion."""
        paper = ContextLstmSettings(
            dimensions=600, inputs=300, hidden=600, epochs=3, learning_rate=1e-3, schedule="constant"
        )
        return {"small": ContextLstmSettings(), "paper": paper}


class ContextLstm(NetworkStudent):
    """The table u of the equation above."""

    settings: ContextLstmSettings

    @property
    def input_width(self) -> int:
        """The width of the words that the LSTMs read."""
        return self.settings.inputs

    def make_network(self) -> nn.Module:
        """Make both LSTMs and the two layers."""
        settings = self.settings
        return LstmContexts(settings.inputs, settings.hidden, settings.dimensions)

    def loss(self, scores: torch.Tensor) -> torch.Tensor:
        """Return the logistic loss of the target and its negatives."""
        return nn.functional.softplus(-scores[:, 0]) + nn.functional.softplus(scores[:, 1:]).sum(dim=1)

    def steps(self, batch: Batch, random: np.random.Generator) -> Iterator[Step]:
        """Yield sentences of about the same length together, so that hardly any padding is read."""
        order = np.argsort(batch.sentence_lengths, kind="stable")
        borders = np.arange(0, len(order), self.settings.step_sentences)
        for low in random.permutation(borders).tolist():
            chosen = order[low : low + self.settings.step_sentences]
            words = input_rows(batch, places_of(batch, chosen), len(self.brief.vocabulary))
            yield Step(words, batch.sentence_lengths[chosen], NO_EDGES)


class LstmContexts(nn.Module):
    """A context for each place of sentences, from the words on both sides of it."""

    def __init__(self, inputs: int, hidden: int, dimensions: int) -> None:
        super().__init__()
        self.left, self.right = (nn.LSTM(inputs, hidden, batch_first=True) for _ in range(2))
        self.begin, self.end = (nn.Parameter(torch.zeros(inputs)) for _ in range(2))
        self.first, self.second = nn.Linear(2 * hidden, 2 * hidden), nn.Linear(2 * hidden, dimensions)

    def forward(self, given: torch.Tensor, step: Step) -> torch.Tensor:
        """Return the contexts of all words, given their vectors one sentence after the other."""
        lengths = torch.from_numpy(step.lengths.astype(np.int64))[:, None]
        columns = torch.arange(int(lengths.max()))
        inside = columns < lengths
        words = given.new_zeros(*inside.shape, given.shape[1]).masked_scatter(inside[:, :, None], given)
        turned = torch.where(inside, lengths - 1 - columns, columns)[:, :, None]

        def turn(values: torch.Tensor) -> torch.Tensor:
            return values.gather(1, turned.expand(-1, -1, values.shape[2]))

        def read(lstm: nn.Module, first: torch.Tensor, rest: torch.Tensor) -> torch.Tensor:
            """What an LSTM knows before each word: it begins with `first`, and does not read the last word."""
            states: torch.Tensor = lstm(torch.cat([first.expand(len(rest), 1, -1), rest[:, :-1]], dim=1))[0]
            return states

        both = torch.cat([read(self.left, self.begin, words), turn(read(self.right, self.end, turn(words)))], dim=2)
        contexts: torch.Tensor = self.second(torch.relu(self.first(both[inside])))
        return contexts
