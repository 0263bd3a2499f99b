"""Conjugate gradients over many columns at once, where one product with the matrix is a pass over kept sentences.

    (X'X + r_j I) d_j = g_j        for each column j, with a ridge r_j of its own

A column has its own step sizes, so the columns are solved as if each stood alone. Gradients are divided by the diagonal
of the matrix: a frequent word has a steep slope, a rare one a shallow one (Jacobi's preconditioner).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from wordstill.arrays import Array

ROWS = 4096  # rows of a table that are worked on at once
SMALLEST = 1e-30


class Conjugate:
    """The unknowns and all that the next step needs; `product` gathers X'X times `direction` during a pass."""

    arrays = ("solution", "residual", "direction", "product", "left", "ridges")

    def __init__(self, right: Array, ridges: Array, diagonal: Array) -> None:
        """Begin at zero. `right` has the columns g, `ridges` one number per column, `diagonal` is that of X'X."""
        self.ridges = np.asarray(ridges, dtype=np.float32)
        self.residual = right
        self.solution, self.direction, self.product = (np.zeros_like(right) for _ in range(3))
        self.left = np.zeros(right.shape[1])
        self._turn(diagonal, first=True)

    def step(self, diagonal: Array) -> None:
        """Go one step, after `product` was gathered."""
        along = np.zeros(len(self.left))
        for part in self._parts():
            direction = self.direction[part]
            self.product[part] += self.ridges * direction
            along += np.einsum("ij,ij->j", direction, self.product[part], dtype=np.float64)
        size = (self.left / np.maximum(along, SMALLEST)).astype(np.float32)
        for part in self._parts():
            self.solution[part] += size * self.direction[part]
            self.residual[part] -= size * self.product[part]
        self.product[:] = 0.0
        self._turn(diagonal, first=False)

    def _turn(self, diagonal: Array, *, first: bool) -> None:
        """Find the next direction, and what is left of the gradient."""
        now = np.zeros(len(self.left))
        for part in self._parts():
            now += np.einsum("ij,ij->j", self.residual[part], self._calm(diagonal, part), dtype=np.float64)
        kept = np.zeros(len(now)) if first else now / np.maximum(self.left, SMALLEST)
        for part in self._parts():
            self.direction[part] = self._calm(diagonal, part) + kept.astype(np.float32) * self.direction[part]
        self.left = now

    def _calm(self, diagonal: Array, part: slice) -> Array:
        slopes = np.maximum(diagonal[part].astype(np.float32)[:, None] + self.ridges, np.float32(SMALLEST))
        return np.asarray(self.residual[part] / slopes)

    def _parts(self) -> list[slice]:
        return [slice(low, low + ROWS) for low in range(0, len(self.residual), ROWS)]

    def state_dict(self) -> dict[str, Array]:
        """All of it."""
        return {name: getattr(self, name) for name in self.arrays}

    @classmethod
    def from_state(cls, state: Mapping[str, Array]) -> Conjugate:
        """Go on from a state."""
        made = cls.__new__(cls)
        for name in cls.arrays:
            setattr(made, name, np.array(state[name]))
        return made
