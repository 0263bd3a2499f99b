"""x2static: a word's vector tells the sentences that hold it from others (Gupta and Jaggi 2021).

The context of a sentence S inside a text T (the sentence itself, or its paragraph) is

    E(S) = 1/|S|  sum over the words w of S of  M(T, w)

and every kept word of S is a target with that context:

    loss(w, S) = l(u_w . E) + sum over negatives n of l(-u_n . E),      l(x) = log(1 + e^-x)

Targets are kept with probability min(1, sqrt(t/f) + t/f), negatives are drawn by count^0.5, and only the rows
of a batch are updated. `preset=paper` has the paper's settings (with the released code's constants where the
paper is silent): random start, lazy Adam at a constant rate, one epoch, at most 128 texts a step.
With `variant=pieces` E(S) is the mean over pieces instead of words, [CLS] and [SEP] among them where a sentence is
read alone: what the released code does, and the paper does not say.

The default is what measures best on 1 to 20 million words, where the paper's settings leave the vectors nearly
untrained. Contextual spaces share a large common mean, so contexts are centred; the start is the closed form of
the same objective; one pass over the kept contexts follows (a second and a third change nothing that can be measured),
with a rate for each row (Adagrad) that falls to zero, and each word is held near its start the more, the fewer contexts
it has. Steps are large: what a row learns in one is added up before it moves, so fewer rows are read and written.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from wordstill.arrays import Array
from wordstill.kernels.rows import Step, adagrad_rows, adam_rows, group_by_row, scores_of, total_loss
from wordstill.kernels.sampling import generator
from wordstill.options import setting
from wordstill.students import descent, replaying
from wordstill.students.closed import ClosedSettings
from wordstill.students.descent import Descent, DescentSettings
from wordstill.students.student import Brief, Contexts, Needs, Shown
from wordstill.teacher.batch import Batch


@dataclass(frozen=True)
class X2StaticSettings(DescentSettings):
    """All that the method leaves open."""

    owner = "x2static"

    variant: Literal["words", "pieces"] = setting("words", "what E(S) is the mean of")
    init: Literal["closed", "random", "zero"] = setting("closed", "where the table starts")
    epochs: int = replaying.EPOCHS(1)
    negatives: int = replaying.NEGATIVES(5)
    negative_power: float = replaying.NEGATIVE_POWER(0.5)
    subsample: float = replaying.SUBSAMPLE(1e-4)
    optimizer: Literal["adam", "adagrad"] = setting("adagrad", "lazy Adam, or Adagrad with one rate per row")
    learning_rate: float = replaying.LEARNING_RATE(0.05)
    schedule: Literal["constant", "linear"] = replaying.SCHEDULE("linear")
    step_contexts: int = setting(512, "sentences per step, at most", low=1)
    centre: bool = descent.CENTRE(True)
    offset: bool = descent.OFFSET(True)
    pull: float = descent.PULL(10.0)
    clamp: float = setting(20.0, "scores beyond this bound do not learn", low=0)

    @staticmethod
    def presets() -> dict[str, X2StaticSettings]:
        """`small`, the default, for 1 to 20 million words; `paper` for a billion."""
        return {
            "small": X2StaticSettings(),
            "paper": X2StaticSettings(
                init="random",
                negatives=10,
                subsample=5e-6,
                optimizer="adam",
                learning_rate=1e-3,
                schedule="constant",
                step_contexts=128,
                centre=False,
                offset=False,
                pull=0.0,
            ),
        }


class X2Static(Descent):
    """The table u of the equation above."""

    arrays = (*Descent.arrays, "first", "second")
    settings: X2StaticSettings

    def __init__(self, brief: Brief, settings: X2StaticSettings) -> None:
        self.pieces = settings.variant == "pieces"
        view = ClosedSettings(view="pieces" if self.pieces else "sentence")
        super().__init__(brief, settings, view, brief.width)
        self.first, self.second = self.start, self.start

    @classmethod
    def needs_of(cls, settings: X2StaticSettings, layer: int) -> Needs:
        """Sentences at one layer, and their contexts again for each epoch."""
        shown: Shown = "pieces" if settings.variant == "pieces" else "sentences"
        return Needs(shown, (layer,), replays=settings.epochs, keeps="contexts")

    def observe(self, batch: Batch) -> Contexts:
        """Gather the closed form's sums, or the contexts' mean; give what a replay needs."""
        layer = self.brief.layer
        means = batch.pieces[layer] if self.pieces else batch.sentence_means(layer)
        contexts = Contexts(means, batch.words, batch.sentences)
        np.add.at(self.seen, batch.words[batch.words >= 0], 1)
        if self.closed is not None:
            self.closed.observe(batch)
        else:
            self.follow_mean(contexts.vectors)
        return contexts

    def make_table(self) -> None:
        """Start at zero or at random; the closed form is not known yet, and its sums are as large."""
        size, width = len(self.brief.vocabulary), self.brief.width
        self.table = np.zeros((0 if self.closed else size, width), dtype=np.float32)
        if self.settings.init == "random":
            bound = 1.0 / width
            self.table = generator(self.brief.seed, 0).uniform(-bound, bound, (size, width)).astype(np.float32)
        if self.settings.optimizer == "adam":
            self.first, self.second = (np.zeros((size, width), dtype=np.float32) for _ in range(2))
        else:
            self.squares = np.zeros(size, dtype=np.float32)

    def take_closed_form(self, sample: Contexts) -> None:
        """Make the closed form the table, at the length at which it explains a sample of contexts best."""
        assert self.closed is not None
        self.mean, map_ = self.closed.mean_and_map()
        self.table = self.closed.give_up(self.mean, map_)
        vectors, owners, rows = self._targets(sample, generator(self.brief.seed, 1))
        rows, owners = rows[:5_000], owners[:5_000]
        if len(rows):  # a table times a factor has its scores times that factor
            scores, clamp = scores_of(self.table, vectors, owners, rows), self.settings.clamp
            self.set_length(lambda factor: float(total_loss(scores * factor, clamp, self.offset)))

    def learn(self, contexts: Contexts) -> None:
        """Steps of at most `step_contexts` contexts."""
        borders = np.searchsorted(contexts.owners, np.arange(0, len(contexts.vectors), self.settings.step_contexts))
        for low, high in zip(borders, [*borders[1:], len(contexts.owners)], strict=True):
            part = contexts.owners[low:high]
            first, last = part[0], part[-1] + 1
            self._step(Contexts(contexts.vectors[first:last], contexts.words[low:high], part - first))

    def _targets(self, contexts: Contexts, random: np.random.Generator) -> tuple[Array, Array, Array]:
        """Centred contexts, and for each kept target the context's row and the words: target, negatives."""
        kept = random.random(len(contexts.words)) < self.keep[contexts.words]
        kept &= contexts.words >= 0
        targets, owners = contexts.words[kept], contexts.owners[kept]
        negatives = self.sampler.draw(random, (len(targets), self.settings.negatives))
        rows = np.concatenate([targets[:, None], negatives], axis=1)
        vectors = contexts.vectors
        if self.settings.centre:
            vectors = vectors - self.mean.astype(np.float32)
        return vectors, owners, rows

    def _step(self, contexts: Contexts) -> None:
        vectors, owners, rows = self._targets(contexts, self.next_step(len(contexts.words)))
        if not len(rows):
            return
        distinct, starts, places = group_by_row(rows, self.slots)
        scores = (self.settings.clamp, self.offset)
        step = Step(distinct, starts, places, rows.shape[1], vectors, owners, *scores)
        if self.settings.optimizer == "adam":
            number = int(self.done[1])
            loss = adam_rows(self.table, self.first, self.second, step, self.rate(), number, 1.0 / len(rows))
        else:
            loss = adagrad_rows(self.table, self.squares, self.start, self.pulls(distinct), step, self.rate())
        self.curve.add(float(loss), len(rows), len(contexts.words))
