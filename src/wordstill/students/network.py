"""What the students share that learn by a network over the words of a sentence: tables of words, steps, and Adam.

The network makes a context vector for every place of a sentence out of the vectors of the *other* words there (the
table `inputs`). It is scored against the word that stands there and against negatives (the table `targets`). The pass
over the text only counts words; all learning follows, in one replay per epoch over the words that were kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from wordstill.arrays import Array
from wordstill.kernels.sampling import generator
from wordstill.students.from_words import FromWords
from wordstill.students.replaying import Sampled, SampledSettings
from wordstill.students.student import Brief
from wordstill.teacher.batch import Batch

# Adam's, as in its paper.
FIRST, SECOND, TINY = 0.9, 0.999, 1e-8
MOMENTS = ("", ".first", ".second")


@dataclass(frozen=True)
class NetworkSettings(SampledSettings):
    """The options that all of these students have; each has its own values."""

    dimensions: int
    step_sentences: int


class Step(NamedTuple):
    """Some sentences of a block, as the network reads them."""

    words: Array
    """The row of each word in the table of inputs; words outside the vocabulary share the last one."""
    lengths: Array
    """The number of words of each sentence."""
    edges: Array
    """Where the text has parses: a row (from, to, kind) for each message from one place to another."""


def adam(values: torch.Tensor, gradient: torch.Tensor, moments: tuple[Any, Any], number: int, rate: float) -> None:
    """Take step `number` of Adam, in place."""
    first, second = moments
    first.mul_(FIRST).add_(gradient, alpha=1 - FIRST)
    second.mul_(SECOND).addcmul_(gradient, gradient, value=1 - SECOND)
    length = (second / (1 - SECOND**number)).sqrt_().add_(TINY)
    values.addcdiv_(first, length, value=-rate / (1 - FIRST**number))


class NetworkStudent(FromWords, Sampled):
    """Two tables and a network; the one named `result` has the words' vectors."""

    arrays = ("done", "seen", "blocks")
    settings: Any
    result = "targets"

    def __init__(self, brief: Brief, settings: Any) -> None:
        super().__init__(brief, settings, settings.dimensions)
        self.blocks = np.zeros(1, dtype=np.int64)
        """How many were learned from."""
        self.tensors: dict[str, torch.Tensor] = {}
        """The tables and the network's weights, each with its two moments."""

    @property
    def input_width(self) -> int:
        """The width of the words that the network reads."""
        return int(self.settings.dimensions)

    def make_network(self) -> nn.Module:
        """Make the network, which is called with the vectors of a step's words, and the step."""
        raise NotImplementedError

    def loss(self, scores: torch.Tensor) -> torch.Tensor:
        """Return the loss of each target, given its score and those of its negatives behind it."""
        raise NotImplementedError

    def steps(self, batch: Batch, random: np.random.Generator) -> Iterator[Step]:
        """Cut a block into steps."""
        raise NotImplementedError

    # ---------------------------------------------------------------- learning

    def make_table(self) -> None:
        """Make tables and network: inputs and weights at random, targets at zero."""
        size, width = len(self.brief.vocabulary), self.input_width
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(self.brief.seed)
            bound = (3.0 / width) ** 0.5
            values = {"inputs": torch.empty(size + 1, width).uniform_(-bound, bound)}
            values["targets"] = torch.zeros(size, self.settings.dimensions)
            self.network = self.make_network()
        self.network.requires_grad_(True)
        values |= {f"network.{name}": one.data for name, one in self.network.named_parameters()}
        for name, tensor in values.items():
            self.tensors[name] = tensor
            self.tensors |= {f"{name}{moment}": torch.zeros_like(tensor) for moment in MOMENTS[1:]}
        # The same memory: it moves with the tensor.
        self.table = self.tensors[self.result].numpy()[:size]

    def learn(self, kept: Batch) -> None:
        """Learn from a block, step by step."""
        self.blocks += 1
        for step in self.steps(kept, generator(self.brief.seed, 1, int(self.blocks[0]))):
            loss, targets = self._learn(step, self.next_step(len(step.words)))
            self.curve.add(loss, targets, len(step.words))

    def targets(self, step: Step, random: np.random.Generator) -> tuple[Array, Array]:
        """Return the places of a step's targets, and for each of them the word and its negatives."""
        known = step.words < len(self.brief.vocabulary)
        chance = np.append(self.keep, 0.0)[step.words]
        places = np.flatnonzero(known & (random.random(len(step.words)) < chance) & self.reached(step))
        negatives = self.sampler.draw(random, (len(places), self.settings.negatives))
        return places, np.concatenate([step.words[places, None], negatives], axis=1).astype(np.int64)

    def reached(self, step: Step) -> Array:
        """Tell which places have a context."""
        return np.ones(len(step.words), dtype=bool)

    def total_loss(
        self, step: Step, inputs: torch.Tensor, targets: torch.Tensor, places: Array, rows: Array
    ) -> torch.Tensor:
        """Return the summed loss of the words at `places`.

        `inputs` are the vectors of the step's words, `targets` some rows of the table of targets, and `rows` which of
        them each place is scored against, its own word first.
        """
        contexts = self.network(inputs, step)[torch.from_numpy(places)]
        scores = torch.einsum("nd,nkd->nk", contexts, functional.embedding(torch.from_numpy(rows), targets))
        return self.loss(scores).sum()

    def _learn(self, step: Step, random: np.random.Generator) -> tuple[float, int]:
        """Take one step; return the summed loss and the number of targets."""
        places, words = self.targets(step, random)
        if not len(places):
            return 0.0, 0
        rows: dict[str, torch.Tensor] = {}
        numbers: dict[str, Array] = {}
        for name, used in (("inputs", step.words), ("targets", words)):
            distinct, numbers[name] = np.unique(used, return_inverse=True)
            rows[name] = torch.from_numpy(distinct.astype(np.int64))
        leaves = {name: self.tensors[name][chosen].requires_grad_(True) for name, chosen in rows.items()}
        given = functional.embedding(torch.from_numpy(numbers["inputs"]), leaves["inputs"])
        loss = self.total_loss(step, given, leaves["targets"], places, numbers["targets"].reshape(words.shape))
        (loss / len(places)).backward()  # type: ignore[no-untyped-call]
        number, rate = int(self.done[1]), self.rate()
        with torch.no_grad():
            for name, chosen in rows.items():  # only the rows of the step move
                parts = [self.tensors[name + moment][chosen] for moment in MOMENTS]
                gradient = leaves[name].grad
                if gradient is not None:
                    adam(parts[0], gradient, (parts[1], parts[2]), number, rate)
                    for moment, part in zip(MOMENTS, parts, strict=True):
                        self.tensors[name + moment][chosen] = part
            for name, parameter in self.network.named_parameters():
                if parameter.grad is not None:
                    moments = tuple(self.tensors[f"network.{name}{moment}"] for moment in MOMENTS[1:])
                    adam(parameter.data, parameter.grad, (moments[0], moments[1]), number, rate)
                    parameter.grad = None
        return float(loss.detach()), len(places)

    # ---------------------------------------------------------------- state

    def state_dict(self) -> dict[str, Array]:
        """The tables, the weights and their moments."""
        return super().state_dict() | {name: tensor.numpy() for name, tensor in self.tensors.items()}

    def load_state_dict(self, state: Mapping[str, Array]) -> None:
        """Go on from a state."""
        super().load_state_dict(state)
        if self.begun:
            self.make_table()
            for name, tensor in self.tensors.items():
                tensor.copy_(torch.from_numpy(np.array(state[name])))


def input_rows(batch: Batch, places: Array, size: int) -> Array:
    """Return the rows of words in a table of inputs, whose last row is for words outside the vocabulary."""
    words = batch.words[places].astype(np.int64)
    return np.where(words < 0, size, words)


def places_of(batch: Batch, sentences: Array) -> Array:
    """Return the places of the words of some sentences of a batch, sentence after sentence."""
    starts, lengths = batch.sentence_starts[sentences], batch.sentence_lengths[sentences]
    before = np.cumsum(lengths) - lengths
    places: Array = np.repeat(starts - before, lengths) + np.arange(lengths.sum())
    return places


NO_EDGES = np.zeros((0, 3), dtype=np.int64)
