"""Replacing files and folders: whole or not at all, and never what is not wordstill's own."""

from __future__ import annotations

import errno
import json
import os
import socket
import stat
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from trees import tree_of

import wordstill.io.files
from wordstill.errors import InputError
from wordstill.io.files import check_replaceable, only_files, only_marked, only_these, replacing, write_json

OWN = only_these("file", "inner/old", "inner/new")


def everything_under(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


def write_half(path: Path, error: BaseException, folder: bool = False) -> None:
    with replacing(path, ours=OWN) as temporary:
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
        with replacing(path, ours=OWN) as temporary:
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
    with pytest.raises(OSError, match="broken disk"), replacing(path, ours=OWN) as temporary:
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


def write_folder(path: Path, ours: Callable[[Path], str | None] | None = OWN) -> None:
    with replacing(path, ours=ours) as temporary:
        temporary.mkdir()
        (temporary / "file").write_text("new")


def test_without_a_check_no_folder_with_anything_in_it_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    write_folder(tmp_path / "empty", None)
    before = tree_of(tmp_path)
    assert before["empty/file"] == b"new"
    with pytest.raises(InputError, match="empty holds file, which wordstill did not write; choose another name, or"):
        write_folder(tmp_path / "empty", None)
    assert tree_of(tmp_path) == before


NAMES = ["file", "one.data", "inner", "inner/old", "inner/x.data", "File", "notes", "notes/file", "inner/deep/old",
         ".file.0123456789ab.tmp", ".notes.0123456789ab.tmp", ".file.tmp", ".hidden"]  # fmt: skip
KINDS = ["file", "folder", "link to a file", "link to a folder", "broken link", "pipe"]


def is_own(path: str, kind: object) -> bool:
    """Whether a file, or a folder that is needed for one, is among those that the check below allows."""
    if isinstance(kind, bytes):
        return path in ("file", "one.data", "inner/old", ".file.0123456789ab.tmp")
    return path == "inner" and kind == stat.S_IFDIR


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names here")
@given(things=st.dictionaries(st.sampled_from(NAMES), st.sampled_from(KINDS), max_size=5), swap=st.booleans())
@example(things={"file": "file", "inner/old": "file", "one.data": "file"}, swap=False)
@example(things={"file": "file", "inner/old": "file", "one.data": "file"}, swap=True)
def test_a_folder_is_replaced_where_all_in_it_is_own_and_else_left_alone(
    tmp_path_factory: pytest.TempPathFactory, things: dict[str, str], swap: bool
) -> None:
    base = tmp_path_factory.mktemp("tree")
    (base / "far").mkdir()
    (base / "far" / "precious").write_text("far away")
    path = base / "folder"
    path.mkdir()
    for name, kind in things.items():
        with suppress(FileExistsError, NotADirectoryError, IsADirectoryError):
            make(path / name, kind, base / "far")
    before, inside = tree_of(base), tree_of(path)
    own = all(is_own(name, kind) for name, kind in inside.items())
    with pytest.MonkeyPatch.context() as patch:
        if not swap:
            patch.setattr(wordstill.io.files, "_swap", lambda first, second: False)
        try:
            write_folder(path, only_these("file", "inner/old", "*.data"))
        except InputError:
            assert not own
            assert tree_of(base) == before
        else:
            assert own
            assert tree_of(path) == {"file": b"new"}
            assert tree_of(base / "far") == {"precious": b"far away"}


def make(path: Path, kind: str, far: Path) -> None:
    """Put something of a kind at a path below folders that may be there already."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if kind == "file":
        path.write_text("old")
    elif kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    else:
        targets = {"link to a file": far / "precious", "link to a folder": far, "broken link": far / "nothing"}
        path.symlink_to(targets[kind])


def test_what_comes_into_the_folder_meanwhile_is_not_lost(tmp_path: Path) -> None:
    write_folder(tmp_path / "v")
    refused = pytest.raises(InputError, match="v holds notes")
    with refused, replacing(tmp_path / "v", ours=OWN) as temporary:
        temporary.mkdir()
        (tmp_path / "v" / "notes").write_text("mine")
    assert tree_of(tmp_path / "v") == {"file": b"new", "notes": b"mine"}
    assert everything_under(tmp_path) == {"v", "v/file", "v/notes"}


@pytest.mark.parametrize("swap", [True, False], ids=["swapped in one step", "renamed in two steps"])
def test_what_comes_into_the_folder_at_the_last_moment_is_not_lost(
    tmp_path: Path, swap: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "v"
    write_folder(path)
    really = wordstill.io.files._swap

    def after_someone_wrote(first: Path, second: Path) -> bool:
        (path / "notes").write_text("mine")
        return swap and really(first, second)

    monkeypatch.setattr(wordstill.io.files, "_swap", after_someone_wrote)
    with pytest.raises(InputError, match="v holds notes"):
        write_folder(path)
    assert (path / "notes").read_text() == "mine"
    assert everything_under(tmp_path) == {"v", "v/file", "v/notes"}


def test_an_old_folder_that_cannot_go_back_is_kept_beside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "v"
    write_folder(path)
    really, calls = wordstill.io.files._swap, []

    def only_once(first: Path, second: Path) -> bool:
        calls.append(first)
        (path / "notes").write_text("mine")
        return len(calls) == 1 and really(first, second)

    monkeypatch.setattr(wordstill.io.files, "_swap", only_once)
    with pytest.raises(InputError, match="v holds notes"):
        write_folder(path)
    (kept,) = tmp_path.glob(".v.*.old")
    assert (kept / "notes").read_text() == "mine"


def test_a_check_of_the_content_keeps_foreign_files(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    ours = only_marked(rb"made by \w+till")
    for content in ("<p>made by wordstill</p>", "", "made by wordstill " + "x" * 5000):
        path.write_text(content)
        with replacing(path, ours=ours) as temporary:
            temporary.write_text("new")
        assert path.read_text() == "new"
    for content in ("mine", "x" * 5000 + "made by wordstill"):
        path.write_text(content)
        with pytest.raises(InputError, match="is not recognised as wordstill's own and is not replaced; choose"):
            check_replaceable(path, ours)
        with pytest.raises(InputError, match="is not recognised"), replacing(path, ours=ours):
            raise AssertionError("refused before any work")
        assert tree_of(tmp_path) == {"page.html": content.encode()}


def test_a_check_of_files_lets_no_folder_go(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "notes").write_text("mine")
    with pytest.raises(InputError, match="folder holds notes"):
        check_replaceable(tmp_path / "folder", only_files(lambda path: True))


def test_a_file_that_comes_meanwhile_is_not_lost(tmp_path: Path) -> None:
    refused = pytest.raises(InputError, match="is not recognised")
    with refused, replacing(tmp_path / "a", ours=only_marked(b"ours")) as temporary:
        temporary.write_text("new")
        (tmp_path / "a").write_text("mine")
    assert tree_of(tmp_path) == {"a": b"mine"}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names here")
@pytest.mark.parametrize("kind", ["pipe", "socket", "a link to itself"])
def test_what_is_neither_a_file_nor_a_folder_is_refused(
    tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "thing"
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "socket":
        with socket.socket(socket.AF_UNIX) as listening:
            monkeypatch.chdir(tmp_path)  # the name of a socket may not be long
            listening.bind("thing")
    else:
        path.symlink_to(path)
    before = tree_of(tmp_path)
    with pytest.raises(InputError, match="is neither a file nor a folder"):
        write_json(path, 1)
    assert tree_of(tmp_path) == before


def test_a_device_is_refused() -> None:
    with pytest.raises(InputError, match="is neither a file nor a folder"):
        check_replaceable(Path(os.devnull))


def test_neither_here_nor_above_nor_the_root_is_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "work" / "deep").mkdir(parents=True)
    (tmp_path / "work" / "notes").write_text("mine")
    monkeypatch.chdir(tmp_path / "work" / "deep")
    for place in ("..", "../..", "../../work", os.sep):
        with pytest.raises(InputError, match="which wordstill did not write"):
            check_replaceable(Path(place), OWN)
    check_replaceable(Path("."), OWN)


def test_a_folder_in_use_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def busy(source: Path, target: Path) -> None:
        raise OSError(errno.EBUSY, "Device or resource busy", str(source))

    (tmp_path / "v").mkdir()
    monkeypatch.setattr(wordstill.io.files, "_swap", lambda first, second: False)
    monkeypatch.setattr(os, "rename", busy)
    with pytest.raises(InputError, match="v cannot be written: it is in use, perhaps as the root of a file system"):
        write_folder(tmp_path / "v")
    assert everything_under(tmp_path) == {"v"}


def test_a_folder_that_may_not_be_looked_into_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def locked(path: Path) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    write_folder(tmp_path / "v")
    monkeypatch.setattr(os, "scandir", locked)
    with pytest.raises(InputError, match="v cannot be written: permission is denied"):
        check_replaceable(tmp_path / "v", OWN)


@pytest.mark.parametrize("foreign", ["notes.txt", "folder/notes.txt", "progress.json/notes.txt"])
def test_a_checkpoint_takes_no_foreign_file_away(tmp_path: Path, foreign: str) -> None:
    from wordstill.distillation.checkpoint import load_record, save_checkpoint

    for step in (1, 2):
        save_checkpoint(tmp_path / "checkpoint", {"step": step}, {"aggregate/layer-06": {}})
    assert load_record(tmp_path / "checkpoint") == {"step": 2}
    if foreign.startswith("progress"):
        (tmp_path / "checkpoint" / "progress.json").unlink()
    make(tmp_path / "checkpoint" / foreign, "file", tmp_path)
    before = tree_of(tmp_path)
    with pytest.raises(InputError, match=f"checkpoint holds {foreign.partition('/')[0]}, which wordstill did not"):
        save_checkpoint(tmp_path / "checkpoint", {"step": 3}, {})
    assert tree_of(tmp_path) == before


@pytest.mark.parametrize("foreign", ["notes.txt", "EN-RG-65.txt/notes.txt"])
def test_a_download_takes_no_foreign_file_away(tmp_path: Path, foreign: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from wordstill.evaluation import download as downloading
    from wordstill.evaluation.datasets import DATASETS

    monkeypatch.setattr(downloading, "fetch", lambda file, name: b"content")
    for _ in range(2):
        downloading.download(DATASETS["rg65"], tmp_path)
    assert tree_of(tmp_path / "rg65") == {"EN-RG-65.txt": b"content"}
    if foreign.startswith("EN"):
        (tmp_path / "rg65" / "EN-RG-65.txt").unlink()
    make(tmp_path / "rg65" / foreign, "file", tmp_path)
    before = tree_of(tmp_path)
    with pytest.raises(InputError, match=f"rg65 holds {foreign.partition('/')[0]}, which wordstill did not write"):
        downloading.download(DATASETS["rg65"], tmp_path)
    assert tree_of(tmp_path) == before


def test_json_keeps_order_letters_and_even_lone_surrogates(tmp_path: Path) -> None:
    value = {"z": "Füße 東", "a": ["\udc80", "\n", 1.5, None]}
    write_json(tmp_path / "a.json", value)
    text = (tmp_path / "a.json").read_text(encoding="utf-8")
    assert json.loads(text) == value
    assert text.startswith('{\n  "z": "Füße 東"')
    assert text.endswith("}\n")
