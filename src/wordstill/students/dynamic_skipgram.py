"""dynamic-skipgram: a word in context predicts the words around it (Wang, Cui and Zhang 2021, "BERT+Skip-gram").

The centre of a window is the teacher's vector o_i of a word in its sentence; the words j up to `window` places to
each side of it have static vectors v_j, and those are the result:

    c_i   = W o_i                                                                            (10)
    a_j   = softmax over the window of  v_j . c_i                                            (13)
    v_ctx = sum over the window of  a_j v_j                                                  (14)
    loss  = -log sig(v_ctx . c_i)  -  sum over negatives n of  log sig(-v_n . c_i)           (15)

Negatives are drawn by count^0.75, five a centre. Without `attention` all words of a window weigh the same.
`preset=paper` has the paper's settings: 300 dimensions, a random start, plain gradient descent from a rate of 0.025
that falls to zero, gradients clipped at length 5. The paper does not say how many sentences make a step: 128 here.
(The released code differs: a word can predict itself, the softmax runs over the batch. That is not built here.)

The default is for 1 to 20 million words, where the paper's settings learn next to nothing: see `skipgram`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from wordstill.arrays import Array
from wordstill.kernels.windows import attend
from wordstill.options import setting
from wordstill.students.skipgram import Learned, Skipgram, SkipgramSettings, Windows, outer_sum


@dataclass(frozen=True)
class DynamicSkipgramSettings(SkipgramSettings):
    """All that the method leaves open."""

    owner = "dynamic-skipgram"
    paper_rate: ClassVar[float] = 0.025

    attention: bool = setting(True, "weigh the words of a window by their fit; else all weigh the same")


class DynamicSkipgram(Skipgram):
    """The table v of the equations above."""

    settings: DynamicSkipgramSettings

    def gradient(self, table: Array, windows: Windows) -> Learned:
        """Equation 15 and its derivatives."""
        centres = windows.vectors @ self.maps["map"].T
        coefficients = np.empty(windows.rows.shape, dtype=np.float32)
        weights = np.empty((len(windows.rows), 2 * self.settings.window), dtype=np.float32)
        learns = self.settings.map_rate > 0
        gradients = np.empty_like(centres) if learns else centres[:0]
        loss = attend(
            table,
            centres,
            windows.rows,
            2 * self.settings.window,
            self.settings.attention,
            self.offset,
            weights,
            coefficients,
            gradients,
        )
        maps = {"map": outer_sum(gradients, windows.vectors)} if learns else {}
        return Learned(float(loss), windows.rows, coefficients, coefficients[:0], centres, maps)
