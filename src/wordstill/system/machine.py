"""What this machine can do, found out without importing torch; what was measured on it is remembered.

Some virtual machines advertise Intel's matrix extensions (AMX) but hide how their tiles are shaped. oneDNN, which
multiplies bfloat16 and int8 matrices for torch, believes them and dies of an illegal instruction. `guard` finds such
machines and keeps oneDNN from AMX there, which must be said in the environment before torch first multiplies.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import shutil
import signal
import struct
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from wordstill.errors import InputError
from wordstill.io.files import cache_folder, write_json
from wordstill.system.children import python_environment, run_python
from wordstill.system.memory import usable_memory

CAP = "ONEDNN_MAX_CPU_ISA"
# The best instruction set below AMX that multiplies bfloat16.
BELOW_AMX = "AVX512_CORE_BF16"
TILE_LEAF = 0x1D
PROBE = "import torch; a = torch.ones(64, 64, dtype=torch.bfloat16); torch.mm(a, a)"


# MKL's switch for results that do not depend on the alignment of memory.
REPEATABLE = "MKL_CBWR"


@dataclass(frozen=True)
class Machine:
    """The processor, and what else decides how fast a teacher runs on it."""

    processor: str
    features: frozenset[str]
    """Instruction sets as Linux names them; empty where they cannot be read."""
    cores: int
    memory: int
    """Bytes that this process may use; 0 where that is not known."""
    compiler: str | None
    """The C++ compiler that torch would call."""

    @property
    def name(self) -> str:
        """A short hash: two machines of one name have the same processor and system."""
        told = [self.processor, sorted(self.features), self.cores, platform.release()]
        return hashlib.sha256(json.dumps(told).encode()).hexdigest()[:12]


@dataclass(frozen=True)
class Guard:
    """What was found out about oneDNN and bfloat16, and done about it."""

    trap: bool
    """Whether oneDNN would die of an illegal instruction."""
    how: str
    """How that is known."""
    capped: bool
    """Whether oneDNN is kept from AMX in this process."""

    @property
    def safe(self) -> bool:
        """Whether this process may multiply bfloat16 and int8 matrices."""
        return self.capped or not self.trap


@cache
def this_machine() -> Machine:
    """The machine this runs on."""
    processor, features = platform.processor() or platform.machine(), frozenset[str]()
    told = Path("/proc/cpuinfo")
    if told.is_file():
        lines = (line.partition(":") for line in told.read_text(errors="replace").splitlines())
        first: dict[str, str] = {}
        for name, _, value in lines:
            first.setdefault(name.strip().lower(), value.strip())
        processor = first.get("model name", processor)
        features = frozenset(first.get("flags", first.get("features", "")).split())
    return Machine(processor, features, usable_cores(), usable_memory(), _compiler())


def usable_cores() -> int:
    """The cores this process may run on."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _compiler() -> str | None:
    return shutil.which(os.environ.get("CXX") or "") or shutil.which("g++") or shutil.which("clang++")


@cache
def guard() -> Guard:
    """Make products safe and repeatable in this process. To be called before torch computes.

    oneDNN is kept from AMX, if this machine has the trap. MKL, which else rounds by where an array lies in memory, is
    told to give the same bits each time; what the user set for it stays.
    """
    os.environ.setdefault(REPEATABLE, repeatable_kernels(this_machine().features))
    trap, how = _trap()
    if not trap:
        return Guard(trap=False, how=how, capped=False)
    if CAP in os.environ:
        return Guard(trap=True, how=how, capped="AMX" not in os.environ[CAP].upper())
    late = "torch" in sys.modules
    os.environ[CAP] = BELOW_AMX
    if late:
        # oneDNN reads the variable when it is first used, and nobody can tell whether that was before.
        how += f"; torch was imported before, so it may be too late to set {CAP} here"
    return Guard(trap=True, how=how, capped=not late)


def repeatable_kernels(features: frozenset[str]) -> str:
    """Name the fastest kernels of MKL that give the same bits each time on a processor with these instructions."""
    return "AVX512" if "avx512f" in features else "AVX2" if "avx2" in features else "COMPATIBLE"


def _trap() -> tuple[bool, str]:
    machine = this_machine()
    if "amx_tile" not in machine.features:
        return False, "the processor does not claim AMX"
    palettes = _cpuid(TILE_LEAF)
    if palettes is not None:
        if palettes[0]:
            return False, "the processor has AMX and describes its tiles"
        return True, "the processor claims AMX but does not describe its tiles (CPUID leaf 0x1D is empty)"
    known = recall("bfloat16-probe")
    if known is None:
        known = probe()
        remember("bfloat16-probe", known)
    if known == -signal.SIGILL:
        return True, "a bfloat16 product in a process of its own died of an illegal instruction"
    if known != 0:
        return True, f"a bfloat16 product in a process of its own failed (exit code {known})"
    return False, "a bfloat16 product in a process of its own went well"


def probe() -> int:
    """The exit code of a process that multiplies bfloat16 matrices without a cap."""
    return run_python(PROBE, env=python_environment(**{CAP: None})).returncode


def _cpuid(leaf: int) -> tuple[int, ...] | None:
    """What the processor tells of itself, where Linux lets this process ask; None elsewhere."""
    try:
        descriptor = os.open("/dev/cpu/0/cpuid", os.O_RDONLY)
    except OSError:
        return None
    try:
        return struct.unpack("4I", os.pread(descriptor, 16, leaf))
    except (OSError, struct.error):
        return None
    finally:
        os.close(descriptor)


def recall(what: str) -> Any:
    """What was measured on this machine before; None if nothing was, or by other versions."""
    return _memory().get(_key(what))


def remember(what: str, value: Any) -> None:
    """Keep a measurement for later processes on this machine."""
    try:
        write_json(cache_folder() / "machine.json", _memory() | {_key(what): value})
    except (InputError, OSError):
        return  # a home that cannot be written to: it is measured again next time


def _memory() -> dict[str, Any]:
    try:
        kept = json.loads((cache_folder() / "machine.json").read_text())
    except (OSError, ValueError):
        return {}
    return kept if isinstance(kept, dict) else {}


def _key(what: str) -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        torch = version("torch")
    except PackageNotFoundError:
        torch = "none"
    return f"{this_machine().name} torch-{torch} {what}"
