"""The search of a student's options, on a small random teacher and a small corpus."""

from __future__ import annotations

import itertools
import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from small_models import make_model
from texts import write_corpus
from wordstill import InputError, WordVectors, evaluate, tune
from wordstill.cli import main
from wordstill.evaluation.split import half
from wordstill.studies.tuning_plan import read_grid, read_on

WORDS = ("river", "sea", "fox", "dog", "city", "country", "teacher", "student", "word")
PAIRS = [(*pair, 1 + number % 9) for number, pair in enumerate(itertools.combinations(WORDS, 2))]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tune")
    write_corpus(folder / "texts.txt", 60)
    (folder / "pairs.tsv").write_text("".join(f"{one}\t{two}\t{score}\n" for one, two, score in PAIRS))
    make_model("bert", folder / "bert")
    return folder


@pytest.fixture(autouse=True)
def _here(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(place)


def search(out: str, *grid: str) -> int:
    call = ["tune", "closed", "--grid", *grid, "--on", "pairs.tsv:dev", "--teacher", "bert"]
    return main([*call, "--corpus", "texts.txt", "--out", out, "--threads", "1", "-q"])


def test_a_grid_is_read_and_what_is_none_is_refused() -> None:
    assert read_grid(["window=2,5", "power= 1, 1,2"]) == {"window": ("2", "5"), "power": ("1", "2")}
    for bad in ("window", "window=", "=2", "window=,"):
        with pytest.raises(InputError, match="--grid takes OPTION=VALUE"):
            read_grid([bad])
    with pytest.raises(InputError, match="twice"):
        read_grid(["window=2", "window=5"])


def test_only_dev_halves_can_decide() -> None:
    assert read_on("similarity,analogy:dev").tasks == ("similarity", "analogy")
    assert read_on("ws353:dev").split == "dev"
    for bad in ("similarity", "similarity:test", ":dev", "similarity:"):
        with pytest.raises(InputError, match="test halves are for reporting"):
            read_on(bad)
    with pytest.raises(InputError, match="not both"):
        read_on("similarity,ws353:dev")


@pytest.mark.slow
def test_points_share_a_pass_and_the_best_on_dev_is_reported_on_test(capsys: pytest.CaptureFixture[str]) -> None:
    assert search("search", "view=sentence,window", "power=0,1") == 0
    told = capsys.readouterr().out
    assert [path.name for path in sorted(Path("search").iterdir())] == ["pass-01", "tune.json", "tune.txt"]
    record = json.loads(Path("search/tune.json").read_text())
    assert [len(held) for held in record["passes"]] == [4]
    dev = [(one, two, score) for one, two, score in PAIRS if half([(one, two)], "dev")[0]]
    Path("dev.tsv").write_text("".join(f"{one}\t{two}\t{score}\n" for one, two, score in dev))
    means = []
    for point in record["points"]:
        folder = Path("search") / point["vectors"]
        assert point["mean"] == pytest.approx(evaluate(folder, datasets=["dev.tsv"])[0].score_all)
        means.append(point["mean"])
    assert means == sorted(means, reverse=True)
    winner = Path("search") / record["points"][0]["vectors"]
    (test,) = evaluate(winner, datasets=["pairs.tsv"], split="test")
    (reported,) = record["winner"]["test"]
    assert reported["split"] == "test"
    assert reported["score"] == pytest.approx(test.score)
    assert reported["items"] == len(PAIRS) - len(dev)
    assert f"power={record['winner']['options']['power']}" in told


@pytest.mark.slow
def test_a_larger_grid_pays_for_its_new_points_alone_and_a_stopped_search_goes_on(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert search("grown", "power=0") == 0
    before = Path("grown/pass-01/run.json").stat().st_mtime_ns
    assert search("grown", "power=0,1") == 0
    assert Path("grown/pass-01/run.json").stat().st_mtime_ns == before
    planned = json.loads(Path("grown/tune.json").read_text())
    assert planned["passes"] == [[{"power": "0"}], [{"power": "1"}]]
    matrix = WordVectors.load("grown/pass-02/point-001").matrix.copy()
    # As after a kill: the plan is there, the run is not.
    shutil.rmtree("grown/pass-02")
    assert search("grown", "power=0,1") == 0
    np.testing.assert_array_equal(WordVectors.load("grown/pass-02/point-001").matrix, matrix)
    assert json.loads(Path("grown/tune.json").read_text()) == planned
    capsys.readouterr()
    assert main(["tune", "closed", "--grid", "power=0", "--on", "pairs.tsv:dev", "--teacher", "bert", "--seed", "1",
                 "--corpus", "texts.txt", "--out", "grown", "-q"]) == 2  # fmt: skip
    assert "is of another search: distill.seed (0 before, 1 now)" in capsys.readouterr().err


@pytest.mark.slow
def test_settings_of_the_pass_can_be_searched_each_in_a_pass_of_its_own() -> None:
    found = tune("aggregate", {"context": ["sentence", "paragraph"]}, decide_on="pairs.tsv:dev", teacher="bert",
                 corpus="texts.txt", out="contexts", threads=1, layer="all")  # fmt: skip
    assert sorted(path.name for path in Path("contexts").glob("pass-*")) == ["pass-01", "pass-02"]
    assert {point.options["context"] for point in found.points} == {"sentence", "paragraph"}
    layers = {point.options["layer"] for point in found.points}
    assert len(layers) > 1  # a point per layer
    assert found.winner.mean == max(point.mean for point in found.points)


def test_what_cannot_be_searched_is_refused_before_any_work(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert search("refused", "colour=red") == 2
    assert "closed has no option 'colour' that a grid could vary" in capsys.readouterr().err
    assert search("refused", "power=red") == 2
    assert "closed.power is a number, not 'red'" in capsys.readouterr().err
    with pytest.raises(InputError, match="there is no student 'closet'"):
        tune("closet", {"power": [1]}, corpus="texts.txt", out="refused")
    assert not (place / "refused").exists()
