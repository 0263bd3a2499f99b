"""syngcn: a word's vector predicts the words that it is joined with in the parse (Vashishth et al. 2019).

A graph convolution gathers the neighbours of each place in the parse, along the arcs and against them, with weights
and a gate for each relation and direction r. The word itself is not among its neighbours:

    h_i = sum over neighbours j of i of  sigmoid(g_r . x_j + g'_r) (W_r x_j + b_r)
    loss(w_i) = -log( e^(v_wi . h_i) / sum over w_i and negatives n of e^(v_n . h_i) )

The vectors are x, as in the released code; so are the loss over negatives, the single layer without an activation, and
what `preset=paper` has besides the paper's 300 dimensions. Negatives are drawn by count^0.75, targets are kept by their
frequency, and Adam takes the steps, ten times as long by default: that is for little text, and was found by a search.
The text must be parsed (CoNLL-U).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from wordstill.arrays import Array
from wordstill.options import setting
from wordstill.students import replaying
from wordstill.students.network import NetworkSettings, NetworkStudent, Step, input_rows, places_of
from wordstill.students.student import Needs
from wordstill.teacher.batch import Batch


@dataclass(frozen=True)
class SynGcnSettings(NetworkSettings):
    """All that the method leaves open."""

    owner = "syngcn"

    dimensions: int = setting(100, "dimensions of the vectors", low=1, high=100_000)
    epochs: int = replaying.EPOCHS(4)
    negatives: int = replaying.NEGATIVES(25)
    negative_power: float = replaying.NEGATIVE_POWER(0.75)
    subsample: float = replaying.SUBSAMPLE(1e-4)
    learning_rate: float = replaying.LEARNING_RATE(0.01)
    schedule: Literal["constant", "linear"] = replaying.SCHEDULE("linear")
    step_sentences: int = setting(64, "sentences per step", low=1)

    @staticmethod
    def presets() -> dict[str, SynGcnSettings]:
        """`small`, the default, for 1 to 20 million words; `paper` for a Wikipedia."""
        paper = SynGcnSettings(dimensions=300, epochs=5, learning_rate=1e-3, schedule="constant", step_sentences=512)
        return {"small": SynGcnSettings(), "paper": paper}


class SynGcn(NetworkStudent):
    """The table x of the equation above."""

    settings: SynGcnSettings
    result = "inputs"

    @classmethod
    def needs_of(cls, settings: SynGcnSettings, layer: int) -> Needs:
        """Parsed words, and these again for each epoch."""
        return replace(super().needs_of(settings, layer), parses=True)

    def make_network(self) -> nn.Module:
        """Make the graph convolution: two kinds of edges for each relation."""
        width = self.settings.dimensions
        return GraphContexts(2 * max(1, len(self.brief.vocabulary.relations)), width, width)

    def loss(self, scores: torch.Tensor) -> torch.Tensor:
        """Return the loss of a softmax over the target and its negatives."""
        return torch.logsumexp(scores, dim=1) - scores[:, 0]

    def learnable(self, batch: Batch) -> Array:
        """Tell which words have a neighbour: the others are never read."""
        joined = np.zeros(len(batch.words), dtype=bool)
        joined[edges_of(batch)[:, 0]] = True
        return joined & (batch.words >= 0)

    def reached(self, step: Step) -> Array:
        """Tell which places have a neighbour."""
        return np.isin(np.arange(len(step.words)), step.edges[:, 1])

    def steps(self, batch: Batch, random: np.random.Generator) -> Iterator[Step]:
        """Yield the sentences in the order of the block, which is shuffled."""
        every = edges_of(batch)
        owners = batch.sentences[every[:, 1]]
        for low in range(0, len(batch.sentence_lengths), self.settings.step_sentences):
            chosen = np.arange(low, min(low + self.settings.step_sentences, len(batch.sentence_lengths)))
            places = places_of(batch, chosen)
            first, last = batch.sentences[places[0]], batch.sentences[places[-1]]
            own = every[(owners >= first) & (owners <= last)] - np.array([places[0], places[0], 0])
            words = input_rows(batch, places, len(self.brief.vocabulary))
            yield Step(words, batch.sentence_lengths[chosen], own[np.argsort(own[:, 2], kind="stable")])


def edges_of(batch: Batch) -> Array:
    """Return a row (from, to, kind) for both ways of every arc: to the word that hangs, and to its head."""
    if batch.parses is None:
        return np.zeros((0, 3), dtype=np.int64)
    heads = batch.heads
    words = np.flatnonzero(heads >= 0)
    heads, kinds = heads[words], 2 * batch.parses[words, 1].astype(np.int64)
    return np.concatenate([np.stack([heads, words, kinds], 1), np.stack([words, heads, kinds + 1], 1)])


class GraphContexts(nn.Module):
    """A context for each place, from its neighbours in the parse."""

    def __init__(self, kinds: int, inputs: int, dimensions: int) -> None:
        super().__init__()
        bound = (6.0 / (inputs + dimensions)) ** 0.5
        self.weights = nn.Parameter(torch.empty(kinds, inputs, dimensions).uniform_(-bound, bound))
        self.biases = nn.Parameter(torch.zeros(kinds, dimensions))
        gate = (6.0 / (inputs + 1)) ** 0.5
        self.gates = nn.Parameter(torch.empty(kinds, inputs).uniform_(-gate, gate))
        self.gate_biases = nn.Parameter(torch.zeros(kinds))

    def forward(self, given: torch.Tensor, step: Step) -> torch.Tensor:
        """Return the contexts of all words, given their vectors; zeros where a word has no neighbour."""
        kinds, starts = np.unique(step.edges[:, 2], return_index=True)  # edges are sorted by their kind
        sizes = np.diff(np.append(starts, len(step.edges))).tolist()
        origins, places = (torch.from_numpy(step.edges[:, column].copy()) for column in (0, 1))
        # Taken apart and put together once: by the kind, each would leave a gradient as large as all weights.
        weights, biases, gates, gate_biases = (one.unbind() for one in self.parameters())
        messages = []
        read = torch.split(functional.embedding(origins, given), sizes)
        for kind, words in zip(kinds.tolist(), read, strict=True):
            gate = torch.sigmoid(words @ gates[kind] + gate_biases[kind])
            messages.append(gate[:, None] * torch.addmm(biases[kind], words, weights[kind]))
        contexts = given.new_zeros(len(given), self.biases.shape[1])
        return contexts.index_add(0, places, torch.cat(messages)) if messages else contexts
