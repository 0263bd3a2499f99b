"""context-to-vec: static vectors that resemble contextual ones and their surroundings (Zheng et al. 2022).

The centre of a window is the teacher's vector o_i of a word in its sentence; the words j up to `window` places to
each side of it have static vectors v_j, and those are the result:

    u_i = W o_i                                                                              (1)
    V_i = l1 W1 o_i  +  l2 W2 phi(mean over the window of o_k)                               (4)
    L1  = -log sig((sum over the window of v_j) . u_i),  in unit-length vectors              (5)
    L2  = -log sig(V_i . u_i)                                                                (6)
    L3  = -sum over negatives n of  log sig(-v_n . u_i)                                      (7)
    L   = n1 L1 + n2 L2 + n3 L3                                                              (8)

(7) is printed without its two signs, and has no lower bound then. W2 is shared by all places of the window
("tied"). The mean of (4) is over all words of the window, in the vocabulary or not.

`variant=released` is what the released code does instead: u_i = W (0.5 o_i + 0.5 mean of the window's o_k), and the
plain skip-gram loss with negatives, each word of the window predicted by itself. (Its window of 5 words to the left
and 4 to the right is 5 and 5 here.) The paper names no optimizer: `preset=paper` has the released code's gradient
descent from a rate of 0.08, which falls to zero, over 128 sentences a step with gradients clipped at length 5.

The default is for 1 to 20 million words: see `skipgram`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from wordstill.arrays import Array
from wordstill.kernels.windows import predict, resemble
from wordstill.options import setting
from wordstill.students import replaying
from wordstill.students.skipgram import Learned, Skipgram, SkipgramSettings, Windows, outer_sum
from wordstill.students.student import Brief
from wordstill.teacher.batch import Batch


@dataclass(frozen=True)
class ContextToVecSettings(SkipgramSettings):
    """All that the method leaves open."""

    owner = "context-to-vec"
    paper_rate: ClassVar[float] = 0.08

    learning_rate: float = replaying.LEARNING_RATE(0.005)
    variant: Literal["paper", "released"] = setting("paper", "the paper's equations, or what the released code does")
    centre_share: float = setting(0.5, "l1 of equation 4", low=0)
    window_share: float = setting(0.5, "l2 of equation 4", low=0)
    phi: Literal["identity", "tanh", "relu"] = setting("identity", "phi of equation 4")
    semantic_weight: float = setting(1.0, "n1 of equation 8", low=0)
    contextual_weight: float = setting(1.0, "n2 of equation 8", low=0)
    negative_weight: float = setting(1.0, "n3 of equation 8", low=0)


class ContextToVec(Skipgram):
    """The table v of the equations above."""

    settings: ContextToVecSettings

    def __init__(self, brief: Brief, settings: ContextToVecSettings) -> None:
        self.needs_means = settings.variant == "released" or settings.map_rate > 0
        if settings.variant == "paper":
            self.map_names = ("map", "centre_map", "window_map")
        super().__init__(brief, settings)

    def gradient(self, table: Array, windows: Windows) -> Learned:
        """Equation 8 and its derivatives."""
        return self._released(table, windows) if self.settings.variant == "released" else self._paper(table, windows)

    def _paper(self, table: Array, windows: Windows) -> Learned:
        settings = self.settings
        centres = windows.vectors @ self.maps["map"].T
        coefficients, own = (np.empty(windows.rows.shape, dtype=np.float32) for _ in range(2))
        learns = settings.map_rate > 0
        gradients = np.empty_like(centres) if learns else centres[:0]
        shares = np.array([settings.semantic_weight, settings.negative_weight])
        loss = float(
            resemble(
                table, centres, windows.rows, 2 * settings.window, shares, self.offset, coefficients, own, gradients
            )
        )
        maps = {}
        if learns:  # (6) knows nothing of v: while the maps stay as they are it is a constant, and left out
            around = {
                "centre_map": np.float32(settings.centre_share) * windows.vectors,
                "window_map": np.float32(settings.window_share) * PHI[settings.phi](windows.means),
            }
            contextual = sum(vectors @ self.maps[name].T for name, vectors in around.items())
            scores = np.einsum("ij,ij->i", contextual, centres).astype(np.float64)
            loss += settings.contextual_weight * float(np.logaddexp(0.0, -scores).sum())
            slopes = (-settings.contextual_weight * np.exp(-np.logaddexp(0.0, scores))).astype(np.float32)[:, None]
            maps = {"map": outer_sum(gradients + slopes * contextual, windows.vectors)}
            maps |= {name: outer_sum(slopes * centres, vectors) for name, vectors in around.items()}
        return Learned(loss, windows.rows, coefficients, own, centres, maps)

    def _released(self, table: Array, windows: Windows) -> Learned:
        mixed = np.float32(0.5) * (windows.vectors + windows.means)
        centres = mixed @ self.maps["map"].T
        coefficients = np.empty(windows.rows.shape, dtype=np.float32)
        learns = self.settings.map_rate > 0
        gradients = np.empty_like(centres) if learns else centres[:0]
        window = 2 * self.settings.window
        loss = predict(table, centres, windows.rows, window, self.offset, coefficients, gradients)
        maps = {"map": outer_sum(gradients, mixed)} if learns else {}
        return Learned(float(loss), windows.rows, coefficients, coefficients[:0], centres, maps)

    def scale(self, sample: Batch) -> None:
        """L1 does not depend on the rows' lengths, and L3 would have none: unit length is what the paper speaks of."""
        if self.settings.variant == "released":
            super().scale(sample)
        else:
            self.table /= np.maximum(np.linalg.norm(self.table, axis=1, keepdims=True), np.float32(1e-12))


PHI: dict[str, Callable[[Array], Array]] = {
    "identity": lambda vectors: vectors,
    "tanh": np.tanh,
    "relu": lambda vectors: np.maximum(vectors, np.float32(0.0)),
}
