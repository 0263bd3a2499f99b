"""refine: steps one after the other on any vectors, each recorded in their card. A method is one file and one line."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from wordstill.arrays import Array, row_norms, row_squares
from wordstill.errors import InputError
from wordstill.lexicons.graph import lay_over
from wordstill.lexicons.lexicon import Lexicon, read_lexicons
from wordstill.options import read_settings
from wordstill.refinement.center import CenterSettings, RemoveTopSettings, center, remove_top
from wordstill.refinement.graph_retrofit import GraphRetrofitSettings, graph_retrofit
from wordstill.refinement.pca import PcaSettings, pca
from wordstill.refinement.retrofit import RetrofitSettings, retrofit
from wordstill.refinement.spectral import SpectralSettings, spectral
from wordstill.refinement.whiten import WhitenSettings, whiten
from wordstill.system.progress import log
from wordstill.vectors import WordVectors
from wordstill.vectors.pieces import fit_pieces


class Refinement(NamedTuple):
    """A method: matrix, settings -> matrix; or, if it reads a lexicon, matrix, graph, settings -> Retrofitted."""

    change: Callable[..., Any]
    settings: Any
    lexicon: bool = False


METHODS: dict[str, Refinement] = {
    "graph-retrofit": Refinement(graph_retrofit, GraphRetrofitSettings, lexicon=True),
    "retrofit": Refinement(retrofit, RetrofitSettings, lexicon=True),
    "spectral": Refinement(spectral, SpectralSettings),
    "center": Refinement(center, CenterSettings),
    "remove-top": Refinement(remove_top, RemoveTopSettings),
    "whiten": Refinement(whiten, WhitenSettings),
    "pca": Refinement(pca, PcaSettings),
}

Source: TypeAlias = str | Path
Lexicons: TypeAlias = Lexicon | Source | Sequence[Source] | None


def refine(
    vectors: WordVectors | Source,
    methods: str | Sequence[str],
    lexicon: Lexicons = None,
    antonyms: Lexicons = None,
    options: Mapping[str, Mapping[str, str]] | None = None,
) -> WordVectors:
    """Take the steps named, in order; the card of the result lists them after those taken before.

    >>> refine("run/aggregate", ["center", "whiten"]).vector_size
    384

    vectors   WordVectors, or a path to some
    methods   the names of the steps
    lexicon   pairs that retrofitting draws together: a Lexicon, or files, "wordnet", "wordnet+"
    antonyms  pairs that it pushes apart
    options   {method: {option: value}}, as `--set method.option=value` gives them
    """
    options = options or {}
    methods = [methods] if isinstance(methods, str) else list(methods)
    near, against = _lexicon(lexicon, "synonyms"), _lexicon(antonyms, "antonyms")
    steps = [(name, *_step(name, options, near)) for name in methods]
    if not steps:
        raise InputError(f"no method is named; choose from {', '.join(METHODS)}")
    for name in options:
        if name not in methods:
            raise InputError(f"an option is set for {name!r}, which is not among the methods: {', '.join(methods)}")
    if (near or against) and not any(method.lexicon for _, method, _ in steps):
        raise InputError("a lexicon is given, but no method reads one; add graph-retrofit or retrofit")
    vectors = vectors if isinstance(vectors, WordVectors) else WordVectors.load(vectors)
    refuse_broken(vectors)
    matrix = np.asarray(vectors.matrix)
    chain = list(vectors.card.get("refinement", ()))
    for name, method, settings in steps:
        record = {"method": name, "settings": asdict(settings)}
        if method.lexicon and near is not None:
            changed, more = _retrofit(name, method, matrix, settings, vectors, near, against)
            matrix = with_lengths_of(changed, matrix)
            record |= more
        else:
            matrix = method.change(matrix, settings)
            log.info("%s: %s words, %d dimensions", name, f"{len(matrix):,}", matrix.shape[1])
        chain.append(record)
    refined = WordVectors(vectors.words, matrix, vectors.counts, changed_card(vectors.card, matrix, refinement=chain))
    # Pieces live in the old space; those of the new one are learned from its words.
    refined.pieces = None if vectors.pieces is None else fit_pieces(refined)
    return refined


def with_lengths_of(matrix: Array, before: Array) -> Array:
    """Give each row the length that it had before, so that sums over the words of a text mean what they did.

    A word between neighbors that point apart would be shorter than it was. A row of zeros had no length to keep.
    """
    lengths, now = row_norms(before), row_norms(matrix)
    factors = np.divide(lengths, now, out=np.ones(len(now)), where=(now > 0) & (lengths > 0))
    return np.asarray(matrix * factors[:, None].astype(matrix.dtype))


def _lexicon(given: Lexicons, kind: Literal["synonyms", "antonyms"]) -> Lexicon | None:
    if given is None or isinstance(given, Lexicon):
        return given
    return read_lexicons([given] if isinstance(given, (str, Path)) else given, kind)


def _step(name: str, options: Mapping[str, Mapping[str, str]], lexicon: Lexicon | None) -> tuple[Refinement, Any]:
    if name not in METHODS:
        raise InputError(f"there is no method {name!r}; there are: {', '.join(METHODS)}")
    if METHODS[name].lexicon and lexicon is None:
        raise InputError(f"{name} needs a lexicon; name one with --lexicon (a file, 'wordnet' or 'wordnet+')")
    return METHODS[name], read_settings(METHODS[name].settings, name, options.get(name, {}))


def _retrofit(
    name: str,
    method: Refinement,
    matrix: Array,
    settings: Any,
    vectors: WordVectors,
    lexicon: Lexicon,
    antonyms: Lexicon | None,
) -> tuple[Array, dict[str, Any]]:
    graph = lay_over(lexicon, vectors.key_to_index, antonyms)
    if not graph.pairs:
        raise InputError(
            f"no pair of {lexicon.name} has a vector for both words; are lexicon and vectors of one language and case?"
        )
    pushed = len(graph.against.neighbors) // 2
    log.info(
        "%s",
        f"{name}: {graph.pairs:,} of {len(lexicon.edges):,} pairs of {lexicon.name}"
        + (f" and {pushed:,} pairs of antonyms" if antonyms else "")
        + f" have vectors; {len(graph.rows):,} of {len(vectors):,} words take part",
    )
    done = method.change(matrix, graph, settings)
    record = {
        "lexicon": lexicon.name,
        "pairs": graph.pairs,
        "antonyms": antonyms.name if antonyms else None,
        "objective": [round(value, 4) for value in done.objective],
    }
    return done.matrix, record


def changed_card(card: Mapping[str, Any], matrix: Array, **more: Any) -> dict[str, Any]:
    """The card of changed vectors: scores and dimensions of the old ones are not theirs."""
    kept = {key: value for key, value in card.items() if key != "scores"}
    if "dimensions" in kept:
        kept["dimensions"] = int(matrix.shape[1])
    return {**kept, **more}


def refuse_broken(vectors: WordVectors) -> None:
    """Refuse NaN, infinity, and numbers whose squares are infinite: they would spread from one word to others."""
    broken = np.flatnonzero(~np.isfinite(row_squares(vectors.matrix)))
    if len(broken):
        raise InputError(
            f"{len(broken)} words have NaN, infinity or too large a number in their vector, the first is"
            f" {vectors.words[broken[0]]!r}; leave them out and try again"
        )
