"""Real runs of the command line, each in a process of its own that is forked from one with all modules loaded.

The process that forks has never computed anything: a fork takes no threads along.
"""

from __future__ import annotations

import faulthandler
import json
import os
import resource
import shutil
import signal
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from campaign.case import Case, Place, Wrong, tree
from wordstill.distillation.settings import ExecutionSettings
from wordstill.options import all_fields

# A run of the campaign takes a second or two; one that takes this long hangs.
LONGEST = 300.0
# What a run does on the disk, as Python's audit hooks name it.
FILE_OPERATIONS = {"open", "os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.truncate", "os.link", "shutil.rmtree"}
STUDENTS = "aggregate,closed,x2static"


@dataclass(frozen=True)
class Done:
    """How a process ended: its exit code (negative: the signal that killed it), what it printed, how long it took."""

    code: int
    output: str
    errors: str
    seconds: float
    operations: int = 0

    def check(self) -> None:
        """A command ends well, or says in a sentence why not; it never prints a traceback or dies by itself."""
        if "Traceback (most recent call last)" in self.errors or "Fatal Python error" in self.errors:
            raise Wrong(f"a traceback: {self.errors[-1500:]}")
        if self.code not in (0, 2):
            raise Wrong(f"exit code {self.code}: {self.errors[-500:]}")
        if self.code == 2 and not self.errors.strip():
            raise Wrong("exit code 2 without a word")


def command(
    arguments: Sequence[str],
    case: Case,
    *,
    kill_after: float | None = None,
    kill_at: int | None = None,
    watched: Path | None = None,
    modules: Path | None = None,
) -> Done:
    """Run `wordstill ARGUMENTS` in a process of its own, and kill it after so many seconds or file operations.

    watched  the folder in which file operations count
    modules  a file for the names of the modules that were loaded
    """
    folder = case.place.scratch(f"output-{os.getpid()}")
    names = [folder / name for name in ("out", "errors", "operations")]
    began = time.monotonic()
    child = os.fork()
    if not child:
        _become(arguments, case.place, names, kill_at, watched, modules)
    code = _wait(child, kill_after, began)
    output, errors = (path.read_text("utf-8", "replace") if path.exists() else "" for path in names[:2])
    counted = names[2].stat().st_size if names[2].exists() else 0
    return Done(code, output, errors, time.monotonic() - began, counted)


def _wait(child: int, kill_after: float | None, began: float) -> int:
    killed = False
    while True:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        spent = time.monotonic() - began
        if kill_after is not None and spent >= kill_after and not killed:
            os.kill(child, signal.SIGKILL)
            killed = True
        if spent > LONGEST:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            raise Wrong(f"no end after {LONGEST:.0f} s")
        time.sleep(0.002)


def _become(
    arguments: Sequence[str],
    place: Place,
    names: Sequence[Path],
    kill_at: int | None,
    watched: Path | None,
    modules: Path | None,
) -> None:
    """Be the command; this never returns."""
    try:
        os.chdir(place.traps)
        for path, number in zip(names[:2], (1, 2), strict=True):
            os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT), number)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115 (until the end)
        sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
        faulthandler.enable(sys.stderr)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if watched is not None:
            sys.addaudithook(_counter(os.open(names[2], os.O_WRONLY | os.O_CREAT), kill_at, str(watched)))
        from wordstill.cli import main

        code = 1
        try:
            code = main(list(arguments))
        except SystemExit as stop:
            code = stop.code if isinstance(stop.code, int) else 1
        except BaseException:
            import traceback

            traceback.print_exc()
        if modules is not None:
            modules.write_text(json.dumps(sorted(sys.modules)))
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    finally:
        os._exit(70)


def _counter(counts: int, kill_at: int | None, watched: str) -> Callable[[str, tuple[Any, ...]], None]:
    """Count file operations in a folder, a byte in a file for each, and die before number `kill_at`."""
    seen = 0

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        nonlocal seen
        if event in FILE_OPERATIONS and arguments and str(arguments[0]).startswith(watched):
            seen += 1
            if seen == kill_at:
                os.kill(os.getpid(), signal.SIGKILL)
            os.write(counts, b".")

    return hook


# ---------------------------------------------------------------- runs of `wordstill distill`


def distill(place: Place, out: Path, *more: str, students: str = STUDENTS) -> list[str]:
    """The command line of a small run that keeps its state often."""
    call = ["distill", "--teacher", str(place.samples / "teacher" / "t"), "--corpus", str(place.root / "texts.txt")]
    call += ["--student", students, "--out", str(out), "--threads", "1", "--batch-tokens", "400", "--device", "cpu"]
    call += ["--precision", "float32"]
    for item in all_fields(ExecutionSettings):
        if item.keyword == "checkpoint_seconds" and item.option:
            call += [item.option, "0"]
        if item.keyword == "workers" and item.option:
            call += [item.option, "0"]
    return [*call, *more]


def vectors_of(out: Path) -> dict[str, bytes]:
    """All files of a finished run but run.json, in which times stand."""
    return {name: content for name, content in tree(out).items() if name != "run.json"}


def reference(case: Case) -> tuple[Path, Done]:
    """The run that nothing disturbed; it is made once."""
    out = case.place.root / "reference"
    done_file = case.place.root / "reference-done"
    if not done_file.exists():
        shutil.rmtree(out, ignore_errors=True)
        done = command(distill(case.place, out), case, watched=out)
        if done.code:
            raise Wrong(f"the undisturbed run fails: {done.errors[-2000:]}")
        done_file.write_text(f"{done.seconds} {done.operations}")
    seconds, operations = done_file.read_text().split()
    return out, Done(0, "", "", float(seconds), int(operations))


def check_finished(case: Case, out: Path, expected: Path) -> None:
    """A resumed run has the bytes of an undisturbed one, and leaves nothing else behind."""
    found, wanted = vectors_of(out), vectors_of(expected)
    for name in wanted:
        if name not in found:
            raise Wrong(f"{name} is missing after the run was resumed")
        if found[name] != wanted[name]:
            raise Wrong(f"other bytes in {name} than without the disturbance")
    if found.keys() != wanted.keys():
        raise Wrong(f"left behind: {sorted(found.keys() - wanted.keys())[:5]}")
    case.check_canary()
