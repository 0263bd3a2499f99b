"""Runs for tests: their bytes, and runs that break."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from wordstill.distillation.distill import distill
from wordstill.distillation.job import Job
from wordstill.distillation.settings import DistillSettings


def vector_bytes(folder: Path) -> dict[str, bytes]:
    """Every file of every student, byte by byte."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.parent != folder
    }


class Killed(BaseException):
    """As sudden as SIGKILL for everything above it: no handler of the run may catch it."""


def break_run(
    corpus: Path, out: Path, settings: DistillSettings, after: int, counts: Callable[[Job], bool] = lambda job: True
) -> None:
    """Distill with a checkpoint after every batch, and die at the rest number `after` of those that count."""
    rests, rest = 0, Job.rest

    def breaking(self: Job) -> None:
        nonlocal rests
        rests += counts(self)
        if rests == after:
            raise Killed
        rest(self)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Job, "rest", breaking)
        with pytest.raises(Killed):
            distill(corpus, out=out, settings=settings, checkpoint_seconds=0.0)
