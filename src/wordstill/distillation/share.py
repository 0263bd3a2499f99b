"""Do a share of a run's shards and stop: for job arrays, for several machines on a shared folder, for xargs.

    wordstill distill ... --out run --shard 1/4       on each of four machines, in any order, any number of times
    wordstill distill ... --out run --resume          does what is missing, adds up, and finishes

Processes that work on one folder do not do the same shard at once. Folders that were worked on apart are brought
together by copying `run/unfinished/shards`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wordstill.distillation.checkpoint import load_record
from wordstill.distillation.counting import STANDARD_INPUT, corpus_paths
from wordstill.distillation.engines import LOCAL
from wordstill.distillation.job import missing_shards, stopped_gently
from wordstill.distillation.local import do_shards
from wordstill.distillation.opening import open_run
from wordstill.distillation.other_teachers import inner_settings
from wordstill.distillation.preparing import check_input
from wordstill.distillation.settings import DistillSettings, ExecutionSettings, read_keywords
from wordstill.distillation.shard_work import Pulse, ShardWork
from wordstill.distillation.shards import Shard
from wordstill.errors import InputError
from wordstill.system.threads import numpy_on_one_thread


@dataclass(frozen=True)
class Share:
    """Which part of the shards: the `number`-th, from 1, of `shares` equal ones."""

    number: int
    shares: int

    @classmethod
    def parse(cls, text: str) -> Share:
        """Read "2/8"."""
        found = re.fullmatch(r"(\d{1,6})/(\d{1,6})", text)
        share = cls(int(found[1]), int(found[2])) if found else cls(0, 0)
        if not 1 <= share.number <= share.shares:
            raise InputError(f"--shard takes I/N with I from 1 to N, as in 2/8, not {text!r}")
        return share

    def has(self, shard: Shard) -> bool:
        """Tell whether a shard is in it."""
        return shard.number % self.shares == self.number - 1


@dataclass(frozen=True)
class ShareRecord:
    """What became of a share."""

    done: list[str]
    """The shards that were done now."""
    missing: list[str]
    """The shards of the whole run that are still to be done, by this process or another one."""
    shards: int
    """All shards of the run."""

    def joined(self, label: str, other: ShareRecord) -> ShareRecord:
        """Return it with what became of the same share of another teacher's run."""
        done, missing = ([f"{label}/{name}" for name in names] for names in (other.done, other.missing))
        return ShareRecord([*self.done, *done], [*self.missing, *missing], self.shards + other.shards)


def distill_share(
    corpus: str | Path | Sequence[str | Path] = (),
    *,
    out: str | Path,
    share: str | Share,
    teacher: str | None = None,
    students: Sequence[str] | None = None,
    settings: DistillSettings | None = None,
    **options: Any,
) -> ShareRecord:
    """Do a share ("2/8": the second eighth) of the shards of a run, and stop; the arguments are those of `distill`.

    >>> distill_share("texts.txt", out="run-shared", share="1/1", teacher="minilm", students=["closed"]).missing
    []

    A share can be done again at any time: what is done of it is skipped, and what a dead process left is taken over.
    `distill(..., resume=True)` with the same arguments finishes the run.
    """
    settings, execution = read_keywords(settings, teacher, students, options)
    share = Share.parse(share) if isinstance(share, str) else share
    paths = corpus_paths(corpus)
    if STANDARD_INPUT in map(str, paths):
        raise InputError("standard input (-) cannot be shared out; write it to a file first")
    check_input(settings, paths)
    if execution.on != LOCAL.name:
        raise InputError(f"--shard does its share in this process; give it without --on {execution.on}")
    return _do_share(paths, Path(out), settings, execution, share)


def _do_share(
    paths: Sequence[str | Path], out: Path, settings: DistillSettings, execution: ExecutionSettings, share: Share
) -> ShareRecord:
    """Do a share of the shards of a run, and the same share of those of its other teachers."""
    chosen = check_input(settings, paths)
    with open_run(paths, out, settings, execution, chosen, engine=LOCAL, resume=True, shared=True) as run:
        if run.finished:
            return ShareRecord([], [], run.finished.record.shards)
        done: list[Shard] = []

        def note(shard: Shard, work: ShardWork | None = None) -> None:
            done.append(shard)

        pulse = Pulse(execution.checkpoint_seconds)
        with stopped_gently(pulse, str(out)), numpy_on_one_thread():
            folded = (load_record(run.state.checkpoint) or {"folded": 0})["folded"]
            missing = missing_shards(run.state, run.order, run.shards, folded)
            do_shards(run, [shard for shard in missing if share.has(shard)], pulse, note, shared=True)
        left = [shard.name for shard in missing if shard not in done]
        record = ShareRecord([shard.name for shard in done], left, len(run.shards))
        for label, inner in inner_settings(settings, run.order.vocabulary).items():
            record = record.joined(label, _do_share([], run.state.others / label, inner, execution, share))
        return record
