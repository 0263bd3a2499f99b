"""What the machine is and can do; the bfloat16 trap, where this machine has it, by really multiplying."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from wordstill.system import machine
from wordstill.system.machine import BELOW_AMX, CAP, Machine, guard, probe, recall, remember, this_machine
from wordstill.system.memory import usable_memory

AMX = Machine("a processor", frozenset({"amx_tile", "amx_bf16"}), 2, 1, None)
PLAIN = Machine("a processor", frozenset({"avx2"}), 2, 1, None)


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> pytest.MonkeyPatch:
    """A guard that knows nothing yet, on a machine with nothing remembered."""
    guard.cache_clear()
    monkeypatch.setenv("WORDSTILL_CACHE", str(tmp_path))
    monkeypatch.delenv(CAP, raising=False)
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    yield monkeypatch  # type: ignore[misc]
    guard.cache_clear()


def on(monkeypatch: pytest.MonkeyPatch, kind: Machine, cpuid: object) -> None:
    monkeypatch.setattr(machine, "this_machine", lambda: kind)
    monkeypatch.setattr(machine, "_cpuid", lambda leaf: cpuid)


def test_a_processor_without_amx_is_left_alone(alone: pytest.MonkeyPatch) -> None:
    on(alone, PLAIN, None)
    found = guard()
    assert not found.trap
    assert found.safe
    assert CAP not in os.environ


def test_tiles_that_are_not_described_are_kept_from_onednn(alone: pytest.MonkeyPatch) -> None:
    on(alone, AMX, (0, 0, 0, 0))
    found = guard()
    assert found.trap
    assert found.capped
    assert os.environ[CAP] == BELOW_AMX


def test_tiles_that_are_described_are_used(alone: pytest.MonkeyPatch) -> None:
    on(alone, AMX, (1, 0, 0, 0))
    assert not guard().trap
    assert CAP not in os.environ


def test_what_the_user_set_stays(alone: pytest.MonkeyPatch) -> None:
    on(alone, AMX, (0, 0, 0, 0))
    alone.setenv(CAP, "AVX2")
    assert guard().safe
    assert os.environ[CAP] == "AVX2"


def test_after_torch_was_imported_nothing_is_promised(alone: pytest.MonkeyPatch) -> None:
    on(alone, AMX, (0, 0, 0, 0))
    alone.setitem(sys.modules, "torch", sys)
    assert not guard().safe
    assert "too late" in guard().how


@pytest.mark.parametrize(("code", "trap"), [(0, False), (-signal.SIGILL, True), (1, True)])
def test_where_the_processor_cannot_be_asked_a_process_tries_once(
    alone: pytest.MonkeyPatch, code: int, trap: bool
) -> None:
    on(alone, AMX, None)
    tried = []
    alone.setattr(machine, "probe", lambda: tried.append(1) or code)
    assert guard().trap is trap
    guard.cache_clear()
    alone.delenv(CAP, raising=False)
    assert guard().trap is trap
    assert len(tried) == 1, "the second time it is remembered"


def test_bfloat16_runs_in_a_fresh_process_after_the_guard() -> None:
    program = (
        "from wordstill.system.machine import guard; found = guard()\n"
        "import torch; a = torch.ones(64, 64, dtype=torch.bfloat16)\n"
        "print(found.trap, float((a @ a)[0, 0]))"
    )
    environment = {name: value for name, value in os.environ.items() if name != CAP}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    trap, value = done.stdout.split()
    assert value == "64.0"
    # Without the guard the product dies just where the guard says so.
    assert (probe() == -signal.SIGILL) == (trap == "True")


def test_the_machine_is_told_without_torch() -> None:
    program = (
        "import sys; from wordstill.system.machine import this_machine; this_machine(); print('torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
    assert this_machine().cores >= 1
    assert usable_memory() >= 0


def test_measurements_are_remembered_until_the_file_is_spoilt(alone: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert recall("speed") is None
    remember("speed", {"tokens": 3})
    remember("other", 4)
    assert recall("speed") == {"tokens": 3}
    assert len(json.loads((tmp_path / "machine.json").read_text())) == 2
    (tmp_path / "machine.json").write_text("{")
    assert recall("speed") is None
    remember("speed", 5)
    assert recall("speed") == 5


def test_a_cache_that_cannot_be_written_is_no_error(alone: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    alone.setenv("WORDSTILL_CACHE", str(tmp_path / "file"))
    remember("speed", 5)
    assert recall("speed") is None
