from __future__ import annotations

import json
import tempfile
import zlib
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from wordstill.errors import Damaged
from wordstill.io import sealed
from wordstill.io.sealed import file_checksum, read_sealed, write_sealed

values = some.recursive(
    some.none() | some.booleans() | some.integers() | some.floats(allow_nan=False) | some.text(max_size=9),
    lambda inner: some.lists(inner, max_size=3) | some.dictionaries(some.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
objects = some.dictionaries(some.text(max_size=5).filter(lambda name: name != "checksum"), values, max_size=4)


@given(some.binary(max_size=50), some.integers(1, 9), some.none() | some.integers(0, 60))
def test_a_checksum_is_that_of_zlib_however_it_is_read(content: bytes, at_once: int, size: int | None) -> None:
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(sealed, "AT_ONCE", at_once)
        path = Path(folder) / "file"
        path.write_bytes(content)
        assert file_checksum(path, size) == zlib.crc32(content[:size])


@given(objects)
def test_what_was_written_is_read(value: dict[str, Any]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.json"
        write_sealed(path, value)
        assert read_sealed(path) == value


@given(objects, some.data())
def test_any_byte_that_changed_is_found_or_changes_nothing(value: dict[str, Any], data: some.DataObject) -> None:
    """A blank between two values may become another one: what is read is the same then."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.json"
        write_sealed(path, value)
        content = bytearray(path.read_bytes())
        content[data.draw(some.integers(0, len(content) - 1))] ^= data.draw(some.integers(1, 255))
        path.write_bytes(content)
        with suppress(Damaged):
            assert repr(read_sealed(path)) == repr(value)


@given(objects, some.integers(0, 200))
def test_a_file_that_was_cut_off_is_found(value: dict[str, Any], left: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.json"
        write_sealed(path, value)
        content = path.read_bytes().rstrip()
        path.write_bytes(content[: min(left, len(content) - 1)])
        with pytest.raises(Damaged, match="is damaged"):
            read_sealed(path)


def test_numbers_and_paths_are_sealed_as_they_are_read(tmp_path: Path) -> None:
    write_sealed(tmp_path / "a.json", {"count": np.int64(3), "array": np.arange(2), "path": Path("b"), "pair": (1, 2)})
    assert read_sealed(tmp_path / "a.json") == {"count": 3, "array": [0, 1], "path": "b", "pair": [1, 2]}


def test_no_file_is_nothing_and_a_folder_is_damaged(tmp_path: Path) -> None:
    assert read_sealed(tmp_path / "a.json") is None
    with pytest.raises(Damaged, match="is damaged"):
        read_sealed(tmp_path)


@pytest.mark.parametrize("content", ["[]", "3", "null", "{}", '{"a": 1}', '{"a": 1, "checksum": 5}', "[" * 100_000])
def test_what_nobody_sealed_is_not_believed(tmp_path: Path, content: str) -> None:
    (tmp_path / "a.json").write_text(content)
    with pytest.raises(Damaged, match="is damaged"):
        read_sealed(tmp_path / "a.json")


def test_a_value_that_was_edited_by_hand_is_found(tmp_path: Path) -> None:
    write_sealed(tmp_path / "a.json", {"words": 7})
    found = json.loads((tmp_path / "a.json").read_text())
    (tmp_path / "a.json").write_text(json.dumps({**found, "words": 8}))
    with pytest.raises(Damaged, match="checksum does not fit"):
        read_sealed(tmp_path / "a.json")
