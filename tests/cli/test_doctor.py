"""The doctor, in a process of its own, as it must be: what it finds out comes before torch is imported."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from wordstill.planning import doctor
from wordstill.system.machine import Guard, Machine

pytestmark = pytest.mark.slow

# The machine at hand, but with instructions for bfloat16 and without a compiler. What else the processor claims stays:
# the guard must know of AMX before int8 is really run.
PRETENDING = """
import sys
from dataclasses import replace
from wordstill.system import machine

real = machine.this_machine()
pretended = replace(real, features=real.features | {"avx512_bf16"}, compiler=None)
machine.this_machine = lambda: pretended
from wordstill.cli import main
sys.exit(main(sys.argv[1:]))
"""


def call(
    *options: str, folder: Path, expected: int = 0, pretending: bool = False, **environment: str
) -> subprocess.CompletedProcess[str]:
    given = os.environ | {"WORDSTILL_CACHE": str(folder / "cache"), "OMP_NUM_THREADS": "1"} | environment
    program = ["-c", PRETENDING] if pretending else ["-m", "wordstill.cli"]
    command = [sys.executable, *program, "doctor", *options]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, env=given)
    assert done.returncode == expected, done.stdout + done.stderr
    return done


def test_it_finds_machine_torch_teacher_and_disk(teacher: str, tmp_path: Path) -> None:
    # A data folder that is not there is told, and no reason to stop.
    found = json.loads(call("--teacher", teacher, "--json", folder=tmp_path, WORDSTILL_DATA="/nowhere").stdout)
    assert found["ready"] is True
    assert found["problems"] == []
    assert found["machine"]["cores"] >= 1
    assert found["torch"]["version"]
    assert found["disk"]["here"] > 0
    assert "/nowhere" in found["datasets"]["note"]
    speed = found["teacher"]["precisions"]["float32"]
    assert speed["tokens_per_second"] > 0
    assert speed["measured"] == "now"
    assert found["teacher"]["precision_for_long_runs"] == "float32"  # nothing else was measured


def test_what_is_measured_is_remembered_on_this_machine(teacher: str, tmp_path: Path) -> None:
    # A CPU multiplies no float16, so the two ways that are tried are int8 and, where there is a compiler, bfloat16.
    measured = call("--teacher", teacher, "--json", "--measure", folder=tmp_path, pretending=True)
    first = json.loads(measured.stdout)
    assert "C++ compiler" in first["teacher"]["precisions_that_do_not_work"]["bfloat16"]
    told = call("--teacher", teacher, folder=tmp_path, pretending=True).stdout
    assert "The main job can run." in told
    assert "float32: " in told
    if "int8" in first["teacher"]["precisions"]:
        assert first["teacher"]["precisions"]["int8"]["measured"] == "now"
        assert "ready after" in told
        assert "(measured before)" in told


def test_without_torch_the_main_job_cannot_run(tmp_path: Path) -> None:
    (tmp_path / "without").mkdir()
    (tmp_path / "without" / "torch.py").write_text("raise ImportError('libtorch.so is broken')")
    done = call(folder=tmp_path, expected=2, PYTHONPATH=str(tmp_path / "without"))
    assert "The main job cannot run:" in done.stdout
    assert "torch cannot be imported (libtorch.so is broken)" in done.stderr


def test_a_teacher_that_does_not_load_is_a_reason(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    done = call("--teacher", "./empty", "--json", folder=tmp_path, expected=2)
    assert "has no config.json" in done.stderr
    assert json.loads(done.stdout)["ready"] is False


def test_amx_that_is_only_claimed_is_told_as_such(monkeypatch: pytest.MonkeyPatch) -> None:
    features = frozenset({"avx2", "avx512f", "avx512_bf16", "amx_tile", "amx_bf16", "amx_int8"})
    monkeypatch.setattr(doctor, "this_machine", lambda: Machine("a processor", features, 2, 1, None))
    monkeypatch.setattr(doctor, "guard", lambda: Guard(trap=True, how="it was tried", capped=True))
    listed = doctor.instructions()
    assert listed["avx512_bf16"]["usable"]
    assert "would crash" in listed["amx_int8"]["note"]
    assert not listed["amx_int8"]["usable"]
    assert listed["amx_bf16"]["usable"]
    monkeypatch.setattr(doctor, "guard", lambda: Guard(trap=False, how="it went well", capped=False))
    assert all(one["usable"] and "note" not in one for one in doctor.instructions().values())


def test_attention_on_tiles_is_told_with_the_reason_against_it(monkeypatch: pytest.MonkeyPatch) -> None:
    features = frozenset({"amx_tile", "amx_bf16"})
    monkeypatch.setattr(doctor, "this_machine", lambda: Machine("a processor", features, 2, 1, "g++"))
    monkeypatch.setattr(doctor, "why_not", lambda: "g++ cannot build it: error")
    told = doctor.attention_on_tiles()
    assert told == {"usable": False, "why_not": "g++ cannot build it: error"}
    monkeypatch.setattr(doctor, "why_not", str)
    assert doctor.attention_on_tiles()["usable"]
    monkeypatch.setattr(doctor, "this_machine", lambda: Machine("a processor", frozenset({"avx2"}), 2, 1, "g++"))
    assert doctor.attention_on_tiles() == {}


def findings(**changed: Any) -> dict[str, Any]:
    plain: dict[str, Any] = {
        "machine": {"cores": 2, "memory_bytes": 8e9, "compiler": "g++"},
        "instructions": {"avx2": {}, "avx512_bf16": {}},
        "bfloat16_trap": {"safe": True},
        "torch": {"gpu": None},
        "teacher": {"precisions": {"float32": {}, "bfloat16": {}}},
        "teachers": {"packaged": ["minilm"], "hub_cache": []},
        "disk": {"here": 9e9, "cache": 9e9},
    }
    return plain | changed


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({}, "6 more cores would help"),
        ({}, "A GPU"),
        ({"machine": {"cores": 2, "memory_bytes": 8e9, "compiler": None}}, "Install g++"),
        ({"machine": {"cores": 2, "memory_bytes": 2e9, "compiler": "g++"}}, "less than 4 GB"),
        ({"bfloat16_trap": {"safe": False}}, "only float32 is safe"),
        ({"teacher": {"precisions": {"float32": {}}}}, "doctor --measure"),
        ({"instructions": {"avx2": {}}}, "A processor with AMX"),
        ({"teachers": {"packaged": [], "hub_cache": []}}, "There is no teacher yet"),
        ({"disk": {"here": 1e9, "cache": 9e9}}, "Free some disk space"),
    ],
)
def test_it_says_what_would_help(changed: dict[str, Any], sentence: str) -> None:
    assert any(sentence in told for told in doctor.advice(findings(**changed)))


def test_a_machine_that_has_everything_needs_no_advice() -> None:
    found = findings(torch={"gpu": {"name": "a GPU"}})
    assert doctor.advice(found) == []
