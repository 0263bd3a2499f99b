"""The command of the campaign: real runs are killed and resumed, and hostile names are shown."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# The whole command in a process of its own: what forks must not have computed.
PATHS = os.pathsep.join(str(ROOT / name) for name in ("src", "tools", "tests"))


def campaign(*arguments: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PYTHONPATH": PATHS}
    call = [sys.executable, "-m", "campaign", *arguments]
    return subprocess.run(call, capture_output=True, text=True, env=environment, timeout=900)


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="runs are forked")
def test_killed_runs_resume_to_the_same_bytes(tmp_path: Path) -> None:
    done = campaign("--minutes", "0.1", "--seed", "22", "--areas", "kill", "--json", str(tmp_path / "counts.json"))
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    counts = json.loads((tmp_path / "counts.json").read_text())
    assert counts["cases"]["kill"] >= 1
    assert counts["failures"] == 0


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="runs are forked")
def test_hostile_names_are_shown_and_do_nothing() -> None:
    done = campaign("--seed", "22", "--case", "names-0")
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    assert "shown" in done.stdout
