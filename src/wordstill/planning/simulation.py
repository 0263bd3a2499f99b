"""A model of a run on many machines: workers that do shards, and one driver that adds them up.

    counting     on all workers, as fast as the driver can add up their counts
    starting     every worker loads the teacher
    shards       a worker that is free takes the next shard; one that fails loses its shard so far, which the next free
                 worker begins again, and is back when it has loaded the teacher once more
    adding up    the driver adds up finished shards in their order, one at a time, beside the workers
    replays      students that learn after the pass do so on one machine
    finishing    the vectors are made and written on one machine

Events are drawn from a seed, so that the same run takes as long each time.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

HOUR = 3600.0


class ShardCost(NamedTuple):
    """The seconds of one shard."""

    doing: float
    """On a worker of usual speed, with writing what it contributes."""
    reading: float
    """For the driver to read what another process wrote."""
    merging: float
    """For the driver to add it up."""


@dataclass(frozen=True)
class Work:
    """What a run is made of, in seconds on this machine."""

    shards: Sequence[ShardCost]
    """In their order: first those of the text, then those of the vocabulary."""
    starting: float = 0.0
    """Until a worker can begin its first shard."""
    counting: float = 0.0
    """Counting the words on one machine."""
    counting_on_driver: float = 0.0
    """The part of it that the driver does itself, however many workers there are."""
    replays: float = 0.0
    finishing: float = 0.0

    def finer(self, times: int) -> Work:
        """Return the same work in smaller shards."""
        parts = [ShardCost(*(seconds / times for seconds in shard)) for shard in self.shards for _ in range(times)]
        return replace(self, shards=parts)


@dataclass(frozen=True)
class Workers:
    """Who does the work."""

    number: int
    spread: float = 0.0
    """The standard deviation of the logarithm of a worker's seconds: at 0.1 most are within a tenth of the usual."""
    failures_per_hour: float = 0.0
    """Of one worker, while it does a shard."""
    seed: int = 0

    def slowness(self) -> list[float]:
        """Return how many times as long as usual each worker takes; the median is 1."""
        drawn = np.random.default_rng([self.seed, 0]).standard_normal(self.number)
        slowness: list[float] = np.exp(self.spread * drawn).tolist()
        return slowness


class Simulated(NamedTuple):
    """What became of a run."""

    seconds: float
    failures: int
    most_waiting: int
    """The most shards that were finished and not added up yet."""


def simulate(work: Work, workers: Workers) -> Simulated:
    """Work out how long a run takes.

    One worker is a process that does everything itself: it adds up what it still has in memory.
    """
    if workers.number == 1:
        own = [ShardCost(shard.doing + shard.merging, 0.0, 0.0) for shard in work.shards]
        work = replace(work, shards=own, counting_on_driver=0.0)
    counted = max(work.counting / workers.number, work.counting_on_driver)
    done, failures = _do_shards(work, workers)
    added, now = [], 0.0
    for shard, finished in zip(work.shards, done, strict=True):
        now = max(now, finished) + shard.reading + shard.merging
        added.append(now)
    end = max(now, work.starting)
    return Simulated(counted + end + work.replays + work.finishing, failures, _most_waiting(done, added))


def _do_shards(work: Work, workers: Workers) -> tuple[list[float], int]:
    """Return when each shard is finished, counted from the end of counting, and the number of failures."""
    random = np.random.default_rng([workers.seed, 1])
    per_second = workers.failures_per_hour / HOUR
    slowness = workers.slowness()
    todo = list(range(len(work.shards)))  # a heap: what failed comes first, as nothing behind it can be added up
    done, failures = [0.0] * len(todo), 0
    idle: list[int] = []
    # (when, a number that makes ties go by age, the worker, its shard or -1, whether it failed)
    events = [(work.starting, worker, worker, -1, False) for worker in range(workers.number)]
    number = len(events)
    left = len(todo)
    while left:
        now, _, worker, shard, failed = heapq.heappop(events)
        if failed:
            failures += 1
            heapq.heappush(todo, shard)
            heapq.heappush(events, (now + work.starting, number, worker, -1, False))
            number += 1
        else:
            idle.append(worker)
            if shard >= 0:
                done[shard] = now
                left -= 1
        while todo and idle:
            worker, shard = idle.pop(), heapq.heappop(todo)
            takes = work.shards[shard].doing * slowness[worker]
            fails_after = random.exponential(1 / per_second) if per_second else math.inf
            heapq.heappush(events, (now + min(takes, fails_after), number, worker, shard, fails_after < takes))
            number += 1
    return done, failures


def _most_waiting(done: Sequence[float], added: Sequence[float]) -> int:
    """Return the most shards that are finished and not added up at one time."""
    changes = sorted([(when, 1) for when in done] + [(when, -1) for when in added])
    return int(np.cumsum([change for _, change in changes]).max(initial=0))


def mean_with_failures(doing: float, starting: float, failures_per_hour: float) -> float:
    """Return the seconds that a shard takes in the mean where it is begun again, by one worker, at every failure."""
    if not failures_per_hour:
        return doing
    per_second = failures_per_hour / HOUR
    return math.expm1(per_second * doing) * (1 / per_second + starting)


# ---------------------------------------------------------------- what holds a run up

PASS = "the pass"
# What saves less of a run's time than this does not hold it up.
LEAST = 0.05
FINER = 8


def without(work: Work, workers: Workers) -> dict[str, tuple[Work, Workers]]:
    """Return the run without each of the things that keep it from being shared out evenly."""
    free = [ShardCost(shard.doing, 0.0, 0.0) for shard in work.shards]
    return {
        "counting": (replace(work, counting=0.0, counting_on_driver=0.0), workers),
        "loading": (replace(work, starting=0.0), workers),
        "adding up": (replace(work, shards=free), workers),
        "number of shards": (work.finer(FINER), workers),
        "slow workers": (work, replace(workers, spread=0.0)),
        "failures": (work, replace(workers, failures_per_hour=0.0)),
        "replays": (replace(work, replays=0.0), workers),
        "finishing": (replace(work, finishing=0.0), workers),
    }


def what_binds(work: Work, workers: Workers, seconds: float) -> str:
    """Name what the run would gain most from if it took no time; `PASS` where that is the shards themselves.

    `seconds` is what the run takes.
    """
    if workers.number == 1:
        return PASS
    saved = {name: seconds - simulate(*other).seconds for name, other in without(work, workers).items()}
    cause = max(saved, key=saved.__getitem__)
    return cause if saved[cause] >= LEAST * seconds else PASS
