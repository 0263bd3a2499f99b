"""Downstream tasks as a user meets them: scores, seeds, caching, comparisons, own files, the teacher's rows."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from small_sets import (
    WORDS,
    informative_vectors,
    random_vectors,
    write_majority,
    write_presence,
    write_tags,
)
from wordstill import WordVectors, evaluate
from wordstill.cli import main
from wordstill.errors import InputError
from wordstill.evaluation import compare
from wordstill.evaluation.downstream import cnn
from wordstill.evaluation.downstream.scores import macro_f1
from wordstill.evaluation.intervals import FScore, bootstrap

QUICK = {"classification": {"filters": "30", "first_epoch": "6", "last_epoch": "8", "rates": "3e-3,1e-2"}}
TAGS = {"tagging": {"epochs": "12", "hidden": "40", "rate": "0.05", "dropout": "0.2"}}


@pytest.mark.parametrize("task", ["classification", "probe"])
def test_the_presence_of_a_word_is_learnt_wholly(tmp_path: Path, task: str) -> None:
    path = write_presence(tmp_path / "presence.tsv", 600)
    options = (
        {"probe": {"strengths": "10,100"}}
        if task == "probe"
        else {"classification": {**QUICK["classification"], "last_epoch": "16"}}
    )
    (result,) = evaluate(random_vectors(dimensions=60), datasets=[f"{task}:{path}"], task_options=options)
    assert (result.task, result.metric, result.dataset) == (task, "accuracy", "presence")
    assert result.score == result.score_all == 1.0
    assert (result.low, result.high) == (1.0, 1.0)
    assert {part.name: part.score for part in result.parts}["macro-F1"] == 1.0
    assert result.coverage == 1.0


@pytest.mark.parametrize("task", ["classification", "probe"])
def test_random_vectors_are_clearly_worse_than_those_that_know(tmp_path: Path, task: str) -> None:
    path = write_majority(tmp_path / "majority.tsv")
    models = {"knows": informative_vectors(), "random": random_vectors(dimensions=5)}
    results = evaluate(models, datasets=[f"{task}:{path}"], task_options=QUICK)
    knows, random = (results.find("majority", name) for name in models)
    assert knows.score > random.score + 0.1
    difference = compare(results, "knows", "random")[0]
    assert difference.low > 0
    assert difference.score == pytest.approx(knows.score - random.score)
    assert difference.parts[0].score == pytest.approx(knows.parts[0].score - random.parts[0].score)


def test_spans_are_found_and_own_files_of_tags_can_be_judged(tmp_path: Path) -> None:
    path = write_tags(tmp_path / "own.conll", 200)
    (result,) = evaluate(random_vectors(), datasets=[f"tagging:{path}"], task_options=TAGS)
    assert (result.metric, result.task) == ("f1", "tagging")
    assert result.score > 0.9
    assert [part.name for part in result.parts] == ["precision", "recall"]
    folder = tmp_path / "folder"
    folder.mkdir()
    for name in ("train.txt", "dev.txt", "test.txt"):
        (folder / name).write_text(path.read_text().replace("B-x", "NOUN").replace("I-x", "VERB").replace(" O", " X"))
    with pytest.raises(InputError, match="too few sentences"):
        evaluate(random_vectors(), datasets=[f"tagging:{folder}"], task_options=TAGS)


def test_results_repeat_and_are_kept_by_content(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_majority(tmp_path / "majority.tsv", 120)

    def judged(vectors: WordVectors, **more: object) -> list[float]:
        found = evaluate(vectors, datasets=[f"classification:{path}"], task_options=QUICK, seeds=2, **more)
        return [found[0].score, found[0].deviation or 0.0, found[0].parts[0].score]

    fresh = judged(random_vectors(), cache=False)
    assert judged(random_vectors()) == fresh
    trained = []
    monkeypatch.setattr(cnn, "train_cnn", lambda *given, **more: trained.append(given))
    assert judged(random_vectors()) == fresh
    # The same vectors under other words' names, or longer ones, are not other vectors to the model.
    assert judged(WordVectors(WORDS, 4 * random_vectors().matrix)) == fresh
    assert not trained
    with pytest.raises(TypeError):
        judged(random_vectors(1))
    assert trained


def test_a_stopped_evaluation_goes_on_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_majority(tmp_path / "majority.tsv", 120)
    told = {"datasets": [f"classification:{path}"], "task_options": QUICK}
    whole = evaluate(random_vectors(), **told, cache=False)[0].score
    train, rates = cnn.train_cnn, []

    def stopping(*given: object, rate: float, **more: object) -> object:
        rates.append(rate)
        if len(rates) == 2:
            raise KeyboardInterrupt
        return train(*given, rate=rate, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(cnn, "train_cnn", stopping)
    with pytest.raises(KeyboardInterrupt):
        evaluate(random_vectors(), **told)
    assert evaluate(random_vectors(), **told)[0].score == whole
    # The first rate was not tried again.
    assert rates[:3] == [0.003, 0.01, 0.01]


def test_means_over_sets_seeds_and_tasks_stand_in_every_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one, two = write_majority(tmp_path / "one.tsv", 120), write_presence(tmp_path / "two.tsv", 120)
    random_vectors().save(tmp_path / "v.txt")
    sets = f"classification:{one},classification:{two},probe:{one},probe:{two}"
    told = ["evaluate", str(tmp_path / "v.txt"), "--datasets", sets, "--seeds", "2", "--finetune", "--set"]
    told += [f"classification.{name}={value}" for name, value in QUICK["classification"].items()]
    out = tmp_path / "scores.json"
    assert main([*told, "--json", str(out), "--csv", str(tmp_path / "scores.csv")]) == 0
    table = capsys.readouterr().out
    assert "one, classification" in table
    assert "mean of classification" in table
    assert "mean of probe" in table
    assert "±" in table
    results = json.loads(out.read_text())
    needed = {"vectors", "task", "dataset", "metric", "score", "score_all", "low", "high", "items", "covered"}
    assert all(needed | {"coverage"} <= result.keys() for result in results)
    mean = next(one for one in results if (one["task"], one["dataset"]) == ("classification", "overall"))
    each = [one for one in results if one["task"] == "classification" and one["dataset"] != "overall"]
    assert mean["score"] == pytest.approx(np.mean([one["score"] for one in each]))
    assert mean["parts"][0]["score"] == pytest.approx(np.mean([one["parts"][0]["score"] for one in each]))
    assert all("deviation" in one for one in each)
    # The mean has the deviation of the means of each seed.
    options = {name: str(value) for name, value in QUICK["classification"].items()}
    judged = {"datasets": sets.split(",")[:2], "task_options": {"classification": options}, "finetune": True}
    of_seeds = [evaluate(tmp_path / "v.txt", seed=seed, **judged).find("overall") for seed in (0, 1)]
    assert mean["deviation"] == pytest.approx(np.std([one.score for one in of_seeds], ddof=1))
    macro = [one.parts[0].score for one in of_seeds]
    assert mean["parts"][0]["deviation"] == pytest.approx(np.std(macro, ddof=1))
    assert "deviation" in (tmp_path / "scores.csv").read_text().splitlines()[0]
    page = tmp_path / "r.html"
    assert main(["report", str(tmp_path / "v.txt"), "--scores", str(out), "--out", str(page)]) == 0
    shown = page.read_text()
    assert "mean of all, macro-F1" in shown
    assert "Linear probe" in shown


def test_a_probe_of_directions_does_not_see_lengths(tmp_path: Path) -> None:
    path = write_majority(tmp_path / "majority.tsv")
    plain = informative_vectors()
    lengths = np.geomspace(0.001, 10, len(plain.words), dtype=np.float32)[:, None]
    models = {"plain": plain, "long and short": WordVectors(plain.words, plain.matrix * lengths)}
    results = evaluate(models, datasets=[f"probe:{path}"], task_options={"probe": {"strengths": "1"}})
    unit, mean = (
        [next(part.score for part in results.find("majority", name).parts if part.name == kind) for name in models]
        for kind in ("unit", "mean")
    )
    assert unit[0] == pytest.approx(unit[1], abs=0.01)
    assert mean[0] > mean[1] + 0.05


def test_words_without_a_vector_are_counted(tmp_path: Path) -> None:
    path = write_presence(tmp_path / "presence.tsv", 120)
    few = WordVectors(WORDS[:20], random_vectors().matrix[:20])
    (result,) = evaluate(few, datasets=[f"probe:{path}"], oov="zeros")
    assert 0 < result.coverage < 1
    assert result.items > result.covered


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        ({"task_options": {"singing": {}}}, "those with options are classification, probe, tagging, teacher"),
        ({"task_options": {"tagging": {"epoch": "1"}}}, "tagging has no option 'epoch'"),
        ({"task_options": {"classification": {"rates": "fast"}}}, "a list of numbers above 0 such as"),
        ({"task_options": {"classification": {"last_epoch": "2"}}}, "before classification.first_epoch"),
        ({"task_options": {"classification": {"first_epoch": "20", "last_epoch": "18"}}}, "last_epoch is 18, before"),
        ({"teacher_rows": ("minilm",), "datasets": ["similarity:{pairs}"]}, "--teacher-rows is for sentences, probe"),
    ],
)
def test_what_cannot_be_is_refused_first(tmp_path: Path, told: dict[str, object], expected: str) -> None:
    pairs = tmp_path / "pairs.txt"
    pairs.write_text("w1 w2 3\nw2 w3 4\n")
    given = {key: [str(one).format(pairs=pairs) for one in value] if key == "datasets" else value
             for key, value in told.items()}  # fmt: skip
    with pytest.raises(InputError, match=expected):
        evaluate(random_vectors(), **given)


def test_nothing_of_torch_is_imported_where_nothing_is_trained(tmp_path: Path) -> None:
    (tmp_path / "pairs.txt").write_text("w1 w2 3\nw2 w3 4\nw3 w4 1\n")
    random_vectors().save(tmp_path / "v.txt")
    program = (
        "import sys; from wordstill.evaluation import evaluate; from wordstill.evaluation.tasks import all_tasks;"
        f"all_tasks(); evaluate({str(tmp_path / 'v.txt')!r}, datasets=[{str(tmp_path / 'pairs.txt')!r}]).table();"
        "sys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program]).returncode == 0


def test_macro_f1_is_scikit_learns() -> None:
    from sklearn.metrics import f1_score

    generator = np.random.default_rng(0)
    gold, predicted = generator.integers(0, 4, 200), generator.integers(0, 4, 200)
    assert macro_f1(gold, predicted, 5) == pytest.approx(f1_score(gold, predicted, average="macro"))


def test_the_bootstrap_of_f1_is_f1_of_the_sentences_drawn() -> None:
    generator = np.random.default_rng(0)
    true, predicted = generator.integers(0, 4, (2, 30)), generator.integers(0, 4, (2, 30))
    outcome = FScore(np.minimum(true, predicted), predicted, true)
    draws = bootstrap(outcome, 50, 1)
    assert draws.mean() == pytest.approx(outcome.score(), abs=0.02)
    counts = np.zeros((1, 30))
    counts[0, :3] = [2, 0, 1]
    chosen = outcome.take(np.array([0, 0, 2]))
    assert outcome.resampled(counts)[0] == pytest.approx(chosen.score())


@pytest.mark.slow
def test_the_teacher_itself_is_a_row_frozen_and_fine_tuned(teacher: str, tmp_path: Path) -> None:
    texts, tags = write_presence(tmp_path / "texts.tsv", 60), write_tags(tmp_path / "tags.conll", 40)
    results = evaluate(
        {"v": random_vectors()},
        datasets=[f"classification:{texts}", f"tagging:{tags}"],
        teacher_rows=(teacher,),
        task_options={
            **QUICK,
            "tagging": {"epochs": "1"},
            "teacher": {"first_epoch": "1", "last_epoch": "2", "finetuned_rates": "1e-3", "frozen_rates": "1e-2"},
        },
    )
    rows = {result.vectors for result in results}
    assert rows == {"v", f"{teacher}, frozen", f"{teacher}, fine-tuned"}
    for name in rows:
        assert 0 <= results.find("texts", name).score <= 1
        assert results.find("tags", name).metric == "f1"
