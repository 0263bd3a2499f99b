"""Plans, called as the shell calls them; and the sizes they count with, against real states."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest

from wordstill.cli import main
from wordstill.planning.plan import divides
from wordstill.planning.settings import PlannedRun
from wordstill.planning.state_size import state_size, states
from wordstill.students.registry import STUDENTS, Chosen, choose_students

pytestmark = pytest.mark.slow

# The table in docs/students.md: numbers of four bytes, by V words, w the teacher's width, d dimensions.
FORMULAS = {
    ("aggregate", ""): lambda V, w: 4 * V * w,
    ("principal", ""): lambda V, w: 4 * V * w,
    ("closed", ""): lambda V, w: 4 * V * w + 8 * w * w,
    ("x2static", ""): lambda V, w: 8 * V * w,
    ("dynamic-skipgram", ""): lambda V, w: 8 * V * w,
    ("context-to-vec", ""): lambda V, w: 8 * V * w,
    ("x2static", "paper"): lambda V, w: 12 * V * w,
    ("dynamic-skipgram", "paper"): lambda V, w: 4 * V * 300,
    ("context-to-vec", "paper"): lambda V, w: 4 * V * 300,
    ("alone", ""): lambda V, w: 4 * V * w,
    ("table", ""): lambda V, w: 4 * V * w,
}


def chosen(name: str, preset: str = "", **options: str) -> Chosen:
    given = {**options, **({"preset": preset} if preset else {})}
    return choose_students([name], {name: given} if given else {})[name]


@pytest.mark.parametrize(("name", "preset"), FORMULAS, ids=lambda part: part or "default")
def test_the_size_of_a_state_is_that_of_a_real_one(name: str, preset: str) -> None:
    one = chosen(name, preset)
    words, width = 700, 310
    real = max(states(one, words, width))
    assert state_size(one).bytes(words, width) == real


@pytest.mark.parametrize(("name", "preset"), FORMULAS, ids=lambda part: part or "default")
def test_the_sizes_in_the_documentation_are_right(name: str, preset: str) -> None:
    words, width = 750_000, 768
    size = state_size(chosen(name, preset)).bytes(words, width)
    expected = FORMULAS[name, preset](words, width)
    # Besides the tables no more than 60 bytes per word, and a few matrices of the teacher's width.
    assert expected <= size <= expected + 60 * words + 32 * width * width


def test_a_student_that_narrows_is_largest_in_the_teachers_pass() -> None:
    one = chosen("dynamic-skipgram", dimensions="40")
    assert state_size(one).bytes(500, 200) == max(states(one, 500, 200)) > 4 * 500 * 200


def test_every_student_is_known_to_divide_or_not() -> None:
    assert [name for name in STUDENTS if divides(chosen(name))] == ["aggregate", "closed"]


def test_a_plan_tells_hours_memory_and_disk(
    teacher: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("WORDSTILL_CACHE", str(tmp_path))
    call = ["plan", "--teacher", teacher, "--words", "1e9", "--vocabulary-size", "750,000", "--layer", "all"]
    call += ["--student", "aggregate,closed,x2static", "--seconds", "1", "--threads", "1", "--json"]
    assert main(call) == 0
    planned = json.loads(capsys.readouterr().out)
    assert [row["machines"] for row in planned["hours"]] == [1, 2, 4, 8, 16, 32, 64]
    hours = [row["hours"]["float32"] for row in planned["hours"]]
    assert all(later < earlier for earlier, later in pairwise(hours))
    assert hours[-1] >= hours[0] / 64
    # 1e9 words at the measured rates are at least what the teacher alone takes for them.
    rates = planned["measured"]
    assert hours[0] * 3600 >= 1e9 * rates["per_word"]["teacher"]
    memory = planned["memory_bytes"]
    assert memory["aggregate"] == pytest.approx(4 * 4 * 750_000 * 32, rel=0.1)  # layers 0 to 3
    assert memory["closed"] == pytest.approx(4 * 750_000 * 32, rel=0.1)
    assert memory["x2static"] == pytest.approx(8 * 750_000 * 32, rel=0.1)
    assert memory["total"] == sum(size for name, size in memory.items() if name != "total")
    assert planned["disk_bytes"]["x2static"] > 4e9  # four bytes per word, and its contexts
    assert planned["disk_bytes"]["text"] == 2e9  # no more is kept of it
    assert planned["divides"] == {"aggregate": True, "closed": True, "x2static": False}
    assert 0 < rates["efficiency"] < 1


def test_a_plan_for_people_says_what_is_assumed(
    teacher: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("WORDSTILL_CACHE", str(tmp_path))
    assert main(["plan", "--teacher", teacher, "--words", "5e6", "--seconds", "1", "--threads", "1"]) == 0
    told = capsys.readouterr().out
    assert "an estimate: Wikipedia's growth" in told
    assert "wordstill itself runs on one machine today" in told
    assert "1 Gbit/s" in told
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
    ],
)
def test_wrong_usage_is_told_in_a_sentence(options: list[str], reason: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", "--teacher", "minilm", *options]) == 2
    assert reason in capsys.readouterr().err
