"""Refining any static vectors: with a lexicon (retrofitting), by their spectrum, or by joining several.

The methods work on arrays (`retrofit(matrix, graph)`, `whiten(matrix)`, ...); `refine` and `combine` on WordVectors.
Retrofitting is compiled by numba; all others need numpy alone.
"""

from __future__ import annotations

from wordstill.lexicons.graph import Graph, lay_over
from wordstill.lexicons.lexicon import Lexicon, read_lexicon, read_lexicons
from wordstill.refinement.center import center, remove_top
from wordstill.refinement.combine import combine
from wordstill.refinement.evidence import Evidence, gather_evidence
from wordstill.refinement.graph_retrofit import graph_retrofit
from wordstill.refinement.mixing import View, mix
from wordstill.refinement.pca import pca
from wordstill.refinement.retrofit import retrofit
from wordstill.refinement.spectral import spectral
from wordstill.refinement.steps import METHODS, refine
from wordstill.refinement.strength import refine_by_evidence
from wordstill.refinement.whiten import whiten

__all__ = [
    "METHODS",
    "Evidence",
    "Graph",
    "Lexicon",
    "View",
    "center",
    "combine",
    "gather_evidence",
    "graph_retrofit",
    "lay_over",
    "mix",
    "pca",
    "read_lexicon",
    "read_lexicons",
    "refine",
    "refine_by_evidence",
    "remove_top",
    "retrofit",
    "spectral",
    "whiten",
]
