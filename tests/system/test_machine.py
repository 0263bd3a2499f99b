"""What the machine is and can do, on pretended processors of each kind, and the bfloat16 trap on the real one."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from wordstill.errors import Unavailable
from wordstill.system import machine
from wordstill.system.children import python_environment, run_python
from wordstill.system.machine import BELOW_AMX, CAP, Machine, guard, probe, recall, remember, this_machine
from wordstill.system.memory import usable_memory

PLAIN = Machine("a processor", frozenset({"avx2"}), 2, 1, "g++")
WIDE = Machine("a processor", PLAIN.features | {"avx512f", "avx512_vnni"}, 2, 1, "g++")
HALF = Machine("a processor", WIDE.features | {"avx512_bf16"}, 2, 1, "g++")
AMX = Machine("a processor", HALF.features | {"amx_tile", "amx_bf16", "amx_int8"}, 2, 1, "g++")
# What a processor says of its tiles.
SHAPED, EMPTY = (1, 0, 0, 0), (0, 0, 0, 0)


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[pytest.MonkeyPatch]:
    """A guard that knows nothing yet, in a process without torch, on a machine with nothing remembered."""
    guard.cache_clear()
    monkeypatch.setenv("WORDSTILL_CACHE", str(tmp_path))
    monkeypatch.setenv(CAP, "")
    monkeypatch.delenv(CAP)
    imported(monkeypatch)
    yield monkeypatch
    guard.cache_clear()


def imported(monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    """Let the guard see that these modules are imported, and no others."""
    monkeypatch.setattr(machine, "sys", SimpleNamespace(modules=dict.fromkeys(names)))


def on(monkeypatch: pytest.MonkeyPatch, kind: Machine, cpuid: object) -> None:
    monkeypatch.setattr(machine, "this_machine", lambda: kind)
    monkeypatch.setattr(machine, "_cpuid", lambda leaf: cpuid)


def test_what_the_user_set_stays(alone: pytest.MonkeyPatch) -> None:
    on(alone, AMX, EMPTY)
    alone.setenv(CAP, "AVX2")
    assert guard().safe
    assert os.environ[CAP] == "AVX2"


def test_after_torch_was_imported_nothing_is_promised(alone: pytest.MonkeyPatch) -> None:
    on(alone, AMX, EMPTY)
    imported(alone, "torch")
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


@dataclass(frozen=True)
class Kind:
    """A kind of machine: what it claims, how it answers when it is asked, and what follows."""

    machine: Machine
    cpuid: tuple[int, ...] | None = None
    """How its tiles are shaped; None where it cannot be asked."""
    probe: int | None = None
    """The exit code of a process that multiplies; None where none must be started."""
    trap: bool = False
    gain: float = 0.0
    """How many times as fast as float32 bfloat16 is expected to be."""
    unusable: tuple[str, ...] = ()
    """Instructions that are claimed only."""


KINDS = {
    "AVX2": Kind(PLAIN),
    "AVX-512": Kind(WIDE),
    "AVX-512 with bfloat16": Kind(HALF, gain=1.2),
    "AMX": Kind(AMX, SHAPED, gain=2.2),
    "AMX with the trap": Kind(AMX, EMPTY, trap=True, gain=2.2, unusable=("amx_int8",)),
    "AMX that dies": Kind(AMX, probe=-signal.SIGILL, trap=True, gain=2.2, unusable=("amx_int8",)),
    "AMX that multiplies": Kind(AMX, probe=0, gain=2.2),
}


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest, alone: pytest.MonkeyPatch) -> Kind:
    """A machine that is pretended, on which nothing has been done yet."""
    pytest.importorskip("torch", reason="precisions are torch's")
    from wordstill.planning import doctor
    from wordstill.teacher import faster, precision

    kind = KINDS[request.param]
    on(alone, kind.machine, kind.cpuid)
    for user in (doctor, faster, precision):
        alone.setattr(user, "this_machine", lambda: kind.machine)
    alone.setattr(machine, "probe", lambda: pytest.fail("a process was started") if kind.probe is None else kind.probe)
    return kind


def teacher_on_a_cpu(**changes: Any) -> Any:
    """What the choice of a precision looks at, of a teacher whose layers are not found."""
    given = {"device": SimpleNamespace(type="cpu"), "layers": 6, "stack": None, "name": "small"}
    return SimpleNamespace(**given | changes)


def reason_against_bfloat16() -> str:
    from wordstill.teacher.faster import in_bfloat16

    with pytest.raises(Unavailable) as raised:
        in_bfloat16(teacher_on_a_cpu())
    return str(raised.value)


def test_the_guard_keeps_onednn_from_amx_where_it_would_die(kind: Kind) -> None:
    found = guard()
    assert (found.trap, found.capped, found.safe) == (kind.trap, kind.trap, True)
    assert os.environ.get(CAP) == (BELOW_AMX if kind.trap else None)


def test_bfloat16_is_offered_where_the_processor_has_instructions_for_it(
    kind: Kind, monkeypatch: pytest.MonkeyPatch
) -> None:
    from wordstill.teacher import faster
    from wordstill.teacher.precision import _expected

    gain, seconds = _expected(teacher_on_a_cpu(), "bfloat16", {})
    assert gain == kind.gain
    assert seconds > 0
    # Of a processor that can, only the layers are missing.
    missing = "the layers of small were not found"
    assert reason_against_bfloat16() == (missing if gain else "the processor has no instructions for bfloat16")
    without = Machine("a processor", kind.machine.features, 2, 1, None)
    monkeypatch.setattr(faster, "this_machine", lambda: without)
    assert ("C++ compiler" in reason_against_bfloat16()) == (gain > 0)


def test_bfloat16_and_int8_are_refused_where_the_guard_came_too_late(
    kind: Kind, monkeypatch: pytest.MonkeyPatch
) -> None:
    from wordstill.teacher.faster import in_int8

    imported(monkeypatch, "torch")
    assert guard().safe != kind.trap
    assert ("too late" in reason_against_bfloat16()) == kind.trap
    if kind.trap:
        with pytest.raises(Unavailable, match="too late"):
            in_int8(teacher_on_a_cpu())


def test_the_doctor_tells_which_instructions_are_claimed_only(kind: Kind) -> None:
    from wordstill.planning import doctor

    listed = doctor.instructions()
    assert set(listed) == kind.machine.features - {"amx_tile"}
    assert tuple(name for name, told in listed.items() if not told["usable"]) == kind.unusable
    assert {name for name, told in listed.items() if "would crash" in told.get("note", "")} == (
        {"amx_bf16", "amx_int8"} if kind.trap else set()
    )


@pytest.mark.slow
def test_bfloat16_runs_in_a_fresh_process_after_the_guard() -> None:
    """On the machine at hand, whatever it is."""
    program = (
        "from wordstill.system.machine import guard; found = guard()\n"
        "import torch; a = torch.ones(64, 64, dtype=torch.bfloat16)\n"
        "print(found.trap, float((a @ a)[0, 0]))"
    )
    done = run_python(program, env=python_environment(**{CAP: None}))
    assert done.returncode == 0, done.stderr
    trap, value = done.stdout.split()
    assert value == "64.0"
    # Where the guard sees no trap, the product goes well without it. (A later oneDNN may live with the trap.)
    assert trap == "True" or probe() == 0


def test_the_machine_is_told_without_torch() -> None:
    program = (
        "import sys; from wordstill.system.machine import this_machine; this_machine(); print('torch' in sys.modules)"
    )
    assert run_python(program).stdout == "False\n"
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
