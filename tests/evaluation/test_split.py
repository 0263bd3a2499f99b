from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordstill.errors import InputError
from wordstill.evaluation import EvaluationSettings
from wordstill.evaluation.split import half


@given(st.lists(st.lists(st.text(max_size=4), min_size=1, max_size=4)))
def test_every_item_is_in_one_half(items: list[list[str]]) -> None:
    assert (half(items, "dev") ^ half(items, "test")).all()


def test_the_halves_are_about_equal_and_do_not_depend_on_the_other_items() -> None:
    items = [[f"a{number}", f"b{number}"] for number in range(1000)]
    chosen = half(items, "dev")
    assert 430 < chosen.sum() < 570
    np.testing.assert_array_equal(half(items[300:], "dev"), chosen[300:])


def test_a_question_and_its_mirror_and_other_case_are_in_the_same_half() -> None:
    questions = [[f"a{n}", f"b{n}", f"c{n}", f"d{n}"] for n in range(50)]
    mirrors = [[three.upper(), four, one, two] for one, two, three, four in questions]
    np.testing.assert_array_equal(half(questions, "test"), half(mirrors, "test"))


def test_another_half_is_refused() -> None:
    with pytest.raises(InputError, match="--split is one of dev, test"):
        EvaluationSettings(split="train")  # type: ignore[arg-type]
