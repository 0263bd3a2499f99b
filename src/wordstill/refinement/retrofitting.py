"""The iteration that both ways of retrofitting share: each word settles between its own vector and its neighbors.

    q_i <- own * q0_i + neighbors * sum_j g_ij q_j

over unit-length rows, all words at once from the vectors of the sweep before (Jacobi), so that no order matters.
Where antonyms are listed, a sweep ends with a push: what a word shares with its antonyms is taken from it.

The objective that is reported is the one whose descent the update is. With s_i the weight of a word, such that
s_i g_ij is the strength of a pair, and each pair counted once:

    sum_i s_i (own |q_i - q0_i|^2 + neighbors/2 sum_j g_ij |q_i - q_j|^2 + (1 - own - neighbors sum_j g_ij) |q_i|^2)

The last term is 0 where the weights sum to 1; where they do not, the update draws words towards zero. Weights that
depend on the vectors change from sweep to sweep, and the objective with them; what falls for certain is how far a
sweep moves the words (each about halves it). The sweeps end when the words are at rest.

Lengths are no part of it: a word gets its own length back, and a word without neighbors is not touched.
"""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np

from wordstill.arrays import Array, in_range, row_norms
from wordstill.errors import InputError
from wordstill.lexicons.graph import Edges, Graph
from wordstill.options import setting
from wordstill.system.machine import usable_cores
from wordstill.system.progress import log

# A movement below this is rounding: words of length 1 in single precision.
REST = 1e-6

# Work is shared out in so many stretches on any machine: sums over them are the same whatever the threads.
STRETCHES = 64

# What both ways declare alike.
SWEEPS = partial(setting, help="at most so many sweeps; fewer where the words come to rest before", low=0)
PUSH = partial(setting, help="how hard listed antonyms are pushed apart", low=0, high=1)


@dataclass(frozen=True)
class Sweeping:
    """The numbers of the iteration.

    method     whose they are, for messages
    sweeps     at most so many
    push       how much of a cosine above 0 with an antonym each of the two gives up, 0 to 1
    freedom    v and, in the next line, s of the kernel k(d) = (1 + d^2 / (s v))^-(v+1) that weighs neighbors
    scale      infinity for neighbors of equal weight
    normalize  g = k / sum k; else C_v k / m
    """

    method: str
    own: float
    neighbors: float
    sweeps: int
    push: float
    freedom: float = 1.0
    scale: float = math.inf
    normalize: bool = True


class Retrofitted(NamedTuple):
    """A refined matrix; the objective before the first and after each sweep; how far each sweep moved the words.

    A movement is the root of the mean square over the words that have neighbors, which are of length 1 to begin with.
    """

    matrix: Array
    objective: list[float]
    moved: list[float]


def sweep_to_rest(matrix: Array, graph: Graph, sweeping: Sweeping) -> Retrofitted:
    """Sweep until the words come to rest, or as often as is allowed."""
    vectors, lengths = _unit(matrix, graph.rows)
    vectors, objective, moved = _sweep(vectors, graph, sweeping)
    vectors *= lengths[:, None]
    # Quantized vectors become floats: as whole numbers, moved ones would be rounded away.
    refined = matrix.copy() if np.issubdtype(matrix.dtype, np.floating) else matrix.astype(np.float32)
    refined[graph.rows] = vectors
    return Retrofitted(refined, objective, moved)


def _sweep(origin: Array, graph: Graph, sweeping: Sweeping) -> tuple[Array, list[float], list[float]]:
    try:  # here, so that only retrofitting needs numba and waits for it
        from wordstill.kernels.retrofit import pull, push
    except ModuleNotFoundError as error:
        raise InputError(f"retrofitting needs the package {error.name}; pip install {error.name}") from error

    current, following = origin.copy(), origin.copy()
    objective: list[float] = []
    moved: list[float] = []
    heads = max(1, int((np.diff(graph.near.starts) > 0).sum()))
    pulls, pushes = _stretches(graph.near), _stretches(graph.against)
    pushing = len(graph.against.neighbors) > 0 and sweeping.push > 0
    shares = (sweeping.own, sweeping.neighbors)
    kernel = (sweeping.freedom, sweeping.scale, log_constant(sweeping.freedom), sweeping.normalize)
    with ThreadPoolExecutor(usable_cores()) as pool:

        def drawn(now: Array, after: Array) -> tuple[float, float]:
            parts = pool.map(lambda part: pull(*part, *graph.near, origin, now, after, *shares, *kernel), pulls)
            cost, squared_way = np.sum(list(parts), axis=0).tolist()
            return cost, math.sqrt(squared_way / heads)

        def pushed(now: Array, after: Array) -> None:
            list(pool.map(lambda part: push(*part, *graph.against, now, after, sweeping.push), pushes))

        for sweep in range(sweeping.sweeps + 1):
            cost, way = drawn(current, following)
            objective.append(cost)
            told = f", moved by {moved[-1]:.6f}" if moved else ""
            log.info("%s: sweep %d: objective %.4f%s", sweeping.method, sweep, cost, told)
            # A push moves words away again after each sweep: they are never at rest.
            if sweep == sweeping.sweeps or (way < REST and not pushing):
                break
            moved.append(way)
            current, following = following, current
            if pushing:
                pushed(current, following)
                current, following = following, current
    return current, objective, moved


def log_constant(freedom: float) -> float:
    """log C_v, C_v = 2 pi (Gamma((v+1)/2) / (sqrt(v pi) Gamma(v/2)))^2; the Gamma itself overflows from v = 342."""
    ratio = math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2) - 0.5 * math.log(freedom * math.pi)
    return math.log(2 * math.pi) + 2 * ratio


def _unit(matrix: Array, rows: Array) -> tuple[Array, Array]:
    """The rows at length 1, and the lengths they get back."""
    vectors = np.ascontiguousarray(matrix[rows], np.float32)
    lengths = row_norms(vectors)
    vectors = in_range(vectors)
    now = row_norms(vectors)
    vectors *= np.divide(1.0, now, out=np.zeros_like(now), where=now > 0)[:, None]
    # A zero vector has a direction afterwards, its neighbors', and needs some length.
    usual = np.median(lengths[lengths > 0]) if (lengths > 0).any() else np.float32(1.0)
    return vectors, np.where(lengths > 0, lengths, usual)


def _stretches(edges: Edges) -> list[tuple[int, int]]:
    """From word to word, with about equally many neighbors in each."""
    size = len(edges.starts) - 1
    cuts = np.searchsorted(edges.starts, np.linspace(0, len(edges.neighbors), STRETCHES + 1)[1:-1]).tolist()
    return list(zip([0, *cuts], [*cuts, size], strict=True))
