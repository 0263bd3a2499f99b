"""Runs for tests: their bytes, and runs that break."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from wordstill.distillation.distill import distill
from wordstill.distillation.job import Job
from wordstill.distillation.settings import DistillSettings
from wordstill.distillation.shard_work import ShardWork


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
    corpus: Path, out: Path, settings: DistillSettings, after: int, resting: Sequence[type] = (ShardWork, Job)
) -> None:
    """Distill with a checkpoint after every batch, and die at the rest number `after`, of a shard or of a replay."""
    rests = 0

    def breaking(rest: Callable[[Any], None]) -> Callable[[Any], None]:
        def counted(self: Any) -> None:
            nonlocal rests
            rests += 1
            if rests == after:
                raise Killed
            rest(self)

        return counted

    with pytest.MonkeyPatch.context() as patch:
        for kind in resting:
            patch.setattr(kind, "rest", breaking(kind.rest))  # type: ignore[attr-defined]
        with pytest.raises(Killed):
            distill(corpus, out=out, settings=settings, checkpoint_seconds=0.0)
