"""A task is one file and one line of the registry: everything else comes from these."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from wordstill import WordVectors, evaluate
from wordstill.cli import main
from wordstill.errors import InputError
from wordstill.evaluation import EvaluationSettings
from wordstill.evaluation.datasets import DATASETS, Dataset, File
from wordstill.evaluation.intervals import Mean
from wordstill.evaluation.results import Part
from wordstill.evaluation.space import Space
from wordstill.evaluation.split import Split, half
from wordstill.evaluation.tasks import TASKS, all_tasks
from wordstill.evaluation.tasks.task import Judgement, Task, judgement


def read_words(path: Path) -> list[str]:
    """Read the words of a file that begins with `toys`."""
    return path.read_text().split("\n")[1:]


def halve(words: list[str], split: Split) -> list[str]:
    return [word for word, here in zip(words, half(([word] for word in words), split), strict=True) if here]


def judge(space: Space, words: list[str], settings: EvaluationSettings) -> Judgement:
    """Judge a space by the share of its words whose first number is positive."""
    rows = space.find(words)
    values = np.where(rows >= 0, space.matrix[rows, 0] > 0, np.nan)
    first = Part("first", 1.0, 1.0, 1, 1)
    return judgement(Mean(values), rows >= 0, (first, Part("hidden", 0.0, 0.0, 1, 1)))


TOY = Task(
    name="toy",
    title="Toys for testing",
    metric="share",
    about="the share of words that play",
    missing="plays not",
    read=read_words,
    halve=halve,
    judge=judge,
    recognizes=lambda line, fields: fields == ["toys"],
    main_parts=("first",),
    cell=lambda score: f"{score:.3f} toys",
)
VECTORS = WordVectors(["a", "b", "c", "d"], np.array([[1.0, 2], [1, 0], [-1, 1], [0, 1]]))


def register(monkeypatch: pytest.MonkeyPatch, task: Task) -> None:
    """Put a task's module and its line where those of the package are."""
    module = ModuleType("toy_task")
    module.TASK = task  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "toy_task", module)
    monkeypatch.setitem(TASKS, task.name, "toy_task")


@pytest.fixture
def words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    register(monkeypatch, TOY)
    (tmp_path / "words.txt").write_text("toys\na\nb\nc\nmissing")
    return tmp_path / "words.txt"


def test_a_registered_task_is_judged_by_its_own_rules(words: Path) -> None:
    for dataset in (words, f"toy:{words}"):
        (result,) = evaluate(VECTORS, datasets=[dataset])
        assert (result.task, result.metric, result.covered, result.items) == ("toy", "share", 3, 4)
        assert (result.score, result.score_all) == (2 / 3, 0.5)
    halves = [evaluate(VECTORS, datasets=[words], split=split)[0].items for split in ("dev", "test")]
    assert sum(halves) == 4


def test_its_scores_and_main_parts_stand_in_the_table_as_it_writes_them(words: Path) -> None:
    results = evaluate(VECTORS, datasets=[words])
    table = results.table()
    assert "0.667 toys" in table
    assert "0.500 toys" in table
    assert "first" in table
    assert "hidden" not in table
    assert "hidden" in results.table(parts=True)
    assert "0.667 toys" in results.to_latex()


def test_it_is_in_the_help_and_among_the_tasks_that_can_be_chosen(
    words: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="0"):
        main(["evaluate", "--help"])
    assert re.search(r"toy +the share of words that play \(plays not\)", capsys.readouterr().out)
    with pytest.raises(InputError, match=r"choose from similarity, analogy, .*, tagging, toy"):
        evaluate(VECTORS, ["singing"])
    with pytest.raises(InputError, match="no task 'toy' in MUSE"):
        evaluate(VECTORS, ["toy"], compat="muse")


def test_it_has_its_place_in_the_report(words: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    VECTORS.save(tmp_path / "v.txt")
    (tmp_path / "pairs.txt").write_text("a b 1\nb c 2\n")
    out, sets = tmp_path / "r.html", f"{words},{tmp_path / 'pairs.txt'}"
    assert main(["report", str(tmp_path / "v.txt"), "--datasets", sets, "--out", str(out)]) == 0
    page = re.search(r'id="data"[^>]*>(.*?)</script>', out.read_text(encoding="utf-8"), re.DOTALL)
    assert page is not None
    shown = [(entry["task"], entry["title"]) for entry in json.loads(page[1])["scores"]]
    assert shown == [("Similarity", "pairs"), ("Toys for testing", "words"), ("", "mean of all")]


@pytest.mark.parametrize("quick", [True, False])
def test_only_quick_tasks_are_judged_unasked(words: Path, monkeypatch: pytest.MonkeyPatch, quick: bool) -> None:
    register(monkeypatch, replace(TOY, quick=quick))
    entry = Dataset("words", "toy", "Words", "nobody", "none", "toys", None, None, None)
    monkeypatch.setitem(DATASETS, "words", entry)
    monkeypatch.setattr(Dataset, "files", property(lambda self: (File(f"{self.name}.txt", None, ""),)))
    monkeypatch.setenv("WORDSTILL_DATA", str(words.parent))
    unasked = [result.task for result in evaluate(VECTORS, resamples=5)]
    assert ("toy" in unasked) == quick
    assert "similarity" in unasked
    assert evaluate(VECTORS, datasets=["words"])[0].task == evaluate(VECTORS, ["toy"])[0].task == "toy"


def test_a_file_that_no_task_recognizes_is_refused(words: Path, tmp_path: Path) -> None:
    (tmp_path / "odd.txt").write_text("alone\n")
    with pytest.raises(InputError, match=r"odd.txt looks like no data set of similarity, analogy, .*, toy"):
        evaluate(VECTORS, datasets=[tmp_path / "odd.txt"])


def test_every_task_says_what_it_does_and_names_are_those_of_the_registry() -> None:
    tasks = all_tasks()
    assert [task.name for task in tasks] == list(TASKS)
    for task in tasks:
        assert task.title
        assert task.about
        assert task.missing
        assert task.metric
