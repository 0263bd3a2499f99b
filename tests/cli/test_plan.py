"""Plans, called as the shell calls them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from wordstill.cli import main
from wordstill.planning.settings import PlannedRun

pytestmark = pytest.mark.slow


def test_a_plan_tells_hours_memory_and_disk(
    teacher: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("WORDSTILL_CACHE", str(tmp_path))
    call = ["plan", "--teacher", teacher, "--words", "1e9", "--vocabulary-size", "750,000", "--layer", "all"]
    call += [
        "--student",
        "aggregate,closed,x2static",
        "--seconds",
        "1",
        "--threads",
        "1",
        "--json",
        "--spread",
        "0",
        "--failures-per-hour",
        "0.5",
    ]
    assert main(call) == 0
    planned = json.loads(capsys.readouterr().out)
    rows = planned["hours"]
    assert [row["workers"] for row in rows] == [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1000]
    hours = [row["float32"]["hours"] for row in rows]
    assert rows[0]["float32"]["efficiency"] == 1
    assert all(
        row["float32"]["efficiency"] == pytest.approx(hours[0] / hours[place] / row["workers"], rel=0.01)
        for place, row in enumerate(rows)
    )
    # 1e9 words at the measured rates are at least what the teacher alone takes for them.
    rates = planned["measured"]
    assert hours[0] * 3600 >= 1e9 * rates["per_word"]["teacher"]
    # Learning after the pass is done on one machine, however many there are.
    assert hours[-1] * 3600 >= 1e9 * rates["replays"]["x2static"]
    assert set(rates["adding_up"]) == {"text", "vocabulary"}
    assert rates["adding_up"]["text"]["words"] == 55_000
    memory = planned["memory_bytes"]["driver"]
    assert memory["aggregate"] == pytest.approx(4 * 4 * 750_000 * 32, rel=0.1)  # layers 0 to 3
    assert memory["closed"] == pytest.approx(4 * 750_000 * 32, rel=0.1)
    assert memory["x2static"] == pytest.approx(8 * 750_000 * 32, rel=0.1)
    assert memory["total"] == sum(size for name, size in memory.items() if name != "total")
    worker = planned["memory_bytes"]["worker"]
    assert worker["aggregate"] == pytest.approx(4 * 4 * 55_000 * 32, rel=0.1)
    assert worker["x2static"] < memory["x2static"] / 10
    assert planned["disk_bytes"]["x2static"] > 4e9  # four bytes per word, and its contexts
    assert planned["disk_bytes"]["text"] == 2e9  # no more is kept of it
    assert planned["learns_after_the_pass"] == ["x2static"]
    assert planned["assumed"] == {"spread": 0.0, "failures_per_hour": 0.5, "shard_words": 1_000_000}
    assert 0 < rates["efficiency"] < 1


def test_a_plan_for_people_says_what_is_assumed(
    teacher: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("WORDSTILL_CACHE", str(tmp_path))
    assert main(["plan", "--teacher", teacher, "--words", "5e6", "--seconds", "1", "--threads", "1"]) == 0
    told = capsys.readouterr().out
    assert "an estimate: Wikipedia's growth" in told
    assert "--on ray" in told
    assert "--shard I/N" in told
    assert "Several workers are simulated" in told
    assert "what binds" in told
    assert "--measure" in told


def test_the_estimated_vocabulary_is_near_the_measured_one() -> None:
    for words, counted in ((250_000, 5_399), (1_000_000, 14_042), (5_000_000, 37_866)):
        assert PlannedRun(words).expected_vocabulary == pytest.approx(counted, rel=0.15)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--words", "many"], "'many' is no number"),
        (["--words", "inf"], "'inf' is no number"),
        (["--words", "0"], "--words must be between 1 and"),
        (["--words", "1e6", "--student", "agregate"], "there is no student 'agregate'"),
        (["--words", "1e6", "--teacher", "./nowhere"], "is no folder"),
        (["--words", "1e6", "--seconds", "0"], "--seconds must be between"),
        (["--words", "1e6", "--spread", "-1"], "--spread must be between"),
        (["--words", "1e6", "--failures-per-hour", "often"], "--failures-per-hour is a number, not 'often'"),
    ],
)
def test_wrong_usage_is_told_in_a_sentence(options: list[str], reason: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", "--teacher", "minilm", *options]) == 2
    assert reason in capsys.readouterr().err
