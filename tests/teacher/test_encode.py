"""Layouts for compiled teachers, and pooling in the precision that the teacher has."""

from __future__ import annotations

import copy
from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as some

from small_models import make_model
from wordstill.teacher.encode import Grid, lay_out, pool
from wordstill.teacher.load import Teacher, load_teacher
from wordstill.teacher.texts import Row, Text


@pytest.fixture(scope="module")
def loaded(teacher: str) -> Teacher:
    return replace(load_teacher(teacher), compiled=True)


@pytest.fixture(scope="module")
def without_special_tokens(tmp_path_factory: pytest.TempPathFactory) -> Teacher:
    teacher = replace(load_teacher(make_model("gpt2", tmp_path_factory.mktemp("gpt2"))), compiled=True)
    teacher.pieces.prefix = []
    return teacher


def test_marks_are_text_in_other_processes_too(loaded: Teacher) -> None:
    there = copy.deepcopy(loaded.pieces)  # by way of its state, as when it is sent to a process
    words = ["[SEP]", "[CLS]", "sea", "[MASK]"]
    for pieces, same in zip(loaded.pieces(words), there(words), strict=True):
        assert pieces.tolist() == same.tolist()
    assert there(["[SEP]"])[1].tolist() != [0]


def text_of(size: int) -> Text:
    """One word of so many pieces."""
    one = np.zeros(1, dtype=np.int32)
    return Text(one, one + size, one, one, (Row(np.arange(5, 5 + size, dtype=np.int32), 0, size),))


@pytest.mark.parametrize("sizes", [[1], [1, 1, 1], [3], [2, 2], [1, 4], [7, 7, 2]])
def test_a_compiled_teacher_always_has_rows_to_tell_apart_and_something_to_mask(
    loaded: Teacher, sizes: list[int]
) -> None:
    grid = lay_out(loaded, [text_of(size) for size in sizes])
    assert len(grid.mask) >= 2
    assert not grid.mask.all()
    assert grid.mask.any(axis=1).all()
    # Special tokens alone make the shorter row: no column is added.
    assert grid.mask.shape[1] == max(sizes) + 2
    expected = [piece for size in sizes for piece in range(5, 5 + size)]
    assert grid.pieces.ravel()[grid.places].tolist() == expected


def test_without_special_tokens_a_column_is_added_where_all_rows_are_one_piece(without_special_tokens: Teacher) -> None:
    grid = lay_out(without_special_tokens, [text_of(1), text_of(1)])
    assert grid.mask.tolist() == [[True, False]] * 3
    assert lay_out(without_special_tokens, [text_of(2)]).mask.tolist() == [[True, True], [True, False]]


@given(some.lists(some.integers(1, 4), min_size=1, max_size=12), some.integers(1, 40), some.integers(0, 2**32 - 1))
def test_bfloat16_is_pooled_as_its_float32_would_be(lengths: list[int], width: int, seed: int) -> None:
    draw = np.random.default_rng(seed)
    number = sum(lengths)
    hidden = torch.from_numpy(draw.normal(size=(2, number, width)).astype(np.float32)).to(torch.bfloat16)
    places = draw.permutation(2 * number)[:number]
    nothing = np.zeros(0)
    grid = Grid(nothing, nothing, None, places, np.array(lengths, dtype=np.int32))
    flat = hidden.float().reshape(-1, width).numpy()
    ends = np.cumsum(lengths)
    expected = [flat[places[end - size : end]].mean(axis=0) for end, size in zip(ends, lengths, strict=True)]
    np.testing.assert_allclose(pool(hidden, grid).numpy(), expected, rtol=1e-6, atol=1e-6)
