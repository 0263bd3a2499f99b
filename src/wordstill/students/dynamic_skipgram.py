"""dynamic-skipgram: a word in context predicts the words around it (Wang, Cui and Zhang 2021, "BERT+Skip-gram").

The centre of a window is the teacher's vector o_i of a word in its sentence; the words j up to `window` places to
each side of it have static vectors v_j, and those are the result:

    c_i   = W o_i                                                                            (10)
    a_j   = softmax over the window of  v_j . c_i                                            (13)
    v_ctx = sum over the window of  a_j v_j                                                  (14)
    loss  = -log sig(v_ctx . c_i)  -  sum over negatives n of  log sig(-v_n . c_i)           (15)

Negatives are drawn by count^0.75, five a centre. Without `attention` all words of a window weigh the same. That is
`predict=window`. With `predict=each` every word of the window is predicted by itself, as in (11):

    loss  = -sum over the window of  log sig(v_j . c_i)  -  sum over negatives n of  log sig(-v_n . c_i)

`preset=printed` is (10) to (15) as they are printed, with the paper's settings: 300 dimensions, a random start, plain
gradient descent from a rate of 0.025 that falls to zero, gradients clipped at length 5, 128 sentences per step. It does
not learn, for two reasons. The gradient of 128 sentences is far longer than 5, so that a step hardly moves a row. And
the derivative of (14) for a word is a_j (1 + s_j - sum a s), s_j = v_j . c_i: it is negative for every word whose score
is more than 1 below the window's mean. One frequent word per window satisfies the loss, takes all the attention, and
rare words are driven away from the words they stand beside. The loss falls, and the vectors hold word frequency alone.
Scores divided by the root of the dimensions, weights taken as constants, and weights on each word's own loss end alike.

`preset=paper` is the nearest reading that learns: `predict=each`, and gradient descent as word2vec has it, where each
centre is an example: its gradient is clipped at length 5 (`clip_centre`), and a step is one sentence. All else is as
printed. docs/studies.md has the figures of both, and of the readings between them.
(The released code differs from all of it: a word can predict itself, the softmax runs over the batch. That is not built
here.)

The default is for 1 to 20 million words, where gradient descent from a random start is far behind the closed form: see
`skipgram`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np

from wordstill.arrays import Array
from wordstill.kernels.centres import descend
from wordstill.kernels.windows import attend, clip_centres, predict
from wordstill.options import setting
from wordstill.students.skipgram import Learned, Skipgram, SkipgramSettings, Windows, outer_sum
from wordstill.teacher.batch import Batch


@dataclass(frozen=True)
class DynamicSkipgramSettings(SkipgramSettings):
    """All that the method leaves open."""

    owner = "dynamic-skipgram"
    paper_rate: ClassVar[float] = 0.025

    predict: Literal["window", "each"] = setting(
        "window", "predict the weighted sum of a window's words, or each of them by itself"
    )
    attention: bool = setting(True, "weigh the words of a window by their fit; else all weigh the same")
    clip_centre: float = setting(0.0, "the longest gradient of one centre; 0: any length", low=0)

    @classmethod
    def presets(cls) -> dict[str, DynamicSkipgramSettings]:
        """`small`, the default; `paper`, the reading that learns; `printed`, the equations to the letter."""
        named = super().presets()
        printed = named.pop("paper")
        paper = replace(printed, predict="each", clip=0.0, clip_centre=5.0, step_sentences=1)
        return {**named, "paper": paper, "printed": printed}


class DynamicSkipgram(Skipgram):
    """The table v of the equations above."""

    settings: DynamicSkipgramSettings

    def learn(self, batch: Batch) -> None:
        """Take the steps of a block; where they are plain descent on single words, all of them at once."""
        settings = self.settings
        if settings.predict == "window" or settings.optimizer != "sgd" or settings.clip:
            super().learn(batch)
            return
        ends = np.append(batch.sentence_starts[settings.step_sentences :: settings.step_sentences], len(batch.words))
        rates = self.rate_after(self.done[2] + ends)
        windows = self.windows(batch, self.next_step(len(batch.words)))
        starts = np.concatenate([[0], np.searchsorted(windows.places, ends)])
        how = (settings.map_rate, 2 * settings.window, self.offset, settings.clip_centre)
        loss = descend(self.table, self.maps["map"], windows.vectors, windows.rows, starts, rates, *how)
        self.curve.add(float(loss), len(windows.rows), len(batch.words))

    def gradient(self, table: Array, windows: Windows) -> Learned:
        """Equation 15, or 11 with negatives, and its derivatives."""
        settings, window = self.settings, 2 * self.settings.window
        centres = windows.vectors @ self.maps["map"].T
        coefficients = np.empty(windows.rows.shape, dtype=np.float32)
        learns = settings.map_rate > 0
        gradients = np.empty_like(centres) if learns else centres[:0]
        if settings.predict == "each":
            loss = predict(table, centres, windows.rows, window, self.offset, coefficients, gradients)
        else:
            weights = np.empty((len(windows.rows), window), dtype=np.float32)
            how = (settings.attention, self.offset, weights, coefficients, gradients)
            loss = attend(table, centres, windows.rows, window, *how)
        if settings.clip_centre:
            clip_centres(windows.rows, coefficients, centres, gradients, windows.vectors, settings.clip_centre)
        maps = {"map": outer_sum(gradients, windows.vectors)} if learns else {}
        return Learned(float(loss), windows.rows, coefficients, coefficients[:0], centres, maps)
