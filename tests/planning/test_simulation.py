"""The simulation of many workers, against cases whose outcome is known."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordstill.planning.simulation import PASS, ShardCost, Work, Workers, mean_with_failures, simulate, what_binds

SECONDS = st.floats(0, 1e4)
SHARDS = st.lists(st.builds(ShardCost, st.floats(0.1, 1e4), st.floats(0, 100), st.floats(0, 100)), max_size=60)
WORKS = st.builds(Work, SHARDS, SECONDS, SECONDS, st.just(0.0), SECONDS, SECONDS)


def alike(shards: int, doing: float = 100.0, adding: float = 0.0) -> list[ShardCost]:
    return [ShardCost(doing, adding / 2, adding / 2)] * shards


@given(WORKS)
def test_one_worker_takes_the_sum_of_all_parts(work: Work) -> None:
    shards = sum(shard.doing + shard.merging for shard in work.shards)
    parts = work.counting + work.starting + shards + work.replays + work.finishing
    assert simulate(work, Workers(1)).seconds == pytest.approx(parts)


@given(st.integers(1, 300), st.integers(2, 400), st.floats(1, 1e4), SECONDS)
def test_equal_workers_go_in_waves(shards: int, workers: int, doing: float, starting: float) -> None:
    found = simulate(Work(alike(shards, doing), starting), Workers(workers))
    assert found.seconds == pytest.approx(starting + math.ceil(shards / workers) * doing)


@given(st.integers(1, 300), st.floats(0.1, 100), st.integers(2, 400))
def test_a_slow_driver_adds_up_shard_after_shard(shards: int, adding: float, workers: int) -> None:
    """Workers that finish shards faster than the driver can add them up do not matter, but for the first shard."""
    doing = adding * min(workers, shards) / 2
    found = simulate(Work(alike(shards, doing, adding)), Workers(workers))
    assert found.seconds == pytest.approx(doing + shards * adding)
    assert found.most_waiting >= min(workers, shards)


@given(WORKS, st.integers(2, 200))
def test_more_workers_never_take_longer(work: Work, workers: int) -> None:
    fewer, more = (simulate(work, Workers(number)).seconds for number in (workers, workers + 1))
    assert more <= fewer * (1 + 1e-9)


@given(WORKS, st.integers(2, 50), st.floats(1, 3))
def test_more_work_never_takes_less_time(work: Work, workers: int, times: float) -> None:
    seconds = simulate(work, Workers(workers)).seconds
    for larger in (
        replace(work, shards=[ShardCost(shard.doing * times, *shard[1:]) for shard in work.shards]),
        replace(work, shards=[ShardCost(shard.doing, *(times * part for part in shard[1:])) for shard in work.shards]),
        replace(work, starting=work.starting * times),
        replace(work, replays=work.replays * times),
    ):
        assert simulate(larger, Workers(workers)).seconds >= seconds * (1 - 1e-9)


@given(WORKS, st.integers(2, 200), st.floats(0, 0.5))
def test_no_run_is_faster_than_its_parts_allow(work: Work, number: int, spread: float) -> None:
    workers = Workers(number, spread)
    found = simulate(work, workers).seconds
    pass_ = sum(shard.doing for shard in work.shards) / sum(1 / slow for slow in workers.slowness())
    adding = sum(shard.reading + shard.merging for shard in work.shards)
    fixed = work.counting / number + work.starting + work.replays + work.finishing
    assert found >= (fixed + max(pass_, adding)) * (1 - 1e-9)


@pytest.mark.parametrize(("rate", "starting"), [(1.0, 0.0), (1.0, 600.0), (5.0, 60.0)])
def test_failures_cost_what_they_should_in_the_mean(rate: float, starting: float) -> None:
    """A shard of d seconds that is begun again at every failure takes (e^(rd) - 1) (1/r + the time to be back)."""
    doing, shards = 900.0, 4000
    found = simulate(Work(alike(shards, doing), starting), Workers(1, failures_per_hour=rate))
    per_second = rate / 3600
    again = math.expm1(per_second * doing)
    mean = again * (1 / per_second + starting)
    assert found.seconds == pytest.approx(starting + shards * mean, rel=0.06)
    assert found.failures == pytest.approx(shards * again, rel=0.1)
    assert mean_with_failures(doing, starting, rate) == pytest.approx(mean)
    assert mean_with_failures(doing, starting, 0.0) == doing


def test_the_shard_of_a_failed_worker_is_done_by_another_one() -> None:
    """A worker that is not back for a year holds nobody up."""
    workers = Workers(200, failures_per_hour=1.0)
    year = 365 * 24 * 3600.0
    found = simulate(Work(alike(400, 900.0), year), workers)
    assert found.failures > 0
    assert found.seconds < 1.001 * year


def test_a_shard_that_failed_comes_before_all_others() -> None:
    """What is behind it waits for it, so it is begun again at once."""
    found = simulate(Work(alike(1000, 900.0), 60.0), Workers(2, failures_per_hour=0.2))
    assert found.failures > 20
    assert found.most_waiting < 10


def test_workers_spread_around_the_usual_speed() -> None:
    logarithms = np.log(Workers(5000, spread=0.2).slowness())
    assert logarithms.std() == pytest.approx(0.2, rel=0.05)
    assert abs(np.median(logarithms)) < 0.02
    # Fast and slow ones together do about as much as as many of usual speed.
    even, spread = (simulate(Work(alike(20_000)), Workers(40, spread)).seconds for spread in (0.0, 0.1))
    assert spread == pytest.approx(even, rel=0.05)


def test_counting_is_shared_out_as_far_as_the_driver_can_follow() -> None:
    work = Work([], counting=1000.0, counting_on_driver=50.0)
    assert [simulate(work, Workers(number)).seconds for number in (1, 10, 100)] == [1000.0, 100.0, 50.0]


def test_the_same_seed_gives_the_same_run() -> None:
    work, workers = Work(alike(300, 900.0, 1.0), 30.0), Workers(40, 0.2, 0.5)
    assert simulate(work, workers) == simulate(work, workers)
    assert simulate(work, workers) != simulate(work, replace(workers, seed=1))


SMALL = Work(alike(1000), starting=1.0, counting=10.0, replays=1.0, finishing=1.0)


@pytest.mark.parametrize(
    ("work", "workers", "cause"),
    [
        (SMALL, Workers(1), PASS),
        (SMALL, Workers(100), PASS),
        (SMALL, Workers(999), "number of shards"),
        (replace(SMALL, shards=alike(1000, adding=5.0)), Workers(100), "adding up"),
        (replace(SMALL, replays=5000.0), Workers(100), "replays"),
        (replace(SMALL, finishing=5000.0), Workers(100), "finishing"),
        (replace(SMALL, starting=5000.0), Workers(100), "loading"),
        (replace(SMALL, counting_on_driver=5000.0), Workers(100), "counting"),
        (replace(SMALL, shards=alike(1000, 7200.0)), Workers(10, failures_per_hour=0.5), "failures"),
        (replace(SMALL, shards=alike(100)), Workers(100, 0.5), "slow workers"),
    ],
)
def test_what_holds_a_run_up_is_named(work: Work, workers: Workers, cause: str) -> None:
    assert what_binds(work, workers, simulate(work, workers).seconds) == cause
