"""Close spellings, against difflib's opinion and a literal edit distance."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordstill.vectors.spelling import close_spellings, edit_distances


def literal(first: str, second: str) -> int:
    """The optimal string alignment distance, cell by cell."""
    table = {(-1, -1): 0}
    for i in range(len(first)):
        table[i, -1] = i + 1
    for j in range(len(second)):
        table[-1, j] = j + 1
    for i, a in enumerate(first):
        for j, b in enumerate(second):
            table[i, j] = min(table[i - 1, j] + 1, table[i, j - 1] + 1, table[i - 1, j - 1] + (a != b))
            if i and j and a == second[j - 1] and first[i - 1] == b:
                table[i, j] = min(table[i, j], table[i - 2, j - 2] + 1)
    return table[len(first) - 1, len(second) - 1]


@given(st.text("abcé", min_size=1, max_size=8), st.lists(st.text("abcé", min_size=5, max_size=5), min_size=1))
def test_distances_are_the_literal_ones(word: str, others: list[str]) -> None:
    letters = np.array([[ord(letter) for letter in other] for other in others], dtype=np.uint32)
    assert edit_distances(word, letters).tolist() == [literal(word, other) for other in others]


WORDS = ["the", "river", "rivers", "rover", "Paris", "new_york", "straße", "driver", "x" * 5000, "", "\x00", "東京都"]


@pytest.mark.parametrize(
    ("word", "near"),
    [
        ("rivre", ["river", "rivers", "rover", "driver"]),
        ("RIVER", ["river", "rivers", "rover", "driver"]),
        ("PARIS", ["Paris"]),
        ("New York", ["new_york"]),
        ("hte", ["the"]),
        ("東京", ["東京都"]),
        ("xylophone", []),
        ("", []),
        ("x" * 1_000_000, []),
    ],
)
def test_near_words_come_first_and_frequent_ones_before_rare(word: str, near: list[str]) -> None:
    assert close_spellings(WORDS, word) == near
