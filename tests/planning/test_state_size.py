"""The sizes that plans count with, against real states."""

from __future__ import annotations

import pytest

from wordstill.planning.state_size import state_size, states
from wordstill.students.registry import Chosen, choose_students

pytestmark = pytest.mark.slow

# The table in docs/students.md: numbers of four bytes, by V words, w the teacher's width, d dimensions.
FORMULAS = {
    ("aggregate", ""): lambda V, w: 4 * V * w,
    ("principal", ""): lambda V, w: 4 * V * w,
    ("closed", ""): lambda V, w: 4 * V * w + 8 * w * w,
    ("x2static", ""): lambda V, w: 8 * V * w,
    ("dynamic-skipgram", ""): lambda V, w: 8 * V * w,
    ("context-to-vec", ""): lambda V, w: 8 * V * w,
    ("x2static", "paper"): lambda V, w: 12 * V * w,
    ("dynamic-skipgram", "paper"): lambda V, w: 4 * V * 300,
    ("context-to-vec", "paper"): lambda V, w: 4 * V * 300,
    ("sentence", ""): lambda V, w: 20 * V * w,
    ("alone", ""): lambda V, w: 4 * V * w,
    ("table", ""): lambda V, w: 4 * V * w,
    ("skipgram", ""): lambda V, w: 8 * V * 300,
}


def chosen(name: str, preset: str = "", **options: str) -> Chosen:
    given = {**options, **({"preset": preset} if preset else {})}
    return choose_students([name], {name: given} if given else {})[name]


@pytest.mark.parametrize(("name", "preset"), FORMULAS, ids=lambda part: part or "default")
def test_the_size_of_a_state_is_that_of_a_real_one(name: str, preset: str) -> None:
    one = chosen(name, preset)
    words, width = 700, 310
    real = max(states(one, words, width))
    assert state_size(one).bytes(words, width) == real


@pytest.mark.parametrize(("name", "preset"), FORMULAS, ids=lambda part: part or "default")
def test_the_sizes_in_the_documentation_are_right(name: str, preset: str) -> None:
    words, width = 750_000, 768
    size = state_size(chosen(name, preset)).bytes(words, width)
    expected = FORMULAS[name, preset](words, width)
    # Besides the tables no more than 60 bytes per word, and a few matrices of the teacher's width.
    assert expected <= size <= expected + 60 * words + 32 * width * width


def test_a_student_that_narrows_is_largest_in_the_teachers_pass() -> None:
    one = chosen("dynamic-skipgram", dimensions="40")
    assert state_size(one).bytes(500, 200) == max(states(one, 500, 200)) > 4 * 500 * 200


@pytest.mark.parametrize(("name", "preset"), FORMULAS, ids=lambda part: part or "default")
def test_the_size_of_a_shards_state_is_that_of_a_real_one_in_the_pass(name: str, preset: str) -> None:
    one = chosen(name, preset)
    assert state_size(one).of_shard(500, 320) == states(one, 500, 320)[0]


@pytest.mark.parametrize("name", ["x2static", "dynamic-skipgram", "context-to-vec"])
def test_a_student_whose_table_is_made_after_the_pass_has_none_in_a_shard(name: str) -> None:
    size = state_size(chosen(name, "paper"))
    assert size.of_shard(50_000, 768) < 50 * 50_000
    assert size.bytes(50_000, 768) > 4 * 300 * 50_000
