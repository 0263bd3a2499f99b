"""Checkpoints: what students share is there once, and no byte of it can change unseen."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from wordstill.distillation.checkpoint import RECORD, load_record, load_states, save_checkpoint
from wordstill.errors import Damaged

SHARED = np.arange(6.0)
RECORDED = {"words": 7, "seconds": {"teacher": 1.5}}
STATES = {
    "closed": {"sums": SHARED, "seen": np.arange(3)},
    "x2static": {"closed.sums": SHARED, "table": np.ones((2, 3), dtype=np.float32), "squares": np.zeros(0)},
    "aggregate/layer-06": {},
}


def plain(states: Any) -> dict[str, dict[str, tuple[str, Any]]]:
    return {
        owner: {name: (str(array.dtype), array.tolist()) for name, array in state.items()}
        for owner, state in states.items()
    }


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("run") / "checkpoint"
    save_checkpoint(path, RECORDED, STATES)
    return path


def test_record_and_states_come_back_as_they_were(folder: Path) -> None:
    assert load_record(folder) == RECORDED
    assert plain(load_states(folder)) == plain(STATES)
    assert list(load_states(folder)) == list(STATES)


def test_what_students_share_is_written_once_and_read_by_all(tmp_path: Path) -> None:
    shared, own = np.arange(50_000.0), np.arange(3)
    states = {"closed": {"sums": shared}, "x2static": {"closed.sums": shared, "table": own}}
    save_checkpoint(tmp_path / "checkpoint", {"words": 7}, states)
    loaded = load_states(tmp_path / "checkpoint")
    assert loaded["closed"]["sums"].tolist() == shared.tolist()
    assert loaded["x2static"]["closed.sums"].tolist() == shared.tolist()
    assert loaded["x2static"]["table"].tolist() == own.tolist()
    written = sum(file.stat().st_size for file in (tmp_path / "checkpoint").iterdir())
    assert shared.nbytes < written < 1.1 * shared.nbytes


def test_equal_arrays_of_two_students_stay_two(tmp_path: Path) -> None:
    save_checkpoint(tmp_path / "checkpoint", {}, {"one": {"a": np.zeros(2)}, "two/three": {"a": np.zeros(2)}})
    loaded = load_states(tmp_path / "checkpoint")
    assert loaded["one"]["a"].tolist() == loaded["two/three"]["a"].tolist() == [0.0, 0.0]
    assert not np.shares_memory(loaded["one"]["a"], loaded["two/three"]["a"])


def test_an_array_that_one_student_has_under_two_names_is_read_under_both(tmp_path: Path) -> None:
    nothing = np.zeros((0, 5), dtype=np.float32)
    states = {"one": {"start": nothing, "first": nothing}, "two": {"start": nothing}}
    save_checkpoint(tmp_path / "checkpoint", {}, states)
    assert plain(load_states(tmp_path / "checkpoint")) == plain(states)


def test_a_checkpoint_with_fewer_states_leaves_nothing_of_the_older_one(tmp_path: Path) -> None:
    save_checkpoint(tmp_path / "checkpoint", RECORDED, STATES)
    save_checkpoint(tmp_path / "checkpoint", {"words": 8}, {})
    assert load_record(tmp_path / "checkpoint") == {"words": 8}
    assert load_states(tmp_path / "checkpoint") == {}
    assert [path.name for path in (tmp_path / "checkpoint").iterdir()] == [RECORD]


def test_no_checkpoint_has_no_record_and_its_states_are_gone(tmp_path: Path) -> None:
    assert load_record(tmp_path / "checkpoint") is None
    with pytest.raises(Damaged, match="is gone"):
        load_states(tmp_path / "checkpoint")


def files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@given(some.data())
def test_any_byte_that_changed_in_any_file_is_found(
    folder: Path, tmp_path_factory: pytest.TempPathFactory, data: some.DataObject
) -> None:
    """A blank of the record may become another one, which changes nothing that is read."""
    copy = tmp_path_factory.mktemp("copy") / "checkpoint"
    shutil.copytree(folder, copy)
    path = copy / data.draw(some.sampled_from(files(copy)))
    content = bytearray(path.read_bytes())
    content[data.draw(some.integers(0, len(content) - 1))] ^= data.draw(some.integers(1, 255))
    path.write_bytes(content)
    if path.name == RECORD:
        with suppress(Damaged):
            assert load_record(copy) == RECORDED
        with suppress(Damaged):
            assert plain(load_states(copy)) == plain(STATES)
    else:
        with pytest.raises(Damaged, match="is damaged"):
            load_states(copy)
        assert load_record(copy) == RECORDED


@pytest.mark.parametrize("number", range(3))
@pytest.mark.parametrize(
    "damage",
    [
        lambda path: path.write_bytes(path.read_bytes()[:-1]),
        lambda path: path.write_bytes(b""),
        lambda path: path.unlink(),
        lambda path: (path.unlink(), path.mkdir()),
    ],
    ids=["cut off", "emptied", "gone", "a folder"],
)
def test_a_file_that_is_not_whole_is_found(
    folder: Path, tmp_path: Path, number: int, damage: Callable[[Path], Any]
) -> None:
    copy = tmp_path / "checkpoint"
    shutil.copytree(folder, copy)
    damage(copy / f"{number:03d}.safetensors")
    with pytest.raises(Damaged, match=f"{number:03d}.safetensors is damaged"):
        load_states(copy)


def test_files_that_changed_their_places_are_found(folder: Path, tmp_path: Path) -> None:
    copy = tmp_path / "checkpoint"
    shutil.copytree(folder, copy)
    (copy / "000.safetensors").rename(copy / "other")
    (copy / "001.safetensors").rename(copy / "000.safetensors")
    (copy / "other").rename(copy / "001.safetensors")
    with pytest.raises(Damaged, match="is damaged"):
        load_states(copy)


def test_a_damaged_record_is_found(folder: Path, tmp_path: Path) -> None:
    copy = tmp_path / "checkpoint"
    shutil.copytree(folder, copy)
    text = (copy / RECORD).read_text()
    (copy / RECORD).write_text(text.replace('"words": 7', '"words": 8'))
    for load in (load_record, load_states):
        with pytest.raises(Damaged, match="checksum does not fit"):
            load(copy)
    (copy / RECORD).write_text(text[:-9])
    for load in (load_record, load_states):
        with pytest.raises(Damaged, match="is damaged"):
            load(copy)
