"""Standard output that is closed, full, or knows nothing but ASCII; names that a terminal would obey."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from wordstill.cli import main
from wordstill.formats import save
from wordstill.vectors import WordVectors

COMMAND = f"{sys.executable} -m wordstill.cli"


@pytest.fixture
def vectors(tmp_path: Path) -> Path:
    words = ["café", "\x1b[2Jriver", "東京"]
    save(WordVectors(words, np.eye(3, dtype=np.float32), card={"notes": ["\x9b31m"]}), tmp_path / "v")
    (tmp_path / "pairs.tsv").write_text("café\t東京\t3\ncafé\tcafé\t9\n東京\t東京\t8\n", encoding="utf-8")
    return tmp_path


def shell(command: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(command, shell=True, cwd=folder, capture_output=True, env=os.environ | environment)


@pytest.mark.parametrize("place", [">&-", "> /dev/full"])
def test_standard_output_that_takes_nothing_is_told_in_one_sentence(vectors: Path, place: str) -> None:
    if "full" in place and not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full here")
    for command in ("neighbors v café", "info v --json", "evaluate v --datasets pairs.tsv --csv"):
        done = shell(f"{COMMAND} {command} {place}", vectors)
        assert done.returncode == 2
        told = done.stderr.decode().splitlines()
        assert told[-1].startswith(f"wordstill {command.split()[0]}: standard output cannot be written: ")
        assert "Traceback" not in done.stderr.decode()


def test_a_closed_standard_output_never_lands_in_a_file_that_is_written(vectors: Path) -> None:
    done = shell(f"{COMMAND} convert v w >&- 2>&-", vectors)
    assert done.returncode == 2
    assert WordVectors.load(vectors / "w").words == WordVectors.load(vectors / "v").words


def test_words_are_shown_where_only_ascii_can_be(vectors: Path) -> None:
    done = shell(f"{COMMAND} neighbors v café", vectors, PYTHONIOENCODING="ascii")
    assert done.returncode == 0, done.stderr.decode()
    assert rb"caf\xe9" in done.stdout
    done = shell(f"{COMMAND} neighbors v café --json", vectors, PYTHONIOENCODING="ascii")
    assert json.loads(done.stdout)[0]["word"] == "café"


def test_no_command_prints_what_a_terminal_obeys(vectors: Path, capsys: pytest.CaptureFixture[str]) -> None:
    os.rename(vectors / "v", vectors / "v\x1b[31m")
    name = str(vectors / "v\x1b[31m")
    calls = [
        ["neighbors", name, "café"],
        ["neighbors", name, "café", "--json"],
        ["info", name],
        ["info", name, "--json"],
        ["evaluate", name, "--datasets", str(vectors / "pairs.tsv")],
        ["evaluate", name, "--datasets", str(vectors / "pairs.tsv"), "--latex"],
        ["convert", name, str(vectors / "w\x1b[0m")],
        ["neighbors", name, "\x1b]0;x\x07"],
        ["neighbors", str(vectors / "none\x1b[31m"), "x"],
        ["odd", name, "\x1b", "\x9b", "\u202e"],
    ]
    for call in calls:
        main(call)
        output = capsys.readouterr()
        assert (output.out + output.err).replace("\n", "").isprintable(), call
        assert output.out + output.err
    with pytest.raises(SystemExit):
        main(["neighbors", name, "café", "--nothing\x1b[31m"])
    assert capsys.readouterr().err.replace("\n", "").isprintable()
