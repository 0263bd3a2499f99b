"""Studies that distill, called as the shell calls them, on small random teachers and a small corpus."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import matplotlib.image
import numpy as np
import pytest

from small_models import make_model
from texts import write_corpus
from wordstill import WordVectors, evaluate
from wordstill.cli import main
from wordstill.distillation.distill import distill
from wordstill.distillation.settings import DistillSettings
from wordstill.studies import study as wordstill_study
from wordstill.studies.corpus_size import short
from wordstill.studies.teachers import folder_name

pytestmark = pytest.mark.slow

PAIRS = "river\tsea\t8\nfox\tdog\t9\ncity\tcountry\t6\nteacher\tstudent\t7\nfox\tgallon\t1\nword\triver\t2\n"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("studies")
    write_corpus(folder / "texts.txt", 80)
    (folder / "pairs.tsv").write_text(PAIRS)
    (folder / "more.tsv").write_text("river\tzebra\t8\n" + PAIRS.replace("1\n", "4\n"))
    make_model("bert", folder / "bert")
    make_model("gpt2", folder / "gpt2")
    return folder


@pytest.fixture(autouse=True)
def _here(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(place)


def study(name: str, *more: str, out: str) -> dict[str, Any]:
    call = ["study", name, "--corpus", "texts.txt", "--out", out, "--threads", "1", "-q", *more]
    if name != "attention-map":
        call += ["--datasets", "pairs.tsv,more.tsv", "--resamples", "50"]
    assert main(call) == 0
    assert matplotlib.image.imread(Path(out) / f"{name}.png").shape[2] == 4
    written: dict[str, Any] = json.loads((Path(out) / f"{name}.json").read_text())
    return written


def test_window_sizes_share_one_run_and_are_what_single_runs_give(
    place: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    found = study("window-size", "--teacher", "bert", "--windows", "2", "1", out="windows")
    records = {(one["line"], one["window"], one["dataset"]): one for one in found["records"]}
    assert set(records) == {
        (line, window, name)
        for line in ("dynamic-skipgram", "closed")
        for window in (1, 2)
        for name in ("pairs", "more", "overall")
    }
    assert records["closed", 1, "more"]["coverage"] == 6 / 7
    rows = [line.split() for line in capsys.readouterr().out.splitlines() if line.startswith(("dynamic", "closed"))]
    assert [row[:2] for row in rows] == [["dynamic-skipgram", "1"], ["dynamic-skipgram", "2"], ["closed", "1"],
                                         ["closed", "2"]]  # fmt: skip
    for row in rows:
        assert float(row[4]) == pytest.approx(100 * records[row[0], int(row[1]), "overall"]["score"], abs=0.051)
    one, two = records["closed", 1, "overall"], records["closed", 2, "overall"]
    assert "difference" not in one
    assert two["against"] == {"line": "closed", "window": 1}
    assert two["difference"]["score"] == pytest.approx(two["score"] - one["score"])
    alone = DistillSettings(
        teacher="bert", students=("dynamic-skipgram",), student_options={"dynamic-skipgram": {"window": "1"}}, threads=1
    )
    single = distill("texts.txt", out="single", settings=alone)
    joint = WordVectors.load("windows/window-size/dynamic-skipgram-1")
    np.testing.assert_array_equal(single.vectors("dynamic-skipgram").matrix, joint.matrix)
    # Once more, and no teacher is asked.
    monkeypatch.setattr("wordstill.distillation.preparing.load_teacher", None)
    assert study("window-size", "--teacher", "bert", "--windows", "2", "1", out="windows") == found


def test_attention_starts_from_the_closed_form_and_reads_whole_windows() -> None:
    found = study(
        "attention", "--teacher", "bert", "--epochs", "1", "2", "--set", "dynamic-skipgram.window=3", out="attention"
    )
    scores = {(one["line"], one["epochs"]): one["score"] for one in found["records"] if one["dataset"] == "overall"}
    assert set(scores) == {(line, epochs) for line in ("attention", "no attention") for epochs in (0, 1, 2)}
    assert scores["attention", 0] == scores["no attention", 0]
    made = {name: WordVectors.load(f"attention/attention/{name}").card["method"]["student_settings"]
            for name in ("start", "attention-1", "no-attention-2")}  # fmt: skip
    assert made["start"]["view"] == "window"
    assert made["start"]["window"] == 3
    assert (made["attention-1"]["attention"], made["attention-1"]["epochs"]) == (True, 1)
    assert (made["no-attention-2"]["attention"], made["no-attention-2"]["epochs"]) == (False, 2)
    assert made["attention-1"]["subsample"] == made["no-attention-2"]["subsample"] == 0
    options = ["--set", "dynamic-skipgram.preset=paper", "dynamic-skipgram.subsample=0.001"]
    found = study("attention", "--teacher", "bert", "--epochs", "1", *options, out="random")
    assert {one["epochs"] for one in found["records"]} == {1}, "a random start is no point of the curve"
    settings = WordVectors.load("random/attention/attention-1").card["method"]["student_settings"]
    assert (settings["init"], settings["subsample"], settings["dimensions"]) == ("random", 0.001, 300)


def test_corpus_sizes_can_be_judged_on_the_same_words(capsys: pytest.CaptureFixture[str]) -> None:
    call = ["--teacher", "bert", "--words", "1500", "300", "--student", "aggregate,quick=x2static"]
    call += ["--set", "x2static.epochs=1", "quick.negatives=3"]
    found = study("corpus-size", *call, out="sizes")
    covered = {(one["line"], one["words"]): one["covered"] for one in found["records"] if one["dataset"] == "overall"}
    assert covered["quick", 300] < covered["quick", 1500] == covered["aggregate", 1500]
    assert WordVectors.load("sizes/words-300/quick").card["method"]["student_settings"]["negatives"] == 3
    assert "sizes/corpus-size.png" in capsys.readouterr().out
    same = study("corpus-size", *call, "--same-words", out="sizes")
    assert len({one["covered"] for one in same["records"] if one["dataset"] == "overall"}) == 1
    small = [one for one in found["records"] if one["words"] == 300]
    assert [one for one in same["records"] if one["words"] == 300] == small


def test_teachers_are_compared_on_the_same_words() -> None:
    found = study("teachers", "--teacher", "bert", "gpt2", "--student", "aggregate", out="compared")
    scores = {one["teacher"]: one for one in found["records"] if one["dataset"] == "pairs"}
    assert scores["bert"]["covered"] == scores["gpt2"]["covered"]
    vectors = [WordVectors.load(f"compared/teacher-{name}/aggregate") for name in ("bert", "gpt2")]
    assert [one.card["teacher"] for one in vectors] == ["bert", "gpt2"]
    assert vectors[0].words == vectors[1].words
    assert not np.allclose(vectors[0].matrix, vectors[1].matrix)
    # The call in Python is the same study, and finds the same runs.
    called = wordstill_study(
        "teachers",
        teacher=["bert", "gpt2"],
        students=["aggregate"],
        corpus="texts.txt",
        threads=1,
        datasets=["pairs.tsv", "more.tsv"],
        resamples=50,
        out="compared",
    )
    assert called.records == found["records"]


def test_words_seen_compares_the_papers_settings_with_the_closed_form() -> None:
    few = ("--student", "x2static,context-to-vec", "--epochs", "2", "1", "--set", "x2static.negatives=2")
    found = study("words-seen", "--teacher", "bert", *few, out="seen")
    scores = {(one["line"], one["words seen"]): one for one in found["records"] if one["dataset"] == "pairs"}
    words = min(seen for _, seen in scores)
    assert set(scores) == {
        *(("closed", words), ("closed, windows", words)),
        *((line, times * words) for line in ("x2static", "context-to-vec") for times in (1, 2)),
    }
    assert scores["x2static", words]["against"]["line"] == "closed"
    assert scores["context-to-vec", words]["against"]["line"] == "closed, windows"
    made = WordVectors.load("seen/words-seen/x2static-2")
    settings = made.card["method"]["student_settings"]
    assert (settings["epochs"], settings["negatives"], settings["init"]) == (2, 2, "random")
    (alone,) = evaluate(made, datasets=["pairs.tsv"])
    assert scores["x2static", 2 * words]["score"] == alone.score


def test_an_attention_map_tells_who_attends_to_whom(capsys: pytest.CaptureFixture[str]) -> None:
    found = study("attention-map", "--teacher", "bert", "--sentence", "The zebra reads $ 3.5 litres", out="map")
    output = capsys.readouterr().out
    assert "never attended to: zebra, $." in output
    rows: dict[str, float] = {}
    for one in found["records"]:
        assert one["word"] not in ("zebra", "$")
        rows[one["centre"]] = rows.get(one["centre"], 0.0) + one["weight"]
    assert list(rows) == ["The", "zebra", "reads", "$", "3.5", "litres"]
    assert list(rows.values()) == pytest.approx([1.0] * 6, abs=1e-5)


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (["--datasets", "nothing"], "no data set and no file 'nothing'"),
        (["--png", "chart.jpg"], "neither .png nor .svg"),
        (["--set", "aggregate.x=1"], "an option is set for 'aggregate', which is not among the students"),
        (["--windows", "0"], "dynamic-skipgram.window must be between 1 and 1,000, not 0"),
    ],
)
def test_what_cannot_be_done_is_refused_before_any_work(
    more: list[str], told: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wordstill.distillation.preparing.load_teacher", None)
    call = ["study", "window-size", "--corpus", "texts.txt", "--teacher", "bert", "--datasets", "pairs.tsv"]
    assert main([*call, "--out", "refused", *more]) == 2
    assert told in capsys.readouterr().err
    assert not Path("refused").exists()


def test_without_matplotlib_a_study_does_not_begin(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert main(["study", "attention-map", "--corpus", "texts.txt", "--teacher", "bert", "--out", "none"]) == 2
    assert "pip install 'wordstill[plot]'" in capsys.readouterr().err


def test_a_folder_with_another_study_of_the_same_name_is_not_overwritten(capsys: pytest.CaptureFixture[str]) -> None:
    call = ["--teacher", "bert", "--student", "aggregate"]
    study("teachers", *call, out="again")
    arguments = ["study", "teachers", "--corpus", "texts.txt", "--out", "again", "--datasets", "pairs.tsv", *call]
    assert main([*arguments, "--threads", "1", "--min-count", "2"]) == 2
    assert "vocabulary.min_count (5 before, 2 now)" in capsys.readouterr().err


def test_two_teachers_of_one_name_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    call = ["study", "teachers", "--corpus", "texts.txt", "--out", "twins", "--datasets", "pairs.tsv"]
    assert main([*call, "--teacher", "bert", "other/bert/"]) == 2
    assert "two teachers end in the same name" in capsys.readouterr().err


def test_names_of_folders_and_ticks() -> None:
    assert folder_name("sentence-transformers/all-mpnet-base-v2") == "all-mpnet-base-v2"
    assert folder_name("models/my model/") == "my-model"
    assert [short(size) for size in (999, 1500, 62_500, 2_000_000)] == ["999", "1.5k", "62.5k", "2M"]
