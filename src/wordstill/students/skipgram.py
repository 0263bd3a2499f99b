"""What the two skip-gram students share: windows, a projection of the teacher's vectors, and how they learn.

The centre i of a window is the teacher's vector o_i, projected to u_i = W (o_i - m) (m = 0 unless `centre`); the
words around it are rows of the table v, which is the result. Every word is a centre, in the vocabulary or not: the
teacher has a vector of it. A word outside the vocabulary has no row in v, and is left out of windows.

The teacher's pass keeps its word vectors, and learning follows over these. With `init=closed` the pass also gathers the
closed form of the same objective (`closed`, view=window). W is then the closed form's whitening
(S + r tr(S)/d I)^-1/2, and v_w is W (m_w - m): so v_w . u_i is Fisher's discriminant at o_i, and learning starts where
the mathematics ends.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar, Literal, NamedTuple, TypeVar

import numpy as np

from wordstill.arrays import Array
from wordstill.kernels.rows import adagrad_gradients, group_by_row, row_gradients
from wordstill.kernels.sampling import generator
from wordstill.kernels.windows import window_borders, window_means, window_words
from wordstill.options import check_range, setting
from wordstill.students import descent, replaying
from wordstill.students.closed import ClosedSettings
from wordstill.students.descent import Descent, DescentSettings
from wordstill.students.student import Brief, Needs
from wordstill.teacher.batch import Batch

SettingsType = TypeVar("SettingsType", bound="SkipgramSettings")


@dataclass(frozen=True)
class SkipgramSettings(DescentSettings):
    """All that the two methods leave open."""

    paper_rate: ClassVar[float]

    window: int = setting(5, "words to each side", low=1, high=1000)
    dimensions: int = setting(0, "of v and u; 0: the teacher's width", low=0)
    init: Literal["closed", "random"] = setting("closed", "where the table starts")
    epochs: int = replaying.EPOCHS(1)
    negatives: int = replaying.NEGATIVES(5)
    negative_power: float = replaying.NEGATIVE_POWER(0.75)
    subsample: float = replaying.SUBSAMPLE(1e-5)
    optimizer: Literal["sgd", "adagrad"] = setting(
        "adagrad", "plain gradient descent, or Adagrad with one rate per row"
    )
    learning_rate: float = replaying.LEARNING_RATE(0.01)
    map_rate: float = setting(0.0, "the rate of W, as a share of the table's; 0: W stays as it starts", low=0)
    schedule: Literal["constant", "linear"] = replaying.SCHEDULE("linear")
    step_sentences: int = setting(128, "sentences per step, at most", low=1)
    clip: float = setting(0.0, "the longest gradient of a step; 0: any length", low=0)
    centre: bool = descent.CENTRE(True)
    offset: bool = descent.OFFSET(True)
    pull: float = descent.PULL(30.0)

    @classmethod
    def presets(cls: type[SettingsType]) -> dict[str, SettingsType]:
        """`small`, the default, for 1 to 20 million words; `paper` for a billion."""
        paper = cls(
            dimensions=300,
            init="random",
            subsample=0.0,
            optimizer="sgd",
            learning_rate=cls.paper_rate,
            map_rate=1.0,
            clip=5.0,
            centre=False,
            offset=False,
            pull=0.0,
        )
        return {"small": cls(), "paper": paper}


class Windows(NamedTuple):
    """Centres with the words around them."""

    vectors: Array
    """o_i - m, one centre per row."""
    means: Array
    """The mean over the window's words of o_k - m."""
    rows: Array
    """The window's words, a -1 behind the last, filled up to 2 `window`; then the negatives."""
    places: Array
    """Where each centre stands in the batch."""


class Learned(NamedTuple):
    """The loss of windows and its derivatives."""

    loss: float
    rows: Array
    """The rows of the table that the loss depends on, -1 for none; one line per centre."""
    coefficients: Array
    """d loss / d row is the sum over its places of coefficient times `centres` ..."""
    own: Array
    """... and of this coefficient times the row itself; empty: zero."""
    centres: Array
    maps: Mapping[str, Array]
    """d loss / d map, for maps that learn."""


def outer_sum(left: Array, right: Array) -> Array:
    """left' right, the sum over the rows of two tall matrices.

    In blocks: the order in which BLAS adds up long sums depends on its number of threads.
    """
    total = np.zeros((left.shape[1], right.shape[1]), dtype=np.float32)
    for low in range(0, len(left), 256):
        total += left[low : low + 256].T @ right[low : low + 256]
    return total


