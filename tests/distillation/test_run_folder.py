"""A run's folder: what a new run replaces, what it never touches, and what stays when the new run fails."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from runs import vector_bytes
from texts import write_corpus
from wordstill.cli import main
from wordstill.distillation.distill import distill
from wordstill.distillation.run_folder import RunFolder
from wordstill.distillation.run_record import read_record
from wordstill.distillation.settings import DistillSettings
from wordstill.errors import InputError

pytestmark = pytest.mark.slow


def tree(folder: Path) -> dict[str, Any]:
    """Everything below a folder: the content of files, the targets of links."""
    return {
        str(path.relative_to(folder)): os.readlink(path)
        if path.is_symlink()
        else path.read_bytes()
        if path.is_file()
        else None
        for path in sorted(folder.rglob("*"))
    }


@pytest.fixture
def one(teacher: str) -> DistillSettings:
    return DistillSettings(teacher=teacher, students=("aggregate",), threads=1)


@pytest.fixture(scope="module")
def few(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_corpus(tmp_path_factory.mktemp("few") / "texts.txt", 60)


@pytest.fixture
def run(one: DistillSettings, few: Path, tmp_path: Path) -> Path:
    """A finished run, in a folder with something precious beside it."""
    home = tmp_path / "home"
    home.mkdir()
    (home / "thesis.tex").write_text("precious")
    return distill(few, out=home / "run", settings=one).folder


def name_folder(run: Path, path: str) -> None:
    """Let run.json say that its student lies elsewhere."""
    record = json.loads((run / "run.json").read_text())
    record["students"]["aggregate"]["path"] = path
    (run / "run.json").write_text(json.dumps(record))


PATHS = ["..", "../..", "", ".", "/", "ABSOLUTE", "aggregate/..", "a/b/c", "unfinished", "a b"]


@pytest.mark.parametrize("path", PATHS)
def test_a_path_in_run_json_that_is_no_student_is_never_removed(
    run: Path, few: Path, one: DistillSettings, path: str
) -> None:
    (run.parent / "elsewhere").mkdir()
    (run.parent / "elsewhere" / "notes.txt").write_text("precious")
    name_folder(run, str(run.parent / "elsewhere") if path == "ABSOLUTE" else path)
    before = tree(run.parent)
    with pytest.raises(InputError, match="cannot be; nothing is removed"):
        distill(few, out=run, settings=one, overwrite=True)
    assert tree(run.parent) == before


def test_a_link_in_the_place_of_a_student_is_never_followed(run: Path, few: Path, one: DistillSettings) -> None:
    elsewhere = run.parent / "elsewhere"
    (run / "aggregate").rename(elsewhere)
    (run / "aggregate").symlink_to(elsewhere)
    before = tree(run.parent)
    with pytest.raises(InputError, match="is a link, and no link is followed"):
        distill(few, out=run, settings=one, overwrite=True)
    assert tree(run.parent) == before


@pytest.mark.parametrize("place", ["aggregate/notes.txt", "aggregate/more/notes.txt", "unfinished/notes.txt"])
def test_a_foreign_file_where_a_folder_would_be_replaced_stops_the_command(
    run: Path, few: Path, one: DistillSettings, place: str
) -> None:
    (run / place).parent.mkdir(exist_ok=True)
    (run / place).write_text("precious")
    before = tree(run.parent)
    with pytest.raises(InputError, match="which wordstill did not write"):
        distill(few, out=run, settings=one, overwrite=True)
    assert tree(run.parent) == before


def test_a_folder_that_is_no_student_is_not_replaced_by_one(run: Path, few: Path, one: DistillSettings) -> None:
    (run / "closed").mkdir()
    (run / "closed" / "door.txt").write_text("precious")
    before = tree(run.parent)
    with pytest.raises(InputError, match="is there and no student of the run before"):
        distill(few, out=run, settings=replace(one, students=("closed",)), overwrite=True)
    assert tree(run.parent) == before


def test_beside_its_students_everything_in_a_run_folder_stays(run: Path, few: Path, one: DistillSettings) -> None:
    (run / "report.html").write_text("a report")
    (run / "figures").mkdir()
    (run / "figures" / "map.png").write_text("a picture")
    layers = replace(one, layer="all")
    again = distill(few, out=run, settings=layers, overwrite=True)
    assert sorted(item.name for item in run.iterdir()) == ["aggregate", "figures", "report.html", "run.json"]
    assert sorted(item.name for item in (run / "aggregate").iterdir()) == [f"layer-0{n}" for n in range(4)]
    assert (run / "figures" / "map.png").read_text() == "a picture"
    back = distill(few, out=run, settings=one, overwrite=True)
    assert list(again.record.students) == [f"aggregate/layer-0{n}" for n in range(4)]
    assert list(back.record.students) == ["aggregate"]
    assert not (run / "aggregate" / "layer-00").exists()


BAD = {
    "teacher": ["--teacher", "./nowhere"],
    "layer": ["--layer", "99"],
    "lexicon": ["--lexicon", "missing.txt"],
    "device": ["--device", "cuda:77"],
    "min-count": ["--min-count", "100000"],
    "keep-bytes": ["--student", "x2static", "--keep-bytes", "10"],
    "corpus": ["--corpus", "missing.txt"],
    "truncated": ["--corpus", "cut.txt.gz"],
    "student": ["--student", "word2vec"],
    "option": ["--set", "aggregate.size=3"],
    "vocabulary": ["--vocabulary", "missing.txt"],
    "word-splitter": ["--word-splitter", "magic"],
    "precision": ["--precision", "float16"],
    "words": ["--words", "0"],
    "dimensions": ["--dim", "0"],
    "field": ["--corpus", "records.jsonl", "--field", "nothing"],
}


@pytest.mark.parametrize("bad", BAD)
def test_a_bad_command_leaves_the_run_that_it_would_overwrite(
    run: Path, few: Path, teacher: str, bad: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(run.parent)
    Path("cut.txt.gz").write_bytes(b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03")
    Path("records.jsonl").write_text('{"body": "some text"}\n')
    before = tree(run.parent)
    given = ["distill", "--teacher", teacher, "--corpus", str(few), "--student", "aggregate", "--out", str(run)]
    assert main([*given, "--overwrite", "-q", *BAD[bad]]) == 2
    assert tree(run.parent) == before


def test_a_bad_command_leaves_an_unfinished_run_to_be_resumed(
    one: DistillSettings, few: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "run"
    with monkeypatch.context() as patch:
        patch.setattr("wordstill.distillation.distill.write_students", lambda *given: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            distill(few, out=out, settings=one, checkpoint_seconds=0.0)
    before = tree(out)
    assert any(name.startswith("unfinished/shards/000000/checkpoint") for name in before)
    with pytest.raises(InputError, match="has layers 0 to 3"):
        distill(few, out=out, settings=replace(one, layer=99), overwrite=True)
    assert tree(out) == before
    resumed = distill(few, out=out, settings=one, resume=True)
    whole = distill(few, out=tmp_path / "whole", settings=one)
    assert vector_bytes(resumed.folder) == vector_bytes(whole.folder)
    assert not (out / "unfinished").exists()


def test_a_new_run_that_is_killed_leaves_the_old_vectors_in_place(
    run: Path, one: DistillSettings, few: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = vector_bytes(run)
    seeded = replace(one, students=("aggregate", "closed"))
    with monkeypatch.context() as patch:
        patch.setattr("wordstill.distillation.distill.write_students", lambda *given: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            distill(few, out=run, settings=seeded, overwrite=True, checkpoint_seconds=0.0)
    assert {name: content for name, content in vector_bytes(run).items() if "unfinished" not in name} == before
    record = read_record(run)
    assert record is not None
    assert record.finished
    with pytest.raises(InputError, match="already holds a finished run"):
        distill(few, out=run, settings=seeded)
    resumed = distill(few, out=run, settings=seeded, resume=True)
    assert list(resumed.record.students) == ["aggregate", "closed"]


class Killed(BaseException):
    """The process dies here."""


def die_after(patch: pytest.MonkeyPatch, renames: int) -> None:
    """Die at the first rename of a student's vectors after so many of them."""
    done, rename = 0, os.rename

    def dying(source: Any, target: Any) -> None:
        nonlocal done
        done += "students" in str(source)
        if "students" in str(source) and done > renames:
            raise Killed
        rename(source, target)

    patch.setattr(os, "rename", dying)


