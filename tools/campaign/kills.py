"""Kill runs at file operations and at random moments, resume them, and compare the bytes."""

from __future__ import annotations

import signal
from pathlib import Path

from campaign.case import Case, Wrong
from campaign.runs import check_finished, command, distill, reference

NOTE = "somebody's own file\n"


def run(case: Case) -> str:
    """Kill a run once or a few times, and resume it."""
    expected, undisturbed = reference(case)
    folder = case.place.scratch("kill")
    out, note = folder / "run", folder / "notes.txt"
    note.write_text(NOTE)
    kills = 0
    for attempt in range(case.draw.choice((1, 1, 2, 3))):
        kills += kill_once(case, out, undisturbed.operations, undisturbed.seconds, resume=attempt > 0)
    done = command(distill(case.place, out, "--resume"), case)
    done.check()
    if done.code:
        raise Wrong(f"a killed run does not resume: {done.errors[-800:]}")
    check_finished(case, out, expected)
    if note.read_text() != NOTE or {path.name for path in folder.iterdir()} != {"run", "notes.txt"}:
        raise Wrong(f"beside the run: {sorted(path.name for path in folder.iterdir())}")
    return f"{kills} kills"


def kill_once(case: Case, out: Path, operations: int, seconds: float, *, resume: bool) -> int:
    """Start a run and kill it; return 1, or 0 where it was quicker."""
    more = ["--resume"] if resume else []
    if case.draw.random() < 0.6:
        at = case.draw.randint(1, operations)
        case.what += f"killed before file operation {at} of {operations}; "
        done = command(distill(case.place, out, *more), case, kill_at=at, watched=out)
    else:
        after = case.draw.uniform(0.0, seconds)
        case.what += f"killed after {after:.3f} of {seconds:.3f} s; "
        done = command(distill(case.place, out, *more), case, kill_after=after)
    if done.code == -signal.SIGKILL:
        return 1
    done.check()
    return 0
