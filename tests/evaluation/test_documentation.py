"""Every command and every line of Python on the page about evaluation is run."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import numpy as np
import pytest

from wordstill import WordVectors
from wordstill.cli import main
from wordstill.evaluation import download as downloading

PAGE = Path(__file__).resolve().parents[2] / "docs" / "evaluation.md"


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)


COMMANDS = [line for block in blocks("sh") for line in block.splitlines() if line]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with the files that the page speaks of."""
    generator = np.random.default_rng(0)
    words = ["love", "sex", "tiger", "cat", "old", "new", "sun", "moon", "athens", "greece", "oslo", "norway"]
    for name in ("a.txt", "b.bin", "run/aggregate/layer-00", "run/aggregate/layer-01"):
        WordVectors(words, generator.standard_normal((12, 4)).astype(np.float32)).save(tmp_path / name)
    students = {f"aggregate/layer-0{n}": {"path": f"aggregate/layer-0{n}"} for n in range(2)}
    (tmp_path / "run" / "run.json").write_text(json.dumps({"settings": {}, "students": students}))
    (tmp_path / "my-pairs.tsv").write_text("sun\tmoon\t5\nlove\tcat\t3\nold\tnew\t1\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(downloading, "fetch", lambda file, name: b"sun moon 3\n")


def test_the_page_has_commands() -> None:
    assert len(COMMANDS) > 8


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_of_the_page_runs(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    name, *arguments = shlex.split(command, comments=True)
    assert name == "wordstill"
    assert main(arguments) == 0
    assert capsys.readouterr().out


def test_the_python_of_the_page_runs(capsys: pytest.CaptureFixture[str]) -> None:
    (code,) = blocks("python")
    exec(compile(code, str(PAGE), "exec"), {})
    assert "ws353" in capsys.readouterr().out
