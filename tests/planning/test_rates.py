"""Rates, worked out from the records of two runs, and what they are measured with."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from wordstill.corpus.vocabulary import VocabularySettings
from wordstill.distillation.run_record import CorpusRecord, RunRecord, StudentRecord, TimeRecord
from wordstill.distillation.settings import DistillSettings
from wordstill.planning.adding_up import measure_adding, planned_order
from wordstill.planning.finishing import measure_finishing
from wordstill.planning.made_text import made_word, write_made_text
from wordstill.planning.rates import CountingSpeed, MeasuredRun, measure_counting, measure_run, rates_of
from wordstill.planning.replaying import measure_replays
from wordstill.planning.settings import PlannedRun
from wordstill.students.student import Needs

NEEDS = {
    "aggregate": Needs("words", (3,)),
    "x2static": Needs("sentences", (3,), replays=1, keeps="contexts"),
    "alone": Needs("alone", (3,)),
}

REPLAYS = {"aggregate": 0.0, "x2static": 4e-4, "alone": 0.0}


def a_run(words: int) -> MeasuredRun:
    """Make a run whose parts take known seconds per word."""
    shards = {
        "teacher": 1e-3 * words,
        "read": 1e-4 * words,
        "students.aggregate": 2e-4 * words,
        "students.x2static": 3e-4 * words,
        "students.alone": 0.5,
        "alone": 1.5,
        "other": 1e-5 * words,
    }
    students = {"aggregate": 2e-4 * words + 0.25, "x2static": 3e-4 * words + 4e-4 * words + 2.0, "alone": 0.6}
    record = RunRecord(
        settings={},
        corpus=CorpusRecord(words=words, sentences=words // 10, vocabulary=1000),
        students={name: StudentRecord(name, words=1000, dimensions=8) for name in NEEDS},
        tokens=2 * words,
        seconds=TimeRecord(
            0.0, {"other": 1.0 + 1e-5 * words + 5e-6 * words, "loading": 2.0, "preparing": 1.0}, students
        ),
    )
    return MeasuredRun(record, shards)


def test_what_grows_with_the_text_is_told_from_what_does_not() -> None:
    rates = rates_of(a_run(8_000), NEEDS, REPLAYS, CountingSpeed(1e-5, 1e-6))
    assert rates.per_word == pytest.approx(
        {"teacher": 1e-3, "read": 1e-4, "pooling": 0.0, "keeping": 0.0, "other": 1e-5}
    )
    assert rates.students == pytest.approx({"aggregate": 2e-4, "x2static": 3e-4, "alone": 0.0})
    assert rates.replays == pytest.approx({"aggregate": 0.0, "x2static": 4e-4, "alone": 0.0})
    assert rates.starting == pytest.approx(2.0)
    assert rates.alone == pytest.approx(2e-3)
    assert rates.loading == 3.0
    assert (rates.counting, rates.counting_on_driver) == pytest.approx((1e-5, 1e-6))


@pytest.mark.slow
def test_the_seconds_of_shards_are_part_of_those_of_the_run(teacher: str, tmp_path: Path) -> None:
    text = write_made_text(tmp_path / "text", 3_000)
    words = VocabularySettings(min_count=1, forced=("unseen",))
    settings = DistillSettings(teacher=teacher, students=("aggregate", "x2static"), threads=1, vocabulary=words)
    run = measure_run([str(text)], tmp_path / "run", settings)
    assert run.record.finished
    assert {"teacher", "read", "alone", "students.aggregate", "students.x2static"} <= set(run.shards)
    for part in ("teacher", "read", "alone"):
        assert run.record.seconds.parts[part] == pytest.approx(run.shards[part], abs=0.002)
    for name, spent in run.record.seconds.students.items():
        assert spent > run.shards[f"students.{name}"] - 0.002


def test_counting_besides_finding_words_takes_a_part_of_it(tmp_path: Path) -> None:
    text = write_made_text(tmp_path / "text", 30_000)
    found = measure_counting([str(text)], tmp_path / "kept", DistillSettings())
    assert 0 < found.on_driver < found.machine
    assert (tmp_path / "kept").stat().st_size > 4 * 30_000  # the text was kept, as in a run


@pytest.mark.parametrize(
    ("students", "rare", "kinds"),
    [
        (("aggregate", "closed"), "mix", {"text", "vocabulary"}),
        (("aggregate",), "leave", {"text"}),
        (("alone",), "mix", {"vocabulary"}),
    ],
)
def test_a_shard_of_each_kind_is_written_and_read(
    students: tuple[str, ...], rare: Any, kinds: set[str], tmp_path: Path
) -> None:
    planned = PlannedRun(10**9, 60_000, run=DistillSettings(students=students, rare=rare))
    teacher: Any = SimpleNamespace(width=16, layers=2, layer=lambda number: number)
    order = planned_order(planned, teacher)
    found = measure_adding(planned, order, tmp_path)
    assert set(found) == kinds
    # Rows of a shard's words: one table per student; for words alone the first layer and the last.
    columns = {"text": 16 * len(students), "vocabulary": 32 * (rare == "mix" and "alone" not in students) or 16}
    for kind, adding in found.items():
        assert adding.words == {"text": 55_000, "vocabulary": 16_384}[kind]
        assert adding.bytes == pytest.approx(4 * columns[kind] * adding.words, rel=0.5)
        assert adding.bytes > 4 * columns[kind] * adding.words
        assert min(adding.saving, adding.reading, adding.merging) > 0


def test_the_end_of_a_run_is_measured(tmp_path: Path) -> None:
    planned = PlannedRun(10**9, 60_000, run=DistillSettings(students=("aggregate", "closed")))
    teacher: Any = SimpleNamespace(width=16, layers=2, layer=lambda number: number)
    found = measure_finishing(planned_order(planned, teacher), 1.0, tmp_path)
    assert found.seconds(60_000) >= found.seconds(2_000) > 0
    assert (tmp_path / "2000" / "closed").is_dir()


def test_learning_after_the_pass_is_measured_where_there_is_any() -> None:
    run = DistillSettings(students=("closed", "x2static", "dynamic-skipgram"))
    teacher: Any = SimpleNamespace(width=16, layers=2, layer=lambda number: number)
    found = measure_replays(planned_order(PlannedRun(10**9, 5_000, run=run), teacher))
    assert found["closed"] == 0
    assert min(found["x2static"], found["dynamic-skipgram"]) > 0


def test_every_made_word_is_another_one() -> None:
    assert len({made_word(number) for number in range(24_000)}) == 24_000
    assert np.mean([len(made_word(number)) for number in range(1000)]) > 4
