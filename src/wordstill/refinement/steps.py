"""refine: steps one after the other on any vectors, each recorded in their card. A new method is one file and one line.

>>> from wordstill import WordVectors
>>> from wordstill.refinement import read_lexicon, refine
>>> vectors = WordVectors.load("glove.6B.300d.txt")                                   # doctest: +SKIP
>>> better = refine(vectors, ["graph-retrofit"], read_lexicon("ppdb-xl.txt"))         # doctest: +SKIP
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any, NamedTuple

import numpy as np

from wordstill.arrays import Array, row_norms
from wordstill.errors import InputError
from wordstill.lexicons.graph import lay_over
from wordstill.lexicons.lexicon import Lexicon
from wordstill.options import read_settings
from wordstill.refinement.center import CenterSettings, RemoveTopSettings, center, remove_top
from wordstill.refinement.graph_retrofit import GraphRetrofitSettings, graph_retrofit
from wordstill.refinement.pca import PcaSettings, pca
from wordstill.refinement.retrofit import RetrofitSettings, retrofit
from wordstill.refinement.spectral import SpectralSettings, spectral
from wordstill.refinement.whiten import WhitenSettings, whiten
from wordstill.vectors import WordVectors


class Method(NamedTuple):
    """matrix, settings -> matrix; or, for a method that reads a lexicon, matrix, graph, settings, report -> Settled."""

    change: Callable[..., Any]
    settings: Any
    lexicon: bool = False


METHODS: dict[str, Method] = {
    "graph-retrofit": Method(graph_retrofit, GraphRetrofitSettings, lexicon=True),
    "retrofit": Method(retrofit, RetrofitSettings, lexicon=True),
    "spectral": Method(spectral, SpectralSettings),
    "center": Method(center, CenterSettings),
    "remove-top": Method(remove_top, RemoveTopSettings),
    "whiten": Method(whiten, WhitenSettings),
    "pca": Method(pca, PcaSettings),
}


def refine(
    vectors: WordVectors,
    methods: Sequence[str],
    lexicon: Lexicon | None = None,
    antonyms: Lexicon | None = None,
    options: Mapping[str, Mapping[str, str]] | None = None,
    report: Callable[[str], None] | None = None,
) -> WordVectors:
    """Take the steps named, in order; the card of the result lists them after those taken before.

    lexicon   pairs that retrofitting draws together
    antonyms  pairs that it pushes apart
    options   {method: {option: text}}, as `--set method.option=text` gives them
    report    told what each step does, a line at a time
    """
    options = options or {}
    steps = [(name, *_step(name, options, lexicon)) for name in methods]
    if not steps:
        raise InputError(f"no method is named; choose from {', '.join(METHODS)}")
    for name in options:
        if name not in methods:
            raise InputError(f"an option is set for {name!r}, which is not among the methods: {', '.join(methods)}")
    if (lexicon or antonyms) and not any(method.lexicon for _, method, _ in steps):
        raise InputError("a lexicon is given, but no method reads one; add graph-retrofit or retrofit")
    say = report or (lambda line: None)
    refuse_broken(vectors)
    matrix = np.asarray(vectors.matrix)
    chain = list(vectors.card.get("refinement", ()))
    for name, method, settings in steps:
        record = {"method": name, "settings": asdict(settings)}
        if method.lexicon and lexicon is not None:
            matrix, more = _retrofit(name, method, matrix, settings, vectors, lexicon, antonyms, say)
            record |= more
        else:
            matrix = method.change(matrix, settings)
            say(f"{name}: {len(matrix):,} words, {matrix.shape[1]} dimensions")
        chain.append(record)
    return WordVectors(vectors.words, matrix, vectors.counts, changed_card(vectors.card, matrix, refinement=chain))


def _step(name: str, options: Mapping[str, Mapping[str, str]], lexicon: Lexicon | None) -> tuple[Method, Any]:
    if name not in METHODS:
        raise InputError(f"there is no method {name!r}; there are: {', '.join(METHODS)}")
    if METHODS[name].lexicon and lexicon is None:
        raise InputError(f"{name} needs a lexicon; name one with --lexicon (a file, 'wordnet' or 'wordnet+')")
    return METHODS[name], read_settings(METHODS[name].settings, name, options.get(name, {}))


def _retrofit(
    name: str,
    method: Method,
    matrix: Array,
    settings: Any,
    vectors: WordVectors,
    lexicon: Lexicon,
    antonyms: Lexicon | None,
    say: Callable[[str], None],
) -> tuple[Array, dict[str, Any]]:
    graph = lay_over(lexicon, vectors.key_to_index, antonyms)
    if not graph.pairs:
        raise InputError(
            f"no pair of {lexicon.name} has a vector for both words; are lexicon and vectors of one language and case?"
        )
    pushed = len(graph.against.neighbors) // 2
    say(
        f"{name}: {graph.pairs:,} of {len(lexicon.edges):,} pairs of {lexicon.name}"
        + (f" and {pushed:,} pairs of antonyms" if antonyms else "")
        + f" have vectors; {len(graph.rows):,} of {len(vectors):,} words take part"
    )

    def report(sweep: int, objective: float, moved: float | None) -> None:
        way = "" if moved is None else f", moved by {moved:.6f}"
        say(f"{name}: sweep {sweep}: objective {objective:.4f}{way}")

    settled = method.change(matrix, graph, settings, report)
    record = {
        "lexicon": lexicon.name,
        "pairs": graph.pairs,
        "antonyms": antonyms.name if antonyms else None,
        "objective": [round(value, 4) for value in settled.objective],
    }
    return settled.matrix, record


def changed_card(card: Mapping[str, Any], matrix: Array, **more: Any) -> dict[str, Any]:
    """The card of changed vectors: scores and dimensions of the old ones are not theirs."""
    kept = {key: value for key, value in card.items() if key != "scores"}
    if "dimensions" in kept:
        kept["dimensions"] = int(matrix.shape[1])
    return {**kept, **more}


def refuse_broken(vectors: WordVectors) -> None:
    """Refuse NaN and infinity, which would spread from one word to others."""
    with np.errstate(over="ignore", invalid="ignore"):
        broken = np.flatnonzero(~np.isfinite(row_norms(vectors.matrix)))
    if len(broken):
        raise InputError(
            f"{len(broken)} words have NaN, infinity or too large a number in their vector, the first is"
            f" {vectors.words[broken[0]]!r}; leave them out and try again"
        )
