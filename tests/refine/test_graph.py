"""Laying a lexicon over vectors, against a loop over its pairs."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from wordstill.refine import Lexicon, lay_over
from wordstill.refine.graph import Graph

WORD = st.sampled_from(["a", "b", "c", "d", "A", "x_y", "x y", "x-y", "e"])
PAIRS = st.lists(st.tuples(WORD, WORD), max_size=25)


def pairs_of(graph: Graph, words: list[str], part: str = "blocks") -> list[tuple[str, str]]:
    return sorted(
        (words[graph.rows[head]], words[graph.rows[place]])
        for block in getattr(graph, part)
        for head, places in zip(block.heads, block.neighbors, strict=True)
        for place in places
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
    assert pairs_of(graph, words) == sorted(found(pairs) - found(against))
    assert pairs_of(graph, words, "opposed") == sorted(found(against))
    assert len(set(graph.rows.tolist())) == len(graph.rows)
    assert graph.edges == len(found(pairs) - found(against)) // 2


def test_a_word_with_more_neighbors_than_a_block_holds_keeps_them_all() -> None:
    words = ["hub", *(f"n{number}" for number in range(3000))]
    graph = lay_over(Lexicon.of(("hub", word) for word in words[1:]), {word: row for row, word in enumerate(words)})
    assert graph.edges == 3000
    assert len(pairs_of(graph, words)) == 6000
