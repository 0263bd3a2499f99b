"""Results kept by content."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from wordstill.evaluation.downstream.kept import Keeper, content_hash


def test_the_hash_tells_contents_apart_and_nothing_else() -> None:
    array = np.arange(6)
    values = [1, "1", 1.0, [1], ["1"], [[1]], {"a": 1}, {"b": 1}, array, array.astype(np.int32), array.reshape(2, 3)]
    values += [["ab", "c"], ["a", "bc"], [array, array], None, True]
    assert len({content_hash(value) for value in values}) == len(values)
    assert content_hash({"a": 1, "b": 2}) == content_hash({"b": 2, "a": 1})
    assert content_hash(array[::-1]) == content_hash(array[::-1].copy())


def test_a_result_is_computed_once_and_a_damaged_one_again(tmp_path: Path) -> None:
    computed = []

    def compute() -> list[int]:
        computed.append(1)
        return [1, 2]

    keeper = Keeper(tmp_path, ["a"])
    assert keeper("x", compute) == keeper("x", compute) == Keeper(tmp_path, ["a"])("x", compute) == [1, 2]
    assert len(computed) == 1
    assert Keeper(tmp_path, ["b"])("x", compute) == keeper("y", compute) == [1, 2]
    assert len(computed) == 3
    for file in tmp_path.iterdir():
        file.write_text(file.read_text()[:10])
    assert keeper("x", compute) == [1, 2]
    assert len(computed) == 4
    assert Keeper(None, ["a"])("x", compute) == [1, 2]
    assert len(computed) == 5
