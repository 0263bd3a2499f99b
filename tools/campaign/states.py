"""Damage a file of an unfinished run's state, whatever it is called, and resume: the same bytes, or one sentence."""

from __future__ import annotations

import shutil

from campaign.case import Case, Wrong, tree
from campaign.kills import kill_once
from campaign.mutations import mutate
from campaign.runs import check_finished, command, distill, reference


def run(case: Case) -> str:
    """Kill a run, damage any file in its folder, resume it, and begin anew where that is refused."""
    expected, undisturbed = reference(case)
    out = case.place.scratch("state") / "run"
    if not kill_once(case, out, undisturbed.operations, undisturbed.seconds, resume=False) or not out.is_dir():
        return "nothing to damage"
    files = sorted(path for path in out.rglob("*") if path.is_file())
    if not files:
        return "nothing to damage"
    path = case.draw.choice(files)
    content, how = mutate(path.read_bytes(), case.draw)
    path.write_bytes(content)
    case.what += f"{path.relative_to(out)}: {how}; "
    done = command(distill(case.place, out, "--resume"), case)
    done.check()
    case.check_canary()
    if done.code == 0:
        check_finished(case, out, expected)
        return "resumed to the same bytes"
    before = tree(out)
    again = command(distill(case.place, out, "--overwrite"), case)
    again.check()
    if again.code == 0:
        check_finished(case, out, expected)
        return "refused, then begun anew"
    if tree(out) != before:
        raise Wrong("a folder that is refused has changed")
    shutil.rmtree(out)
    return "refused"
