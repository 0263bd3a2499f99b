"""Atomic writing."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path

import pytest

import wordstill.io.files
from wordstill.errors import InputError
from wordstill.io.files import replacing, write_json


def everything_under(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


def write_half(path: Path, error: BaseException, folder: bool = False) -> None:
    with replacing(path) as temporary:
        if folder:
            temporary.mkdir()
        (temporary / "file" if folder else temporary).write_text("half")
        raise error


def test_a_file_takes_the_place_of_the_old_one_only_at_the_end(tmp_path: Path) -> None:
    path = tmp_path / "new" / "a.txt"
    with replacing(path) as temporary:
        temporary.write_text("one")
    with replacing(path) as temporary:
        temporary.write_text("two")
        assert path.read_text() == "one"
    assert path.read_text() == "two"
    assert everything_under(tmp_path) == {"new", "new/a.txt"}


@pytest.mark.parametrize("swap", [True, False], ids=["swapped in one step", "renamed in two steps"])
def test_a_folder_replaces_a_folder_whole(tmp_path: Path, swap: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not swap:
        monkeypatch.setattr(wordstill.io.files, "_swap", lambda first, second: False)
    path = tmp_path / "vectors"
    for name in ("old", "new"):
        with replacing(path) as temporary:
            (temporary / "inner").mkdir(parents=True)
            (temporary / "inner" / name).write_text(name)
    assert everything_under(tmp_path) == {"vectors", "vectors/inner", "vectors/inner/new"}


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, OSError])
@pytest.mark.parametrize("folder", [True, False])
def test_an_exception_leaves_the_old_content_and_no_rubbish(
    tmp_path: Path, error: type[BaseException], folder: bool
) -> None:
    path = tmp_path / "thing"
    if folder:
        path.mkdir()
        (path / "file").write_text("old")
    else:
        path.write_text("old")
    before = everything_under(tmp_path)
    with pytest.raises(error):
        write_half(path, error(), folder)
    assert everything_under(tmp_path) == before
    assert (path / "file" if folder else path).read_text() == "old"


def test_a_failing_second_rename_brings_the_old_folder_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "vectors"
    path.mkdir()
    (path / "file").write_text("old")
    rename = os.rename

    def failing(source: Path, target: Path) -> None:
        if Path(source).suffix == ".tmp":
            raise OSError(errno.EIO, "broken disk")
        rename(source, target)

    monkeypatch.setattr(wordstill.io.files, "_swap", lambda first, second: False)
    monkeypatch.setattr(os, "rename", failing)
    with pytest.raises(OSError, match="broken disk"), replacing(path) as temporary:
        temporary.mkdir()
    assert (path / "file").read_text() == "old"
    assert everything_under(tmp_path) == {"vectors", "vectors/file"}


def test_a_full_disk_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"big\.bin cannot be written: the disk is full"):
        write_half(tmp_path / "big.bin", OSError(errno.ENOSPC, "No space left on device"))
    assert everything_under(tmp_path) == set()


@pytest.mark.skipif(os.name == "posix" and os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_without_permission_is_one_sentence(tmp_path: Path) -> None:
    locked = tmp_path / "locked"
    locked.mkdir(mode=0o500)
    with pytest.raises(InputError, match="permission is denied"), replacing(locked / "a") as temporary:
        temporary.write_text("never")


def test_a_path_through_a_file_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="a part of the path is a file"):
        write_json(tmp_path / "file" / "deeper" / "a.json", {})


def test_an_unreadable_input_is_not_reported_as_an_unwritable_output(tmp_path: Path) -> None:
    unreadable = PermissionError(errno.EACCES, "Permission denied", str(tmp_path / "other" / "input"))
    with pytest.raises(PermissionError):
        write_half(tmp_path / "out", unreadable)


def test_a_file_never_replaces_a_folder_nor_a_folder_a_file(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("old")
    with pytest.raises(InputError, match="is a folder and would be replaced by a file"):
        write_json(tmp_path / "folder", 1)
    refused = pytest.raises(InputError, match="is a file and would be replaced by a folder")
    with refused, replacing(tmp_path / "file") as temporary:
        temporary.mkdir()
    assert everything_under(tmp_path) == {"folder", "file"}


def test_a_link_is_followed(tmp_path: Path) -> None:
    (tmp_path / "far").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "far")
    with replacing(tmp_path / "link") as temporary:
        temporary.mkdir()
        (temporary / "file").write_text("new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "far" / "file").read_text() == "new"


def test_json_keeps_order_letters_and_even_lone_surrogates(tmp_path: Path) -> None:
    value = {"z": "Füße 東", "a": ["\udc80", "\n", 1.5, None]}
    write_json(tmp_path / "a.json", value)
    text = (tmp_path / "a.json").read_text(encoding="utf-8")
    assert json.loads(text) == value
    assert text.startswith('{\n  "z": "Füße 東"')
    assert text.endswith("}\n")
