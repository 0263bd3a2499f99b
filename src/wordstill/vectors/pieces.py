"""Pieces of words: rows for words outside the table, which fall apart into them inside tokenizer.json.

    u_w  ~  row of the word or beginning that w begins with  +  sum over the rest of w of  z_piece

A word without a row is cut as WordPiece cuts: the longest beginning that is a word, or a piece, then again and again
the longest piece that goes on from there ("##ing"). The pieces are those that most words of the vocabulary have in
them. Each word of the vocabulary, cut as if it had no row of its own, tells what its pieces should sum to: a ridge
regression by conjugate gradients, whose ridge is the one that predicts a fifth of the words, held out, best.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from wordstill.arrays import Array, unit_rows
from wordstill.vectors import WordVectors

GOES_ON = "##"
LONGEST_PIECE, LONGEST_WORD = 6, 100
MOST_GOING_ON, MOST_BEGINNING = 6_000, 2_000
FEWEST_WORDS = 5  # that a piece of several letters must be in
MOST_WORDS = 40_000  # to learn from
SHORTEST_WORD = 4  # that is learned from
RIDGES = (1.0, 3.0, 10.0, 30.0)
STEPS = 8
HELD_OUT = 5
COLUMNS = 32


@dataclass(frozen=True)
class Pieces:
    """Names and rows of pieces; `##` is before those that do not begin a word."""

    names: list[str]
    matrix: Array

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The number of each piece."""
        return {name: number for number, name in enumerate(self.names)}


def cut_word(
    word: str, words: Mapping[str, int], pieces: Mapping[str, int], *, whole: bool = True
) -> tuple[int | None, list[int]]:
    """Cut a word as WordPiece does: the row of the word it begins with, or None, and the numbers of its pieces.

    A word that cannot be cut to its end gives (None, []). Without `whole` the word itself does not count as one.
    """
    start = 0
    first: int | None = None
    found: list[int] = []
    if len(word) > LONGEST_WORD:
        return None, []
    while start < len(word):
        # A beginning may be any word, however long.
        longest = len(word) if start == 0 else min(len(word), start + LONGEST_PIECE)
        for end in range(longest, start, -1):
            if start == 0 and end == len(word) and not whole:
                continue
            part = word[start:end]
            if start == 0 and part in words:
                first = words[part]
                break
            number = pieces.get(part if start == 0 else GOES_ON + part)
            if number is not None:
                found.append(number)
                break
        else:
            return None, []
        start = end
    return first, found


def fit_pieces(vectors: WordVectors) -> Pieces | None:
    """Choose pieces, and find their rows; None where the vectors have too few words to learn from."""
    names = _choose(vectors.words)
    numbers = {name: number for number, name in enumerate(names)}
    rows: list[int] = []
    firsts: list[int] = []
    bags: list[list[int]] = []
    usable = [row for row, word in enumerate(vectors.words) if len(word) >= SHORTEST_WORD and word.isalpha()]
    for row in usable[:: -(-len(usable) // MOST_WORDS) or 1]:
        first, found = cut_word(vectors.words[row], vectors.key_to_index, numbers, whole=False)
        if found:
            rows.append(row)
            firsts.append(-1 if first is None else first)
            bags.append(found)
    if len(rows) < HELD_OUT:
        return None
    begun = np.array(firsts)
    targets = np.asarray(vectors.matrix[rows], dtype=np.float32)
    targets = targets - np.where((begun >= 0)[:, None], vectors.matrix[np.maximum(begun, 0)], 0.0).astype(np.float32)
    held = np.arange(len(rows)) % HELD_OUT == HELD_OUT - 1

    def agreement(ridge: float) -> float:
        table = _solve(targets, bags, ~held, len(names), ridge)
        places = np.flatnonzero(held)
        guessed = np.stack([table[bags[place]].sum(axis=0) for place in places])
        back = np.asarray(vectors.matrix[np.array(rows)[places]], dtype=np.float32) - targets[places]
        return float((unit_rows(guessed + back) * unit_rows(targets[places] + back)).sum())

    ridge = max(RIDGES, key=agreement)
    return Pieces(names, _solve(targets, bags, np.ones(len(rows), dtype=bool), len(names), ridge))


def _choose(words: Sequence[str]) -> list[str]:
    """Name the pieces: every letter, and what most words have in them."""
    own = set(words)
    going_on: Counter[str] = Counter()
    beginning: Counter[str] = Counter()
    letters: set[str] = set()
    for word in words:
        letters.update(word)
        if not word.isalpha():
            continue
        size = len(word)
        going_on.update({word[i:j] for i in range(1, size) for j in range(i + 2, min(size, i + LONGEST_PIECE) + 1)})
        beginning.update(word[:j] for j in range(2, min(size - 1, LONGEST_PIECE) + 1))
    usual = [name for name, count in _most(going_on) if count >= FEWEST_WORDS][:MOST_GOING_ON]
    first = [name for name, count in _most(beginning) if count >= FEWEST_WORDS and name not in own][:MOST_BEGINNING]
    single = sorted(letter for letter in letters if letter.isalnum())
    named = [letter for letter in single if letter not in own] + first
    named += [GOES_ON + letter for letter in single] + [GOES_ON + name for name in usual]
    return [name for name in named if name not in own]


def _most(counts: Counter[str]) -> list[tuple[str, int]]:
    # Longer ones say more than shorter ones that are in more words.
    return sorted(counts.items(), key=lambda item: (-item[1] * (len(item[0]) - 1), item[0]))


def _solve(targets: Array, bags: Sequence[Sequence[int]], chosen: Array, rows: int, ridge: float) -> Array:
    from wordstill.kernels.bags import solve_bags

    some = [bag for bag, kept in zip(bags, chosen.tolist(), strict=True) if kept]
    starts = np.concatenate([[0], np.cumsum([len(bag) for bag in some])]).astype(np.int64)
    members = np.array([number for bag in some for number in bag], dtype=np.int32)
    width = targets.shape[1]
    blocks = -(-width // COLUMNS)
    padded = np.zeros((len(some), blocks * COLUMNS), dtype=np.float32)
    padded[:, :width] = targets[chosen]
    padded = np.ascontiguousarray(padded.reshape(len(some), blocks, COLUMNS).transpose(1, 0, 2))
    ones = np.ones(len(some), dtype=np.float32)
    solved = solve_bags(padded, starts, members, ones, ones, rows, np.float32(ridge), STEPS)
    return np.ascontiguousarray(solved.transpose(1, 0, 2).reshape(rows, -1)[:, :width])
