"""Refining any static vectors: with a lexicon (retrofitting), by their spectrum, or by joining several.

The methods work on arrays (`retrofit(matrix, graph)`, `whiten(matrix)`, ...); `refine` and `combine` on WordVectors.
Retrofitting is compiled by numba; all others need numpy alone.
"""

from __future__ import annotations

from wordstill.refine.center import center, remove_top
from wordstill.refine.chain import METHODS, refine
from wordstill.refine.combine import combine
from wordstill.refine.graph import Graph, lay_over
from wordstill.refine.graph_retrofit import graph_retrofit
from wordstill.refine.lexicons import Lexicon, read_lexicon, read_lexicons
from wordstill.refine.pca import pca, reduce_dimensions
from wordstill.refine.retrofit import retrofit
from wordstill.refine.spectral import spectral
from wordstill.refine.whiten import whiten

__all__ = [
    "METHODS",
    "Graph",
    "Lexicon",
    "center",
    "combine",
    "graph_retrofit",
    "lay_over",
    "pca",
    "read_lexicon",
    "read_lexicons",
    "reduce_dimensions",
    "refine",
    "remove_top",
    "retrofit",
    "spectral",
    "whiten",
]
