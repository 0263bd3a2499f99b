"""graph-retrofit: Zheng et al. 2022 (Context-to-Vec), section 3.4.

    q_i <- own * q0_i + neighbors * sum_j g_ij q_j                                          (10)
    k(d) = (1 + d^2 / (s v))^-(v+1),   C_v = 2 pi (Gamma((v+1)/2) / (sqrt(v pi) Gamma(v/2)))^2   (11, 12)

over unit-length rows; d is the distance from the word's original vector to the neighbor's current one. A near
neighbor pulls more than a far one.

    variant   weights
    released  g_ij = k / sum k: they sum to 1, and C_v cancels (the authors' code; the default)
    paper     g_ij = C_v k / m, m the number of neighbors: words whose neighbors are far move less

The objective that is reported (see `settle`) is the paper's (9) with each pair counted once and a word weighted by
the sum of its kernels (released) or the number of its neighbors (paper): as (9) stands there, the update (10) is not
its derivative, and it goes up and down where (10) settles.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from wordstill.arrays import Array
from wordstill.lexicons.graph import Graph
from wordstill.options import check_range
from wordstill.refinement.retrofitting import Report, Settled, Sweeping, settle


@dataclass(frozen=True)
class GraphRetrofitSettings:
    """own and neighbors are the paper's alpha and beta, freedom its nu, scale its sigma."""

    variant: Literal["released", "paper"] = "released"
    own: float = 0.5
    neighbors: float = 0.5
    freedom: float = 100.0
    scale: float = 1.0
    sweeps: int = 10
    """At most so many; fewer where the words come to rest before."""
    push: float = 0.25
    """How hard listed antonyms are pushed apart; see `settle`."""

    def __post_init__(self) -> None:
        check_range("graph-retrofit.own", self.own, 0.0)
        check_range("graph-retrofit.neighbors", self.neighbors, 0.0, 0.99)  # from 1 on it would not settle
        check_range("graph-retrofit.freedom", self.freedom, 1e-3)
        check_range("graph-retrofit.scale", self.scale, 1e-6)
        check_range("graph-retrofit.sweeps", self.sweeps, 0)
        check_range("graph-retrofit.push", self.push, 0.0, 1.0)


def graph_retrofit(
    matrix: Array, graph: Graph, settings: GraphRetrofitSettings | None = None, report: Report | None = None
) -> Settled:
    """Draw each word towards its neighbors, the near ones more."""
    settings = settings or GraphRetrofitSettings()
    sweeping = Sweeping(
        settings.own,
        settings.neighbors,
        settings.sweeps,
        settings.push,
        settings.freedom,
        settings.scale,
        normalize=settings.variant == "released",
    )
    return settle(matrix, graph, sweeping, report)
