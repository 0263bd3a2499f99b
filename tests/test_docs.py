"""Every command and every example in README.md and docs/ is run here, page by page, as it stands.

A block marked ```sh runs in a shell, line by line; ```python runs as a program. Blocks with another mark
(```sh install, ```sh download, ```text) are for readers only: they install, download or show.
"""

from __future__ import annotations

import doctest
import gzip
import itertools
import json
import os
import re
import runpy
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import wordstill
from texts import write_corpus
from wordstill.cli import main

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# Pages that begin with texts; the others begin with a finished run.
FROM_TEXTS = {"README.md", "best.md", "distill.md", "corpus.md", "sentences.md", "tutorial.md"}
WORLD = "The king rules. The man reads. The woman reads. The teacher looks at the river and the sea. The queen learns."


@pytest.fixture(scope="session")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the pages speak of: texts, words, pairs, labelled texts, a run, and other vectors."""
    folder = tmp_path_factory.mktemp("docs")
    texts = write_corpus(folder / "texts.txt", 60)
    texts.write_text(texts.read_text() + "\n" + "\n".join([WORLD] * 8))
    with gzip.open(folder / "texts.jsonl.gz", "wt") as file:
        file.writelines(json.dumps({"body": line}) + "\n" for line in texts.read_text().split("\n"))
    (folder / "texts").mkdir()
    for number in range(2):
        (folder / "texts" / f"{number}.txt").write_text(texts.read_text())
    (folder / "words.txt").write_text("new_york\nqueen\n")
    (folder / "my-pairs.tsv").write_text("river\tsea\t8\nking\tqueen\t9\nman\triver\t1\nteacher\tstudent\t7\n")
    # Enough of them for two halves.
    pairs = enumerate(itertools.combinations(("river", "sea", "king", "queen", "man", "teacher", "student"), 2))
    (folder / "many-pairs.tsv").write_text("".join(f"{a}\t{b}\t{number % 9}\n" for number, (a, b) in pairs))
    (folder / "my-texts.tsv").write_text(
        "".join(f"wet\tthe river and the sea {number}\ndry\tthe king and the man {number}\n" for number in range(30))
    )
    (folder / "my-text-pairs.tsv").write_text(
        "the river and the sea\tthe sea\t4.5\nthe king reads\tthe queen learns\t3\nthe man\tthe river\t1\n"
    )
    shell("wordstill distill --teacher minilm --corpus texts.txt --student aggregate,closed --out run", folder)
    shell("wordstill convert run/aggregate a.txt && wordstill convert run/closed b.bin", folder)
    return folder


def run_line(line: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Run a line of a page. A plain wordstill command is run in this process: importing torch takes seconds."""
    plain = re.sub(r"'[^']*'|\"[^\"]*\"", "", line)
    if not line.startswith("wordstill ") or re.search(r"[|<>&;$`*?~]|--on|--shard", plain):
        shell(line, folder)
        return
    code = main(shlex.split(line, comments=True)[1:])
    shown = capsys.readouterr()
    assert code == 0, f"{line}\n{shown.out}{shown.err}"


def shell(command: str, folder: Path) -> str:
    environment = os.environ | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(command, shell=True, cwd=folder, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_of_a_page_runs(
    page: Path, place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "here"
    without = shutil.ignore_patterns("run") if page.name in FROM_TEXTS else None
    shutil.copytree(place, folder, ignore=without)
    monkeypatch.chdir(folder)
    for mark, content in BLOCK.findall(page.read_text(encoding="utf-8")):
        if mark == "sh":
            for line in content.replace("\\\n", " ").splitlines():
                if line.strip() and not line.startswith("#"):
                    # What a new user types first is typed into a real shell.
                    shell(line, folder) if page.name == "README.md" else run_line(line, folder, capsys)
        elif mark == "python" and ">>>" in content:
            examples = doctest.DocTestParser().get_doctest(content, {}, page.name, str(page), 0)
            assert doctest.DocTestRunner().run(examples).failed == 0, capsys.readouterr().out
        elif mark == "python":
            exec(compile(content, str(page), "exec"), {"__name__": "__main__"})
        else:
            assert mark in ("", "text", "sh install", "sh download", "sh benchmark", "diff", "html", "js"), (
                f"an unknown mark: {mark!r}"
            )


def test_pages_point_only_to_files_that_are_there() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            if not target.startswith("http"):
                assert (page.parent / target).exists(), f"{page.name} points to {target}"


# What is told by its fields, and shown in the examples of others.
PLAIN = {"ConvertSettings", "DistillSettings", "EvaluationSettings", "ExecutionSettings", "ReportSettings", "Run"}
NAMES = [name for name in wordstill.__all__ if not name.startswith("_") and name not in PLAIN]


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_every_public_name_has_examples_that_are_true(
    name: str, place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(place, tmp_path / "here")
    monkeypatch.chdir(tmp_path / "here")
    public = getattr(wordstill, name)
    tests = doctest.DocTestFinder().find(public, name, globs={name: public})
    results = [doctest.DocTestRunner().run(test) for test in tests]
    assert sum(result.failed for result in results) == 0, capsys.readouterr().out
    assert sum(result.attempted for result in results) > 0


def test_the_page_of_settings_is_what_the_declarations_say() -> None:
    program = runpy.run_path(str(ROOT / "docs" / "write_settings.py"))
    page = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")
    assert page == program["settings_page"](), "run: python docs/write_settings.py"


@pytest.mark.slow
def test_the_packages_own_example_is_true(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(place)
    assert doctest.testmod(wordstill).failed == 0
