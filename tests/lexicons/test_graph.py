"""Laying a lexicon over vectors, against a loop over its pairs."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from wordstill.arrays import Array
from wordstill.lexicons.graph import Edges
from wordstill.refinement import Lexicon, lay_over

WORD = st.sampled_from(["a", "b", "c", "d", "A", "x_y", "x y", "x-y", "e"])
PAIRS = st.lists(st.tuples(WORD, WORD), max_size=25)


def pairs_of(rows: Array, edges: Edges, words: list[str]) -> list[tuple[str, str]]:
    return sorted(
        (words[rows[head]], words[rows[place]])
        for head in range(len(rows))
        for place in edges.neighbors[edges.starts[head] : edges.starts[head + 1]]
    )


def spelt(word: str, words: list[str]) -> str | None:
    candidates = [word, word.replace("_", " "), word.replace("_", "-"), word.lower()]
    return next((each for each in candidates if each in words), None)


@given(PAIRS, PAIRS, st.permutations(["a", "b", "c", "d", "x y", "x-y"]), st.integers(0, 6))
def test_the_graph_has_every_pair_whose_words_have_vectors_both_ways_round(
    pairs: list[tuple[str, str]], against: list[tuple[str, str]], words: list[str], known: int
) -> None:
    words = words[:known]

    def found(given: list[tuple[str, str]]) -> set[tuple[str, str]]:
        rows = {(spelt(first, words), spelt(second, words)) for first, second in given if first != second}
        kept = {(a, b) for a, b in rows if a is not None and b is not None and a != b}
        return kept | {(b, a) for a, b in kept}

    index = {word: row for row, word in enumerate(words)}
    graph = lay_over(Lexicon.of(pairs), index, Lexicon.of(against))
    assert pairs_of(graph.rows, graph.near, words) == sorted(found(pairs) - found(against))
    assert pairs_of(graph.rows, graph.against, words) == sorted(found(against))
    assert len(set(graph.rows.tolist())) == len(graph.rows)
    assert graph.pairs == len(found(pairs) - found(against)) // 2
