"""mix: several views of the same words become one, with weights that evidence chooses.

    u_w = sum over views v of weight_v * unit(x_vw - mean of x_v)      (or unit(x_vw), where a view is not centred)

Views of one space, such as what a teacher makes of texts and of definitions, are added: no dimension is spent, and a
word seen in the one view is compared with a word seen in the other. A view of another space and the same width, such as
the closed form's, can be rotated first, by the orthogonal map that brings its rows nearest to those of the first view
of the space (Procrustes); its own cosines stay what they are. Views that share no space stand side by side; there the
cosine is the mean of cosines, weighted by the squares of the weights (as in `combine`).

Weights are chosen by coordinate ascent: one view after another takes the weight of a short list that gives the highest
score on the evidence (see `evidence.py`), until none changes. Where there is no evidence they are those given with the
views. What a view adds is the score of the mix less that of the mix without it, pair by pair, with its interval.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from wordstill.arrays import Array, row_norms, unit_rows
from wordstill.errors import InputError
from wordstill.refinement.evidence import Evidence, Measured, measured
from wordstill.refinement.steps import refuse_broken
from wordstill.system.progress import log
from wordstill.vectors import WordVectors
from wordstill.vectors.directions import mean_row

WEIGHTS = (0.0, 0.2, 0.35, 0.5, 0.7, 1.0, 1.4, 2.0)
PASSES = 3


class View(NamedTuple):
    """One way of seeing words.

    vectors  one row per word; all views have the same words in the same order
    weight   its weight where there is no evidence
    space    views that name the same space are added; a view without a space stands beside the others
    rotate   whether it is rotated onto the first view of its space before it is added
    centre   whether the mean of its rows is taken off first
    """

    name: str
    vectors: WordVectors
    weight: float = 1.0
    space: str = ""
    rotate: bool = False
    centre: bool = True


@dataclass(frozen=True)
class Mixed:
    """The mix, and why it is as it is.

    vectors   the mix, each row as long as the first view's
    weights   the weight of each view
    evidence  the names of the evidence that chose them; empty where they are those given
    scores    the score of the mix on each evidence
    alone     the same of each view by itself
    adds      what each view adds to the mix: the difference to the mix without it
    """

    vectors: WordVectors
    weights: dict[str, float]
    evidence: tuple[str, ...]
    scores: dict[str, Measured]
    alone: dict[str, dict[str, Measured]]
    adds: dict[str, dict[str, Measured]]

    def as_json(self) -> dict[str, Any]:
        """The choice and its evidence, as run.json holds it; numbers as [score, low, high]."""

        def listed(scores: Mapping[str, Measured]) -> dict[str, list[float]]:
            return {name: one.as_json() for name, one in scores.items()}

        views = {
            name: {"weight": weight, "alone": listed(self.alone[name]), "adds": listed(self.adds[name])}
            for name, weight in self.weights.items()
        }
        return {"evidence": list(self.evidence), "scores": listed(self.scores), "views": views}


def mix(views: Sequence[View], evidence: Sequence[Evidence] = (), *, fixed: bool = False) -> Mixed:
    """Mix views by evidence; by the weights they come with where there is none.

    fixed  keep the weights that the views come with: evidence tells what each adds, and chooses nothing

    The first view keeps its weight: it is what others are weighed against, and it lends its rows' lengths, so that sums
    of rows weigh words as its own do.
    """
    _check(views)
    units = _units(views)
    spaces = [view.space or f"{place}" for place, view in enumerate(views)]
    given = [view.weight for view in views]
    names = [view.name for view in views]
    rows = np.unique(np.concatenate([one.rows for one in evidence])) if evidence else np.zeros(0, np.int64)
    asked = _Asked([part[rows] for part in units], spaces, [one.among(rows) for one in evidence])
    weights = asked.climb(given) if evidence and not fixed else given
    whole = asked.scores(weights)
    without = {
        name: asked.scores([0.0 if other == place else weight for other, weight in enumerate(weights)])
        for place, name in enumerate(names)
        if len(views) > 1
    }
    adds = {name: {kind: measured(whole[kind] - scores[kind]) for kind in whole} for name, scores in without.items()}
    alone = {
        name: {kind: measured(scores) for kind, scores in asked.scores(_only(place, len(views))).items()}
        for place, name in enumerate(names)
    }
    matrix = unit_rows(_mixed(units, spaces, weights))
    # A row that the first view has at its mean would count for nothing in a sum: a tenth of the usual is the least.
    first = views[0].vectors
    lengths = row_norms(first.matrix - mean_row(first.matrix).astype(np.float32))
    usual = float(np.median(lengths[lengths > 0])) if (lengths > 0).any() else 1.0
    matrix *= np.maximum(lengths, 0.1 * usual)[:, None]
    card = {"method": "mix", "mixed": dict(zip(names, weights, strict=True)), "dimensions": int(matrix.shape[1])}
    if "lowercase" in first.card:
        card["lowercase"] = first.card["lowercase"]
    for name, weight in zip(names, weights, strict=True):
        log.info("mix: %s has the weight %g", name, weight)
    return Mixed(
        vectors=WordVectors(first.words, matrix, first.counts, card),
        weights=dict(zip(names, weights, strict=True)),
        evidence=() if fixed else tuple(one.name for one in evidence),
        scores={kind: measured(scores) for kind, scores in whole.items()},
        alone=alone,
        adds=adds or {name: {} for name in names},
    )


def _units(views: Sequence[View]) -> list[Array]:
    """The rows of each view, centred where it shall be, at length 1, in the coordinates of its space."""
    units: list[Array] = []
    first_of: dict[str, Array] = {}
    for view in views:
        rows = unit_rows(view.vectors.matrix - mean_row(view.vectors.matrix).astype(np.float32))
        if view.rotate and view.space in first_of:
            left, _, right = np.linalg.svd((rows.T @ first_of[view.space]).astype(np.float64))
            rows = rows @ (left @ right).astype(np.float32)
        first_of.setdefault(view.space, rows)  # rotations are found among rows without their means
        units.append(rows if view.centre else unit_rows(np.asarray(view.vectors.matrix)))
    return units


class _Asked:
    """The views of the rows that the evidence asks for, and how well their mixtures answer."""

    def __init__(self, units: Sequence[Array], spaces: Sequence[str], evidence: Sequence[Evidence]) -> None:
        self.units, self.spaces, self.evidence = units, spaces, evidence

    def scores(self, weights: Sequence[float]) -> dict[str, Array]:
        matrix = _mixed(self.units, self.spaces, weights) if self.evidence else None
        return {one.name: one.scores(matrix) for one in self.evidence} if matrix is not None else {}

    def score(self, weights: Sequence[float]) -> float:
        return float(np.mean([scores.mean() for scores in self.scores(weights).values()]))

    def climb(self, weights: Sequence[float]) -> list[float]:
        best = list(weights)
        highest = self.score(best)
        for _ in range(PASSES):
            before = list(best)
            for place in range(1, len(best)):
                for weight in WEIGHTS:
                    tried = [*best[:place], weight, *best[place + 1 :]]
                    if weight != best[place] and (score := self.score(tried)) > highest:
                        highest, best = score, tried
            if best == before:
                break
        return best


def _mixed(units: Sequence[Array], spaces: Sequence[str], weights: Sequence[float]) -> Array:
    """Add up the views of each space, and put the spaces side by side; a view of weight 0 takes no room."""
    sums: dict[str, Array] = {}
    for part, space, weight in zip(units, spaces, weights, strict=True):
        if weight == 0:
            continue
        weighted = part * np.float32(weight)
        sums[space] = sums[space] + weighted if space in sums else weighted
    if not sums:
        return np.zeros_like(units[0])
    return np.concatenate(list(sums.values()), axis=1) if len(sums) > 1 else next(iter(sums.values()))


def _only(place: int, number: int) -> list[float]:
    return [float(other == place) for other in range(number)]


def _check(views: Sequence[View]) -> None:
    if not views:
        raise InputError("there is no view to mix; give at least one")
    widths: dict[str, int] = {}
    for view in views:
        if view.vectors.words != views[0].vectors.words:
            raise InputError(f"the views {views[0].name} and {view.name} differ in their words; take those of both")
        if view.weight < 0 or not np.isfinite(view.weight):
            raise InputError(f"the weight of {view.name} must be 0 or above, not {view.weight}")
        if view.space and widths.setdefault(view.space, view.vectors.vector_size) != view.vectors.vector_size:
            raise InputError(f"{view.name} cannot be added to the other views of {view.space}: its width differs")
        refuse_broken(view.vectors)
    if views[0].weight == 0:
        raise InputError(f"the first view, {views[0].name}, needs a weight above 0")
