"""Texts and batches: whatever the lengths, every word is read exactly once and in its place."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from wordstill.teacher.texts import Dropped, Text, cut, make_batches, make_texts

sentences = some.lists(some.lists(some.integers(0, 9), min_size=1, max_size=30), min_size=1, max_size=8)


def texts_of(sizes: list[list[int]], context: Any, limit: int) -> tuple[list[Text], Dropped]:
    """Texts of sentences given as the number of pieces of each word; word n has the pieces 100 n, 100 n + 1, ..."""
    lengths = np.array([size for sentence in sizes for size in sentence], dtype=np.int32)
    pieces = np.array([100 * n + p for n, size in enumerate(lengths) for p in range(size)], dtype=np.int32)
    dropped = Dropped()
    words = np.arange(len(lengths), dtype=np.int32)
    counts = [len(sentence) for sentence in sizes]
    return list(make_texts(words, pieces, lengths, counts, context, limit, dropped)), dropped


@given(sentences, some.sampled_from(["sentence", "paragraph"]), some.integers(1, 40))
def test_every_word_that_fits_is_read_once_with_its_own_pieces(
    sizes: list[list[int]], context: str, limit: int
) -> None:
    texts, dropped = texts_of(sizes, context, limit)
    flat = [(size, s, place) for s, sentence in enumerate(sizes) for place, size in enumerate(sentence)]
    fitting = [n for n, (size, _, _) in enumerate(flat) if 0 < size <= limit]
    assert [n for text in texts for n in text.words.tolist()] == fitting
    assert dropped.truncated == sum(size > limit for size, _, _ in flat)
    assert dropped.invisible == sum(size == 0 for size, _, _ in flat)
    for text in texts:
        owned = np.concatenate([row.pieces[row.first : row.first + row.owned] for row in text.rows])
        expected = [100 * n + p for n, size in zip(text.words, text.lengths, strict=True) for p in range(size)]
        assert owned.tolist() == expected
        assert all(len(row.pieces) <= limit for row in text.rows)
        assert text.positions.tolist() == [flat[n][2] for n in text.words]
        # Sentences stay whole, and are numbered 0, 1, 2, ... inside the text.
        numbers = [flat[n][1] for n in text.words]
        ranks = {number: rank for rank, number in enumerate(dict.fromkeys(numbers))}
        assert text.sentences.tolist() == [ranks[number] for number in numbers]
        if context == "sentence":
            assert len(ranks) == 1
    in_texts = [{flat[n][1] for n in text.words} for text in texts]
    assert sum(map(len, in_texts)) == len(set().union(*in_texts)) if in_texts else True


@given(some.lists(sentences, max_size=5), some.sampled_from(["sentence", "paragraph"]), some.integers(1, 40))
def test_many_paragraphs_at_once_are_cut_as_one_by_one(
    paragraphs: list[list[list[int]]], context: Any, limit: int
) -> None:
    alone = [texts_of(sizes, context, limit) for sizes in paragraphs]
    flat = [sentence for sizes in paragraphs for sentence in sizes]
    lengths = np.array([size for sentence in flat for size in sentence], dtype=np.int32)
    # The same numbers and pieces as in each paragraph by itself.
    words = np.concatenate([np.arange(sum(map(len, sizes)), dtype=np.int32) for sizes in [*paragraphs, []]])
    pieces = [100 * n + p for n, size in zip(words, lengths, strict=True) for p in range(size)]
    sizes = [len(sentence) for sentence in flat]
    flat_pieces = np.array(pieces, dtype=np.int32)
    together = cut(words, flat_pieces, lengths, sizes, [len(each) for each in paragraphs], context, limit)
    assert repr(together) == repr(alone)


@given(some.lists(some.integers(1, 3), min_size=30, max_size=80))
def test_a_sentence_that_is_too_long_is_read_in_rows_that_overlap(sizes: list[int]) -> None:
    limit = 20
    (text,), _ = texts_of([sizes], "paragraph", limit)
    assert len(text.rows) > 1
    for before, after in zip(text.rows, text.rows[1:], strict=False):
        shared = set(before.pieces.tolist()) & set(after.pieces.tolist())
        assert len(shared) >= limit // 2 - 5  # a word of three pieces at either end may not fit
        # A word is read where it has context on both sides: not at a row's very edge, if there is another row.
        assert before.first + before.owned < len(before.pieces)
        assert after.first > 0


def test_a_paragraph_is_split_at_sentence_borders() -> None:
    texts, _ = texts_of([[1] * 6, [1] * 5, [1] * 4, [1] * 9], "paragraph", 12)
    assert [len(text.words) for text in texts] == [11, 4, 9]
    assert [text.sentences.tolist()[-1] for text in texts] == [1, 0, 0]


@given(some.lists(some.integers(1, 60), min_size=1, max_size=60), some.integers(10, 300), some.integers(0, 3))
def test_batches_hold_every_text_once_and_keep_to_the_budget(lengths: list[int], tokens: int, extra: int) -> None:
    texts = [texts_of([[1] * length], "paragraph", 100)[0][0] for length in lengths]
    batches = make_batches(texts, tokens, extra, np.random.default_rng(0))
    assert sorted(id(text) for batch in batches for text in batch) == sorted(map(id, texts))
    for batch in batches:
        widest = max(len(row.pieces) for text in batch for row in text.rows) + extra
        assert len(batch) == 1 or len(batch) * widest <= tokens


def test_sorted_batches_hardly_pad() -> None:
    random = np.random.default_rng(1)
    lengths = np.minimum(500, random.lognormal(4.5, 0.8, size=3000).astype(int) + 1)
    texts = [texts_of([[1] * int(length)], "paragraph", 512)[0][0] for length in lengths]
    batches = make_batches(texts, 8192, 2, random)
    padded = sum(len(batch) * (max(len(text.words) for text in batch) + 2) for batch in batches)
    assert padded / (lengths.sum() + 2 * len(lengths)) < 1.05


@pytest.mark.parametrize("context", ["sentence", "paragraph"])
def test_a_paragraph_without_any_visible_word_makes_no_text(context: str) -> None:
    texts, dropped = texts_of([[0, 0], [0]], context, 10)
    assert texts == []
    assert dropped.invisible == 3
