"""Ugly words and ugly numbers for the property tests of the formats."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays_of

from wordstill.vectors import WordVectors

UGLY = [
    "",
    " ",
    "\t",
    "\n",
    "\r",
    "\r\n",
    "\\",
    "\\n",
    "\\t",
    "1",
    "2 3",
    "\x00",
    "\x85",
    "\u2028",
    "\ufeff",
    "[UNK]",
    "a_b",
]
UGLY += [
    "a b",
    "new_york",
    "new york",
    "_",
    "<unk>",
    "nan",
    "0.5",
    "東京",
    "👩‍🔬",
    "É",
    "é",
    "##ing",
    "▁a",
    "Ġa",
    '"',
    "'",
    "|",
    "שלום",
    "\u202eabc",
    "a\x00",
    "PAR1",
    "PK\x03\x04",
    "NOUN",
    "</s>",
    "\xa0",
    "word\tcount",
]
WORDS = st.text(st.characters(exclude_categories=["Cs"]), max_size=6) | st.sampled_from(UGLY)
NUMBERS = st.floats(width=32, allow_nan=False) | st.sampled_from(
    [0.0, -0.0, 1e-45, 3.4028234663852886e38, float("-inf")]
)


@st.composite
def any_vectors(draw: st.DrawFn, one_token: bool = False) -> WordVectors:
    """Vectors of ugly words; with `one_token` only of words that a word2vec file can hold."""
    words = draw(st.lists(WORDS.filter(holdable) if one_token else WORDS, unique=True, max_size=6))
    shape = (len(words), draw(st.integers(1, 5)))
    matrix = draw(arrays_of.arrays(np.float32, shape, elements=NUMBERS))
    counts = draw(st.none() | arrays_of.arrays(np.int64, len(words), elements=st.integers(0, 2**62)))
    return WordVectors(words, matrix, counts)


@st.composite
def one_row(draw: st.DrawFn, holds: Callable[[str], bool]) -> WordVectors:
    """A single ugly word of those that a format holds, with numbers that every format holds."""
    word = draw(WORDS.filter(holds))
    dimensions = draw(st.integers(2, 4))
    numbers = st.floats(-100, 100, width=32)
    return WordVectors([word], draw(arrays_of.arrays(np.float32, (1, dimensions), elements=numbers)))


def holdable(word: str) -> bool:
    return bool(word) and " " not in word and "\n" not in word


def assert_same(first: WordVectors, second: WordVectors) -> None:
    """The same words, and the same numbers to the last bit."""
    assert first.words == second.words
    assert first.matrix.dtype == second.matrix.dtype
    assert np.ascontiguousarray(first.matrix).tobytes() == np.ascontiguousarray(second.matrix).tobytes()