@pytest.mark.parametrize("renames", range(2))
def test_a_first_run_killed_while_vectors_take_their_places_is_resumed(
    one: DistillSettings, few: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, renames: int
) -> None:
    both = replace(one, students=("closed", "aggregate"))
    whole = distill(few, out=tmp_path / "whole", settings=both)
    with monkeypatch.context() as patch:
        die_after(patch, renames)
        with pytest.raises(Killed):
            distill(few, out=tmp_path / "run", settings=both)
    resumed = distill(few, out=tmp_path / "run", settings=both, resume=True)
    assert vector_bytes(resumed.folder) == vector_bytes(whole.folder)


@pytest.mark.parametrize("renames", range(5))
def test_killed_while_vectors_take_their_places_a_run_ends_the_same_when_it_is_resumed(
    run: Path, one: DistillSettings, few: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, renames: int
) -> None:
    both = replace(one, students=("closed", "aggregate"))
    whole = distill(few, out=tmp_path / "whole", settings=both)
    with monkeypatch.context() as patch:
        die_after(patch, renames)
        if renames < 2:
            with pytest.raises(Killed):
                distill(few, out=run, settings=both, overwrite=True)
            record = read_record(run)
            assert record is not None
            assert not record.finished, "nobody takes two runs for one"
        else:
            distill(few, out=run, settings=both, overwrite=True)
    resumed = distill(few, out=run, settings=both, resume=True)
    assert vector_bytes(resumed.folder) == vector_bytes(whole.folder)


