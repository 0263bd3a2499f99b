"""graph-retrofit: Zheng et al. 2022 (Context-to-Vec), section 3.4.

    q_i <- own * q0_i + neighbors * sum_j g_ij q_j                                          (10)
    k(d) = (1 + d^2 / (s v))^-(v+1),   C_v = 2 pi (Gamma((v+1)/2) / (sqrt(v pi) Gamma(v/2)))^2   (11, 12)

over unit-length rows; d is the distance from the word's original vector to the neighbor's current one. A near
neighbor pulls more than a far one.

    variant   weights
    released  g_ij = k / sum k: they sum to 1, and C_v cancels (the authors' code; the default)
    paper     g_ij = C_v k / m, m the number of neighbors: words whose neighbors are far move less

The objective that is reported (see `retrofitting`) is the paper's (9), with each pair counted once and a word weighted
by the sum of its kernels (released) or the number of its neighbors (paper): as (9) stands there, the update (10) is not
its derivative, and it goes up and down where (10) settles.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from wordstill.arrays import Array
from wordstill.lexicons.graph import Graph
from wordstill.options import Options, setting
from wordstill.refinement.retrofitting import PUSH, SWEEPS, Retrofitted, Sweeping, sweep_to_rest


@dataclass(frozen=True)
class GraphRetrofitSettings(Options):
    """own and neighbors are the paper's alpha and beta, freedom its nu, scale its sigma."""

    owner = "graph-retrofit"

    variant: Literal["released", "paper"] = setting("released", "whose weights: the authors' code's or the paper's")
    own: float = setting(0.5, "alpha: how much a word keeps of its own vector", low=0)
    neighbors: float = setting(0.5, "beta: how much it takes from its neighbors", low=0, high=0.99)  # 1 never rests
    freedom: float = setting(100.0, "nu: how fast the weight of a neighbor falls with its distance", low=1e-3)
    scale: float = setting(1.0, "sigma: the distance that counts as far", low=1e-6)
    sweeps: int = SWEEPS(10)
    push: float = PUSH(0.25)


def graph_retrofit(matrix: Array, graph: Graph, settings: GraphRetrofitSettings | None = None) -> Retrofitted:
    """Draw each word towards its neighbors, the near ones more."""
    settings = settings or GraphRetrofitSettings()
    sweeping = Sweeping(
        "graph-retrofit",
        settings.own,
        settings.neighbors,
        settings.sweeps,
        settings.push,
        settings.freedom,
        settings.scale,
        normalize=settings.variant == "released",
    )
    return sweep_to_rest(matrix, graph, sweeping)
