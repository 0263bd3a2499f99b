"""How strongly to retrofit: chosen by evidence, so that relatedness does not pay for similarity.

A fifth of the lexicon's pairs are held out. The vectors are retrofitted with the others, a little stronger each time,
and judged by two kinds of evidence (see `evidence.py`): the pairs held out, which go on rising for long, and guards:
pairs of words that belong together without meaning the same, which rise at first and then fall. The strength is the
highest at which no guard has fallen below what it was, given the interval of the difference. In the end the vectors are
retrofitted with all pairs at that strength.

Without a guard there is nothing that would tell too much from enough, and the strength is `USUAL`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from wordstill.lexicons.graph import lay_over
from wordstill.lexicons.lexicon import Lexicon
from wordstill.refinement.evidence import Evidence, Measured, gather_evidence, hold_out, measured
from wordstill.refinement.graph_retrofit import GraphRetrofitSettings, graph_retrofit
from wordstill.refinement.steps import refine
from wordstill.system.progress import log
from wordstill.vectors import WordVectors

# What a word takes from its neighbors; it keeps the rest of its own.
STRENGTHS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6)
USUAL = 0.3


@dataclass(frozen=True)
class Tried:
    """A strength, with the gain over the vectors as they were: on the pairs held out, and on each guard.

    Too few pairs to hold out are no evidence: then there is no gain on them.
    """

    strength: float
    held_out: Measured | None
    guards: dict[str, Measured]

    @property
    def guarded(self) -> bool:
        """Whether no guard has fallen: each gain is above 0, or its interval reaches there."""
        return all(gain.high >= 0 for gain in self.guards.values())


@dataclass(frozen=True)
class Refined:
    """Retrofitted vectors, the strength (0: they are as they were) and everything that was tried."""

    vectors: WordVectors
    strength: float
    tried: tuple[Tried, ...]

    def as_json(self) -> dict[str, Any]:
        """The choice and its evidence, as run.json holds it; gains as [gain, low, high]."""
        return {
            "strength": self.strength,
            "tried": [
                {
                    "strength": one.strength,
                    "held_out": None if one.held_out is None else one.held_out.as_json(),
                    "guards": {name: gain.as_json() for name, gain in one.guards.items()},
                }
                for one in self.tried
            ],
        }


def refine_by_evidence(
    vectors: WordVectors,
    lexicon: Lexicon,
    antonyms: Lexicon | None = None,
    guards: Sequence[Evidence] = (),
    seed: int = 0,
) -> Refined:
    """Retrofit as strongly as the guards allow; not at all where the least strength lowers one of them."""
    if not guards:
        return _refined(vectors, lexicon, antonyms, USUAL, ())
    training, judged = hold_out(lexicon, seed=seed)
    held_out = gather_evidence(judged, vectors.key_to_index, seed)
    graph = lay_over(training, vectors.key_to_index, antonyms)
    matrix = np.asarray(vectors.matrix)
    asked = {"": held_out} | {guard.name: guard for guard in guards}
    before = {name: one.scores(matrix) for name, one in asked.items() if one is not None}
    tried: list[Tried] = []
    for strength in STRENGTHS:
        changed = graph_retrofit(matrix, graph, _settings(strength)).matrix
        gains = {name: measured(one.scores(changed) - before[name]) for name, one in asked.items() if one is not None}
        told = ", ".join(f"{name or 'held-out pairs'} {gain.score:+.3f}" for name, gain in gains.items())
        log.info("graph-retrofit %g: %s", strength, told)
        tried.append(Tried(strength, gains.pop("", None), gains))
        if not tried[-1].guarded:
            break
    chosen = max((one.strength for one in tried if one.guarded), default=0.0)
    return _refined(vectors, lexicon, antonyms, chosen, tuple(tried))


def _settings(strength: float) -> GraphRetrofitSettings:
    return GraphRetrofitSettings(own=1.0 - strength, neighbors=strength)


def _refined(
    vectors: WordVectors, lexicon: Lexicon, antonyms: Lexicon | None, strength: float, tried: tuple[Tried, ...]
) -> Refined:
    if strength:
        options = {"own": f"{1.0 - strength:g}", "neighbors": f"{strength:g}"}
        vectors = refine(vectors, "graph-retrofit", lexicon, antonyms, {"graph-retrofit": options})
    return Refined(vectors, strength, tried)
