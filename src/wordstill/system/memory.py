"""How much memory there is, and how much this process has, without a package for it."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def usable_memory() -> int:
    """The memory of the machine, or of the container where that is less; 0 where the system does not tell."""
    if not hasattr(os, "sysconf") or "SC_PHYS_PAGES" not in os.sysconf_names:
        return 0
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    for limit in (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory/memory.limit_in_bytes")):
        if limit.is_file() and (text := limit.read_text().strip()).isdigit():
            memory = min(memory, int(text))
    return int(memory)


def available_memory() -> int:
    """What can be had without pushing anyone out; all there is where the system does not tell."""
    available = _told(Path("/proc/meminfo"), "MemAvailable")
    return min(usable_memory(), available) if available else usable_memory()


def resident_memory() -> int:
    """The memory this process has now."""
    return process_memory("self", "VmRSS") or peak_memory()


def peak_memory() -> int:
    """The most memory this process has had."""
    # Linux's getrusage tells the peak of the process that started this one, if that is larger.
    if peak := process_memory("self", "VmHWM"):
        return peak
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def process_memory(process: str, name: str) -> int:
    """A figure of a process as Linux names it, in bytes; 0 where there is none."""
    return _told(Path(f"/proc/{process}/status"), name)


def _told(file: Path, name: str) -> int:
    try:
        lines = file.read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith(f"{name}:")), 0)