class Skipgram(Descent):
    """Learns from windows of kept words; `gradient` is what a method says."""

    map_names: tuple[str, ...] = ("map",)
    needs_means = False
    settings: SkipgramSettings

    def __init__(self, brief: Brief, settings: SkipgramSettings) -> None:
        view = ClosedSettings(view="window", window=settings.window)
        super().__init__(brief, settings, view, settings.dimensions or brief.width)
        if self.closed:
            check_range(f"{settings.owner}.dimensions", self.dimensions, 1, brief.width)
        self.maps = {name: np.zeros((0, brief.width), dtype=np.float32) for name in self.map_names}
        self.map_squares = {name: np.zeros(0, dtype=np.float32) for name in self.map_names}

    @classmethod
    def needs_of(cls, settings: SkipgramSettings, layer: int) -> Needs:
        """Windows at one layer, and the words again for each epoch."""
        return Needs("windows", (layer,), replays=settings.epochs, keeps="words")

    def observe(self, batch: Batch) -> None:
        """Gather the closed form's sums, or the mean of the words' vectors."""
        low, high = window_borders(batch.sentences, batch.positions, self.settings.window)
        np.add.at(self.seen, batch.words[(batch.words >= 0) & (high - low > 1)], 1)
        if self.closed is not None:
            self.closed.observe(batch)
        elif self.settings.centre:
            self.follow_mean(batch.layers[self.brief.layer])

    def make_table(self) -> None:
        """Start at random; the closed form is not known yet, and its sums are as large."""
        size, width = len(self.brief.vocabulary), self.brief.width
        random = generator(self.brief.seed, 0)
        self.table = random.random((0 if self.closed else size, self.dimensions), dtype=np.float32)
        self.table -= np.float32(0.5)
        self.table *= np.float32(2.0 / self.dimensions)  # U(-1/d, 1/d)
        bound = 1.0 / math.sqrt(width)
        for name in self.map_names:
            self.maps[name] = random.uniform(-bound, bound, (self.dimensions, width)).astype(np.float32)
            self.map_squares[name] = np.zeros(self.dimensions, dtype=np.float32)
        self.squares = np.zeros(size if self.settings.optimizer == "adagrad" else 0, dtype=np.float32)

    def take_closed_form(self, sample: Batch) -> None:
        """Make the closed form the table, at the length at which it explains a sample of windows best."""
        assert self.closed is not None
        mean, values, directions = self.closed.spectrum()
        self.mean = mean if self.settings.centre else self.mean
        scales = values**-0.5 if len(values) else np.zeros(len(directions))
        map_ = (directions * scales).T[-self.dimensions :]
        if len(values) and self.dimensions == self.brief.width:
            map_ = directions @ map_  # the symmetric root: nearest to the teacher's own directions
        if len(values):
            # u's numbers are of size 1, whatever the teacher: so one learning rate fits all of them.
            spread = (sample.layers[self.brief.layer] - mean) @ map_.T
            map_ = map_ / np.sqrt((spread**2).mean())
        for name in self.map_names:
            # In rows, as a checkpoint has it: BLAS rounds by the layout.
            self.maps[name] = np.ascontiguousarray(map_, dtype=np.float32)
        self.table = self.closed.give_up(mean, map_)
        self.scale(sample)

    def scale(self, sample: Batch) -> None:
        """Give the table the length at which it explains a sample of windows best."""
        windows = Windows(*(part[:5_000] for part in self.windows(sample, generator(self.brief.seed, 1))))
        if len(windows.rows):
            self.set_length(lambda factor: self.gradient(self.table * factor, windows).loss)

    def learn(self, batch: Batch) -> None:
        """Steps of at most `step_sentences` sentences."""
        borders = [*batch.sentence_starts[:: self.settings.step_sentences], len(batch.words)]
        for low, high in pairwise(borders):
            part = slice(int(low), int(high))
            layers = {self.brief.layer: batch.layers[self.brief.layer][part]}
            self._step(Batch(batch.words[part], batch.sentences[part], batch.positions[part], layers))

    def windows(self, batch: Batch, random: np.random.Generator) -> Windows:
        """The centres of a batch that have a word of the vocabulary in their window."""
        settings = self.settings
        kept = random.random(len(batch.words)) < self.keep[batch.words]
        low, high = window_borders(batch.sentences, batch.positions, settings.window)
        targets = window_words(batch.words, kept, low, high, 2 * settings.window)
        centres = np.flatnonzero(targets[:, 0] >= 0)
        vectors = batch.layers[self.brief.layer]
        if settings.centre:
            vectors = vectors - self.mean.astype(np.float32)
        means = window_means(vectors, low, high, centres) if self.needs_means else vectors[:0]
        negatives = self.sampler.draw(random, (len(centres), settings.negatives))
        return Windows(vectors[centres], means, np.concatenate([targets[centres], negatives], axis=1), centres)

    def gradient(self, table: Array, windows: Windows) -> Learned:
        """The loss of windows and its derivatives: what a method says."""
        raise NotImplementedError

    def _step(self, batch: Batch) -> None:
        settings = self.settings
        windows = self.windows(batch, self.next_step(len(batch.words)))
        if not len(windows.rows):
            return
        learned = self.gradient(self.table, windows)
        self.curve.add(learned.loss, len(windows.rows), len(batch.words))
        rate = self.rate()
        distinct, starts, places = group_by_row(learned.rows, self.slots)
        gradients = row_gradients(
            self.table, distinct, starts, places, learned.coefficients, learned.own, learned.centres
        )
        if settings.clip:
            squares = [float(np.vdot(array, array)) for array in (gradients, *learned.maps.values())]
            rate *= min(1.0, settings.clip / math.sqrt(max(sum(squares), 1e-30)))
        if settings.optimizer == "sgd":
            self.table[distinct] -= np.float32(rate) * gradients
        else:
            adagrad_gradients(self.table, self.squares, self.start, self.pulls(distinct), distinct, gradients, rate)
        for name, gradient in learned.maps.items():
            pace = np.full(len(gradient), rate * settings.map_rate, dtype=np.float32)
            if settings.optimizer == "adagrad":
                self.map_squares[name] += (gradient**2).mean(axis=1)
                pace /= np.sqrt(np.maximum(self.map_squares[name], 1e-30))
            self.maps[name] -= pace[:, None] * gradient

    def projection(self) -> dict[str, Array]:
        """W and the like, and m: the maps of a centre o_i are applied to o_i - m."""
        return {**self.maps, "mean": self.mean.astype(np.float32)} if self.begun else {}

    def state_dict(self) -> dict[str, Array]:
        """The maps besides."""
        squares = {f"{name}.squares": array for name, array in self.map_squares.items()}
        return super().state_dict() | self.maps | squares

    def load_state_dict(self, state: Mapping[str, Array]) -> None:
        """Go on from a state."""
        super().load_state_dict(state)
        for name in self.map_names:
            self.maps[name], self.map_squares[name] = np.array(state[name]), np.array(state[f"{name}.squares"])