def test_a_process_killed_before_its_first_record_is_in_nobodys_way(
    one: DistillSettings, few: Path, tmp_path: Path
) -> None:
    out = tmp_path / "run"
    for leftover in (".run.json.0123456789ab.tmp", "unfinished/.run.json.0123456789ab.tmp"):
        (out / leftover).parent.mkdir(parents=True, exist_ok=True)
        (out / leftover).write_text("{")
    run = distill(few, out=out, settings=one, resume=True)
    assert sorted(item.name for item in run.folder.iterdir()) == ["aggregate", "run.json"]


def test_the_unfinished_run_of_an_older_version_is_begun_anew(run: Path, one: DistillSettings, few: Path) -> None:
    record = json.loads((run / "run.json").read_text())
    (run / "run.json").write_text(json.dumps(record | {"finished": False, "students": {}, "version": "0.0.9"}))
    (run / "checkpoint").mkdir()
    (run / "vocabulary.json").write_text("{}")
    (run / "aggregate").rename(run.parent / "aside")
    with pytest.raises(InputError, match="already holds an unfinished run"):
        distill(few, out=run, settings=one)
    again = distill(few, out=run, settings=one, overwrite=True)
    assert sorted(item.name for item in again.folder.iterdir()) == ["aggregate", "run.json"]


@pytest.mark.parametrize("name", ["../../thesis.tex", "/", "aggregate/../../x"])
def test_a_state_that_was_tampered_with_moves_nothing_elsewhere(
    run: Path, one: DistillSettings, few: Path, name: str
) -> None:
    record = json.loads((run / "run.json").read_text())
    record["students"] = {name: record["students"]["aggregate"]}
    (run / "unfinished" / "students").mkdir(parents=True)
    (run / "unfinished" / "run.json").write_text(json.dumps(record))
    before = tree(run.parent)
    with pytest.raises(InputError, match="which it cannot be"):
        distill(few, out=run, settings=one, resume=True)
    assert tree(run.parent) == before


def test_the_temporary_of_another_process_in_a_run_folder_stays(run: Path, few: Path, one: DistillSettings) -> None:
    other = run / ".small.0123456789ab.tmp"
    other.mkdir()
    distill(few, out=run, settings=one, overwrite=True)
    assert other.is_dir()


# ---------------------------------------------------------------- standard input


def test_a_foreign_folder_called_corpus_is_not_taken_for_standard_input(
    teacher: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "run" / "corpus").mkdir(parents=True)
    (tmp_path / "run" / "corpus" / "mine.txt").write_text("precious")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"some text")))
    given = ["distill", "--teacher", teacher, "--corpus", "-", "--student", "aggregate", "--out", str(tmp_path / "run")]
    for more in ([], ["--resume"], ["--overwrite"]):
        assert main([*given, *more]) == 2
        assert "holds something that is no run (corpus)" in capsys.readouterr().err
    assert (tmp_path / "run" / "corpus" / "mine.txt").read_text() == "precious"


def test_a_second_process_on_standard_input_is_refused_and_changes_nothing(
    teacher: str, few: Path, tmp_path: Path
) -> None:
    out = tmp_path / "run"
    command = [sys.executable, "-m", "wordstill.cli", "distill", "--teacher", teacher, "--corpus", "-"]
    command += ["--student", "aggregate", "--out", str(out), "-q"]
    text = few.read_bytes()
    first = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert first.stdin is not None
    first.stdin.write(text[: len(text) // 2])
    first.stdin.flush()
    while not list(out.glob("unfinished/corpus/.*")):  # it is reading
        time.sleep(0.05)
        assert first.poll() is None
    for more in ([], ["--resume"], ["--overwrite"]):
        second = subprocess.run([*command, *more], input=b"other text. " * 50, capture_output=True)
        assert second.returncode == 2, second.stderr
        assert b"another process is at work" in second.stderr
    _, complaints = first.communicate(text[len(text) // 2 :])
    assert first.returncode == 0, complaints
    record = read_record(out)
    assert record is not None
    assert record.corpus.paragraphs == 60


@pytest.mark.parametrize("name", ["x" * 300, "a\0b", "thesis.tex/run"])
def test_a_folder_that_cannot_be_made_is_refused_in_a_sentence(
    one: DistillSettings, few: Path, tmp_path: Path, name: str
) -> None:
    (tmp_path / "thesis.tex").write_text("precious")
    with pytest.raises(InputError, match="cannot be made: "):
        distill(few, out=tmp_path / name, settings=one)


def test_two_processes_never_work_in_one_folder(one: DistillSettings, few: Path, tmp_path: Path) -> None:
    with RunFolder(tmp_path / "run").locked(), pytest.raises(InputError, match="another process is at work"):
        distill(few, out=tmp_path / "run", settings=one)
