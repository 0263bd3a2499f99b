"""retrofit: Faruqui et al. 2014, "Retrofitting Word Vectors to Semantic Lexicons".

    q_i <- (n q0_i + sum over the n neighbors of q_j) / (2n)

over unit-length rows, ten sweeps. On an undirected graph this descends

    sum_i n_i |q_i - q0_i|^2 + sum over pairs |q_i - q_j|^2

to its one minimum, the solution of (D + L) Q = D Q0 with D the numbers of neighbors and L the graph's Laplacian.
(The paper writes the objective with weights 1 and 1/n_i, of which the update is the derivative only up to the
terms in which a word is somebody's neighbor.)
"""

from __future__ import annotations

from dataclasses import dataclass

from wordstill.arrays import Array
from wordstill.lexicons.graph import Graph
from wordstill.options import check_range
from wordstill.refinement.retrofitting import Report, Settled, Sweeping, settle


@dataclass(frozen=True)
class RetrofitSettings:
    """At most so many sweeps; fewer where the words come to rest before."""

    sweeps: int = 10
    push: float = 0.25
    """How hard listed antonyms are pushed apart; see `settle`."""

    def __post_init__(self) -> None:
        check_range("retrofit.sweeps", self.sweeps, 0)
        check_range("retrofit.push", self.push, 0.0, 1.0)


def retrofit(
    matrix: Array, graph: Graph, settings: RetrofitSettings | None = None, report: Report | None = None
) -> Settled:
    """Draw each word towards the mean of its neighbors."""
    settings = settings or RetrofitSettings()
    return settle(matrix, graph, Sweeping(0.5, 0.5, settings.sweeps, settings.push), report)
