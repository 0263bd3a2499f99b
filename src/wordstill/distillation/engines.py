"""Where the shards of a run are done: in this process, or on a Ray cluster. A new engine is one more class here."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol

from wordstill.distillation.counting import InOrder
from wordstill.distillation.local import Done, do_shards
from wordstill.distillation.opening import OpenRun, in_processes
from wordstill.distillation.shard_work import Pulse
from wordstill.distillation.shards import Shard
from wordstill.system.workers import counting_workers


class Engine(Protocol):
    """Finds words, says how many threads a process computes with, and does shards."""

    name: str

    def segmenting(self, workers: int | None) -> InOrder:
        """Return how words are found and counted."""

    def threads(self, asked: int | None) -> int | None:
        """Return the threads of each process that does shards; None: as many as torch likes here."""

    def do_shards(self, run: OpenRun, shards: Sequence[Shard], pulse: Pulse, done: Done) -> None:
        """Do shards, given in their order."""


class Local:
    """This process, and a few that read ahead of it."""

    name = "local"

    def segmenting(self, workers: int | None) -> InOrder:
        """Count with all cores."""
        return in_processes(counting_workers() if workers is None else workers)

    def threads(self, asked: int | None) -> int | None:
        """Take what was asked for."""
        return asked

    def do_shards(self, run: OpenRun, shards: Sequence[Shard], pulse: Pulse, done: Done) -> None:
        """Do one shard after the other."""
        do_shards(run, shards, pulse, done)


class OnRay:
    """A Ray cluster that is connected."""

    name = "ray"

    def segmenting(self, workers: int | None) -> InOrder:
        """Count on the whole cluster."""
        from wordstill.distillation.ray_cluster import spread

        return spread

    def threads(self, asked: int | None) -> int:
        """Take what was asked for, or the cores of the smallest machine."""
        from wordstill.distillation.ray_cluster import threads_for

        return threads_for(asked)

    def do_shards(self, run: OpenRun, shards: Sequence[Shard], pulse: Pulse, done: Done) -> None:
        """Do as many shards at once as there are workers."""
        from wordstill.distillation.ray_shards import do_shards_on_ray

        do_shards_on_ray(run, shards, pulse, done)


LOCAL = Local()


@contextmanager
def engine_for(where: str) -> Iterator[Engine]:
    """Yield the engine that `--on` names, connected."""
    if where == LOCAL.name:
        yield LOCAL
        return
    from wordstill.distillation.ray_cluster import connected

    with connected(where):
        yield OnRay()
