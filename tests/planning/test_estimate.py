"""Estimates from given rates, against sums done by hand."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from wordstill.distillation.settings import DistillSettings
from wordstill.errors import InputError
from wordstill.planning.adding_up import Adding, planned_order
from wordstill.planning.estimate import Estimate
from wordstill.planning.finishing import Finishing
from wordstill.planning.rates import Rates
from wordstill.planning.settings import PlannedRun
from wordstill.planning.teacher_speed import Speed

PLAIN, FAST = Speed(4000.0, 1.0, 0.0, "now"), Speed(8000.0, 2.0, 30.0, "before")
RATES = Rates(
    words=10_000,
    tokens_a_word=1.3,
    sentences_a_word=0.05,
    counting=1e-6,
    counting_on_driver=1e-7,
    per_word={"read": 1e-5, "teacher": 3e-4, "pooling": 1e-5, "keeping": 0.0},
    students={"aggregate": 1e-5},
    replays={"aggregate": 0.0},
    alone=1e-3,
    starting=0.0,
    loading=5.0,
    process_bytes=10**9,
)
ADDING = {
    "text": Adding(words=55_000, bytes=90_000_000, saving=0.5, reading=0.3, merging=0.1),
    "vocabulary": Adding(words=16_384, bytes=50_000_000, saving=0.2, reading=0.1, merging=0.05),
}


def estimate(words: int = 100_000_000, rates: Rates = RATES, **settings: Any) -> Estimate:
    own = {name: settings.pop(name) for name in ("spread", "failures_per_hour") if name in settings}
    run = DistillSettings(**settings)
    planned = PlannedRun(words, 163_840, run=run, **{"spread": 0.0, "failures_per_hour": 0.0, **own})
    teacher: Any = SimpleNamespace(width=384, layers=6, layer=lambda number: number)
    return Estimate(planned, planned_order(planned, teacher), rates, ADDING, Finishing(10.0, 1e-4))


def test_one_worker_takes_what_all_parts_take() -> None:
    found = estimate()
    text = 100 * (1e6 * 3.3e-4 + 0.5 + 0.1)
    alone = 10 * (16_384 * 1e-3 + 0.2 + 0.05)
    # The sum (the student, and the words alone) is saved once in as many bytes of shards.
    assert found.waiting_bytes == max(1_000_000_000, found.sum_bytes)
    saving = (100 * 0.5 + 10 * 0.2) * found.sum_bytes / found.waiting_bytes
    finishing = 10 + 163_840 * 1e-4
    expected = 5 + 100 + text + alone + saving + finishing
    assert found.on_workers(PLAIN, 1).seconds == pytest.approx(expected)


def test_a_faster_teacher_saves_its_own_time_alone() -> None:
    found = estimate()
    saved = found.on_workers(PLAIN, 1).seconds - found.on_workers(FAST, 1).seconds
    assert saved == pytest.approx(1e8 * 1.5e-4 + 163_840 * 0.5e-3 - 30.0)


def test_text_that_is_not_kept_is_segmented_again() -> None:
    """Two gigabytes are kept: 250 million words."""
    few, many = (estimate(words).work(PLAIN).shards[0].doing for words in (250_000_000, 1_000_000_000))
    assert many - few == pytest.approx(1e6 * 1e-6 * 0.75)


def test_what_is_learned_after_the_pass_is_not_shared_out() -> None:
    rates = replace(RATES, replays={"x2static": 1e-4}, students={"x2static": 1e-5}, starting=7.0)
    found = estimate(rates=rates, students=("x2static",))
    assert found.on_workers(PLAIN, 1000).seconds >= 1e8 * 1e-4 + 7 + found.disk(0)["x2static"] * 0.3 / 90e6
    assert found.on_workers(PLAIN, 1000).binds == "replays"
    assert found.on_workers(PLAIN, 1).binds == "the pass"


def test_ten_workers_without_spread_go_in_ten_waves() -> None:
    found, work = estimate(), estimate().work(PLAIN)
    text, alone = work.shards[0], work.shards[-1]
    assert (len(work.shards), text.doing, alone.doing) == (110, pytest.approx(330.5), pytest.approx(16.584))
    last = 10 * text.doing + alone.doing + 10 * (alone.reading + alone.merging)
    outcome = found.on_workers(PLAIN, 10)
    assert outcome.seconds == pytest.approx(5 + 10 + last + 10 + 16.384, rel=0.01)
    assert 0.9 < outcome.efficiency < 1


def test_a_run_that_would_never_end_is_refused() -> None:
    with pytest.raises(InputError, match="hardly ever finishes one; give fewer --shard-words"):
        estimate(failures_per_hour=100.0).on_workers(PLAIN, 2)
    assert estimate(failures_per_hour=100.0, shard_words=100_000).on_workers(PLAIN, 2).seconds > 0


def test_a_corpus_of_any_size_can_be_planned() -> None:
    found = estimate(10**17)
    assert len(found.work(PLAIN).shards) <= 5_010
    assert found.on_workers(PLAIN, 16).seconds == pytest.approx(1e17 * 3.32e-4 / 16, rel=0.01)
    # A failure loses one shard, not all that are simulated as one.
    failing = estimate(10**17, failures_per_hour=1.0).on_workers(PLAIN, 16)
    assert 1.04 < failing.seconds / found.on_workers(PLAIN, 16).seconds < 1.07


def test_only_the_kinds_of_shards_that_a_run_has_are_done() -> None:
    found = estimate()
    without = replace(found, adding={"text": ADDING["text"]})
    assert (len(found.work(PLAIN).shards), len(without.work(PLAIN).shards)) == (110, 100)


def test_a_worker_has_the_words_of_a_shard_and_the_driver_all() -> None:
    found = estimate()
    driver, worker = found.memory_of_driver(), found.memory_of_worker()
    assert driver["aggregate"] == 163_840 * (4 * 384 + 8)
    assert worker["aggregate"] == 55_000 * (4 * 384 + 8)
    assert driver["words alone"] == 4 * 163_840 * 2 * 384
    assert worker["words alone"] == 4 * 16_384 * 2 * 384
    for sizes in (driver, worker):
        assert sizes["total"] == sum(size for name, size in sizes.items() if name != "total")


def test_shards_that_wait_lie_on_the_disk() -> None:
    found = estimate()
    few, many = found.disk(0), found.disk(20)
    assert many["shards"] - few["shards"] == 20 * 90_000_000
    assert few["shards"] == found.waiting_bytes
    assert found.disk(10**6)["shards"] == 100 * 90_000_000 + 10 * 50_000_000  # no more than there are
    assert few["sum of the shards"] == 2 * found.sum_bytes
    assert estimate(1_000_000, rare="leave").disk(0)["shards"] <= 90_000_000 + 10 * 50_000_000
    assert estimate(1_000_000).disk(0)["sum of the shards"] == 0  # it is never saved


@pytest.mark.parametrize(("words", "shard_words", "expected"), [(10**9, 10**6, 55_000), (10**9, 10**5, 13_815)])
def test_the_words_of_a_shard_are_near_the_measured_ones(words: int, shard_words: int, expected: int) -> None:
    run = PlannedRun(words, 750_000, run=DistillSettings(shard_words=shard_words))
    assert run.words_of_a_shard == expected
    counted = {10**6: 55_034, 10**5: 13_530}[shard_words]
    assert run.words_of_a_shard == pytest.approx(counted, rel=0.05)
    assert replace(run, vocabulary_size=1000).words_of_a_shard == 1000
    assert replace(run, total_words=10).words_of_a_shard <= 10
