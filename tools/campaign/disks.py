"""Runs and conversions on a disk that is too small: one sentence, the old file stays, more room finishes the run."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from campaign.case import Case, Wrong, tree
from campaign.runs import Done, check_finished, command, distill, reference


class Skipped(Exception):
    """This machine cannot make a small disk."""


def run(case: Case) -> str:
    """Fill a disk during a run or during a conversion."""
    return _distill(case) if case.draw.random() < 0.7 else _convert(case)


def _distill(case: Case) -> str:
    expected, _ = reference(case)
    needed = sum(map(len, tree(expected).values())) // 1024
    size = case.draw.randint(8, needed * 2)
    case.what = f"a disk of {size} KiB"
    with small_disk(case, size) as disk:
        out = disk / "run"
        done = command(distill(case.place, out), case)
        _check_sentence(done)
        if done.code == 0:
            check_finished(case, out, expected)
            return "there was room"
        _mount("remount", disk, 1 << 18)
        done = command(distill(case.place, out, "--resume"), case)
        done.check()
        if done.code:
            raise Wrong(f"with room again the run does not resume: {done.errors[-800:]}")
        check_finished(case, out, expected)
    return "full, then resumed"


def _convert(case: Case) -> str:
    with small_disk(case, 64) as disk:
        target = disk / case.draw.choice(("v.txt", "v.bin", "v.npy", "v.tsv", "v.parquet", "v", "v.txt.gz"))
        case.what = f"{target.name} on a full disk"
        source = str(case.place.samples / "word2vec" / "v.txt")
        first = command(["convert", source, str(target)], case)
        first.check()
        before = tree(disk)
        filling = disk / "filling"
        with filling.open("wb", buffering=0) as file, suppress(OSError):
            while True:
                file.write(b"\0" * 4096)
        done = command(["convert", source, str(target), "--overwrite"], case)
        _check_sentence(done)
        filling.unlink()
        if done.code and tree(disk) != before:
            raise Wrong(f"a full disk took the old {target.name}, or left something: {sorted(tree(disk))}")
    return "full, and the old file stayed" if done.code else "there was room"


def _check_sentence(done: Done) -> None:
    done.check()
    if done.code and not re.search(r"\bdisk\b.* is full", done.errors):
        raise Wrong(f"a full disk is not told: {done.errors[-500:]}")


@contextmanager
def small_disk(case: Case, kibibytes: int) -> Iterator[Path]:
    """Mount a file system in memory; only root can."""
    folder = case.place.scratch("disk")
    if os.name != "posix" or os.geteuid() or _mount("size", folder, kibibytes):
        raise Skipped("small disks can be mounted by root alone")
    try:
        yield folder
    finally:
        subprocess.run(["umount", folder], check=True)


def _mount(how: str, folder: Path, kibibytes: int) -> int:
    options = f"size={kibibytes}k" if how == "size" else f"remount,size={kibibytes}k"
    call = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)]
    return subprocess.run(call, capture_output=True, check=False).returncode
