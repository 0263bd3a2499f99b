"""whiten: every direction gets the same weight, wholly or in part.

    x <- (x - m) (S + r tr(S)/d I)^-p

m and S are the mean and the covariance of all rows. p = 0.5 with r = 0 makes the covariance the identity; a smaller
power goes part of the way, and the ridge r keeps directions that are mostly noise from being blown up.
"""

from __future__ import annotations

from dataclasses import dataclass

from wordstill.arrays import Array
from wordstill.options import Options, setting
from wordstill.vectors.directions import directions, mapped, mean_row


@dataclass(frozen=True)
class WhitenSettings(Options):
    """The power p and the ridge r of the formula above."""

    owner = "whiten"

    power: float = setting(0.5, "p of the formula", low=0, high=2)
    ridge: float = setting(0.0, "r of the formula", low=0)


def whiten(matrix: Array, settings: WhitenSettings | None = None) -> Array:
    """Even out the spread of the rows around their mean."""
    settings = settings or WhitenSettings()
    mean = mean_row(matrix)
    values, axes = directions(matrix, mean)
    values = values + settings.ridge * values.mean()
    return mapped(matrix, mean, (axes * values**-settings.power) @ axes.T)
