"""Children of Python that run no file of the current folder, which here has one for every module they may ask for."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from small_tasks import Measuring
from wordstill.corpus.segmented_text import Chunk
from wordstill.system import children, machine, workers
from wordstill.system.children import import_path, python_environment, run_python
from wordstill.system.workers import in_order
from wordstill.teacher.amx import attention as tiles

pytestmark = pytest.mark.slow

# Every module of the standard library, and others that a child of ours may import.
OTHERS = {
    "loky",
    "torch",
    "numpy",
    "numba",
    "tokenizers",
    "transformers",
    "tqdm",
    "regex",
    "sitecustomize",
    "wordstill",
}
PLANTED = sorted(sys.stdlib_module_names | OTHERS)
IMPORTS = "import sys, select, random, pickle, multiprocessing, ctypes, subprocess, numpy, wordstill"


@pytest.fixture
def planted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The current folder of the test: its files are named like modules, and none of them may be run."""
    folder, marks = tmp_path / "texts", tmp_path / "marks"
    folder.mkdir()
    for name in PLANTED:
        (folder / f"{name}.py").write_text(f"open({str(marks)!r}, 'a').write('{name}\\n')\n")
    monkeypatch.setattr(sys, "path", import_path(sys.path))  # of the tests: lazy imports must not find them, either
    monkeypatch.chdir(folder)
    yield folder
    assert not marks.exists(), f"run from the current folder: {marks.read_text().split()}"


@pytest.fixture(params=["this Python", "Python 3.10"])
def each_python(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Python 3.10 knows neither the option -P nor the variable PYTHONSAFEPATH."""
    monkeypatch.delenv("PYTHONSAFEPATH", raising=False)
    if request.param == "Python 3.10":
        monkeypatch.setattr(children, "SAFE_OPTIONS", [])
        monkeypatch.setattr(children, "SAFE_VARIABLES", {})


def some_chunks(number: int) -> Iterator[Chunk]:
    return iter([[(place, "text")] for place in range(number)])


def test_the_planted_files_leave_a_mark_if_they_are_run(planted: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise the other tests would show nothing."""
    if "coverage" in sys.modules:
        pytest.skip("coverage starts in every child before the planted files can")
    monkeypatch.delenv("PYTHONSAFEPATH", raising=False)
    subprocess.run([sys.executable, "-c", "import select"], check=True)
    marks = planted.parent / "marks"
    assert marks.read_text() == "select\n"
    marks.unlink()


def test_a_child_runs_nothing_of_the_current_folder(planted: Path, each_python: None) -> None:
    done = run_python(f"{IMPORTS}; print(sys.argv[1:], *sys.path, sep='\\n')", "one", "two words")
    assert done.returncode == 0, done.stderr
    given, *path = done.stdout.splitlines()
    assert given == "['one', 'two words']"
    assert path == import_path(sys.path)
    assert str(planted) not in path


def test_workers_run_nothing_of_the_current_folder(planted: Path, each_python: None) -> None:
    found = [process for _, (_, process) in in_order(Measuring(), some_chunks(20), 2)]
    assert len(found) == 20
    assert set(found[workers.DONE_HERE :]) - {os.getpid()}


def test_the_probe_runs_nothing_of_the_current_folder(planted: Path, each_python: None) -> None:
    pytest.importorskip("torch")
    assert machine.probe() in (0, -signal.SIGILL)  # where the processor has the trap, it dies


def test_the_trial_of_tiles_runs_nothing_of_the_current_folder(
    planted: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiler = tmp_path / "compiler"
    compiler.write_text('#!/bin/sh\nfor last; do :; done\n: > "$last"\n')
    compiler.chmod(0o755)
    features = frozenset({"amx_tile", "amx_bf16"})
    monkeypatch.setenv("WORDSTILL_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(tiles, "this_machine", lambda: machine.Machine("a processor", features, 2, 1, str(compiler)))
    monkeypatch.setattr(tiles, "TRIAL", f"{IMPORTS}; assert sys.argv[1].endswith('.so')")
    assert tiles._built().is_file()


def test_distilling_with_workers_runs_nothing_of_the_current_folder(
    planted: Path, teacher: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The console command, as users call it beside their texts."""
    command = shutil.which("wordstill", path=str(Path(sys.executable).parent))
    if command is None:
        pytest.skip("the console command is not installed")
    # Long words: many chunks of characters, and little for the teacher to do.
    word = "x" * 5000
    (planted / "texts.txt").write_text(f"A river flows to the {word} sea.\n" * 500)
    call = [command, "distill", "--teacher", teacher, "--corpus", "texts.txt", "--out", "run", "--workers", "2"]
    call += ["--student", "aggregate", "--min-count", "1", "--threads", "1"]
    monkeypatch.delenv("PYTHONSAFEPATH", raising=False)
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    done = subprocess.run(call, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert (planted / "run" / "run.json").is_file()


def test_the_import_path_is_the_parents_without_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, other = tmp_path / "here", tmp_path / "other"
    (here / "below").mkdir(parents=True)
    other.mkdir()
    (tmp_path / "link").symlink_to(here)
    monkeypatch.chdir(here)
    spellings = ["", ".", "./", "below/..", "../here", str(here), f"{here}/", f"{tmp_path}/link", f"{tmp_path}/link/."]
    assert import_path(spellings) == []
    kept = [str(other), str(tmp_path / "archive.zip"), str(tmp_path / "archive.zip/inside"), str(tmp_path / "nowhere")]
    assert import_path(kept) == kept
    relative = ["below", "../other", "archive.zip"]
    assert import_path(relative) == [f"{here}/{entry}" for entry in relative]
    assert import_path([other, f"{other}\nbelow"]) == []  # type: ignore[list-item]  # Python ignores the first of them


def test_a_deleted_current_folder_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    assert import_path(["", "below", str(tmp_path)]) == [str(tmp_path)]
    assert run_python("import wordstill").returncode == 0


def test_the_current_folder_stays_where_wordstill_lies_in_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(children.HOME)
    assert import_path(["", "/other"]) == [f"{children.HOME}/", "/other"]
    done = run_python("import wordstill.system.children as found; print(found.__file__)")
    assert done.stdout == f"{children.__file__}\n"


def test_a_parent_that_was_started_as_a_module_shares_no_folder_with_its_children(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`python -m` and `python -c` have the current folder on their own import path."""
    monkeypatch.delenv("PYTHONSAFEPATH", raising=False)
    (tmp_path / "parent.py").write_text(
        "import os, sys; assert os.getcwd() in sys.path; sys.path.append('')\n"
        "from wordstill.system.children import run_python\n"
        "print(run_python('import json, sys; print(*sys.path)').stdout)\n"
    )
    (tmp_path / "json.py").write_text("raise SystemExit('run from the current folder')")
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(import_path(sys.path))}
    done = subprocess.run(
        [sys.executable, "-m", "parent"], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert children.HOME in done.stdout.split()
    assert str(tmp_path) not in done.stdout.split()


def test_the_environment_is_the_parents_with_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("KEPT", "1")
    monkeypatch.setenv("TAKEN", "1")
    monkeypatch.setenv("PYTHONINSPECT", "1")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(["", ".", "/other"]))
    found = python_environment(TAKEN=None, GIVEN="2")
    assert (found["KEPT"], found["GIVEN"], found["PYTHONSAFEPATH"]) == ("1", "2", "1")
    assert found["PYTHONPATH"] == "/other"
    assert not {"TAKEN", "PYTHONINSPECT"} & set(found)
    monkeypatch.setenv("PYTHONPATH", "")
    assert "PYTHONPATH" not in python_environment()
