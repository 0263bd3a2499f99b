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
from wordstill.options import Options
from wordstill.refinement.retrofitting import PUSH, SWEEPS, Retrofitted, Sweeping, sweep_to_rest


@dataclass(frozen=True)
class RetrofitSettings(Options):
    """How often words are drawn together, and how hard antonyms are pushed apart."""

    owner = "retrofit"

    sweeps: int = SWEEPS(10)
    push: float = PUSH(0.25)


def retrofit(matrix: Array, graph: Graph, settings: RetrofitSettings | None = None) -> Retrofitted:
    """Draw each word towards the mean of its neighbors."""
    settings = settings or RetrofitSettings()
    return sweep_to_rest(matrix, graph, Sweeping("retrofit", 0.5, 0.5, settings.sweeps, settings.push))
