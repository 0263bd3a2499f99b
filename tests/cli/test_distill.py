"""`wordstill distill` as a user types it: what is refused, with which words, and what is told at the end."""

from __future__ import annotations

import gzip
import io
import json
from pathlib import Path
from typing import Any

import pytest

from small_models import make_model
from texts import write_corpus
from wordstill.cli import main
from wordstill.cli.text_table import table
from wordstill.vectors import WordVectors

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def teacher(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_model("bert", tmp_path_factory.mktemp("bert"))


@pytest.fixture
def base(teacher: Path, tmp_path: Path) -> dict[str, Any]:
    corpus = write_corpus(tmp_path / "texts.txt", 120)
    return {"--teacher": teacher, "--corpus": corpus, "--student": "aggregate", "--out": tmp_path / "run"}


def arguments(base: dict[str, Any], *more: str) -> list[str]:
    return ["distill", *(str(part) for pair in base.items() for part in pair), *more]


def test_the_end_of_a_run_is_a_table_and_what_to_do_next(
    base: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    base["--student"] = "aggregate,closed,x2static"
    assert main(arguments(base)) == 0
    shown = capsys.readouterr()
    lines = shown.out.splitlines()
    assert lines[0].split() == ["student", "dimensions", "words", "seconds", "loss"]
    assert [line.split()[0] for line in lines[1:4]] == ["aggregate", "closed", "x2static"]
    assert lines[-2:] == [f"wordstill evaluate {base['--out']}", f"wordstill neighbors {base['--out']}/aggregate WORD"]
    assert "words/s; peak memory" in shown.err
    assert main(["neighbors", f"{base['--out']}/aggregate", "river"]) == 0


def test_verbose_tells_the_teacher_the_vocabulary_and_the_space_on_disk(
    base: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    base["--student"] = "x2static"
    assert main(arguments(base, "-v")) == 0
    told = capsys.readouterr().err
    assert "3 layers, 32 dimensions, texts of up to 62 pieces, on cpu" in told
    assert "words in the vocabulary" in told
    assert "x2static keeps its contexts on disk while it learns" in told


def test_quiet_means_nothing_on_standard_error(base: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments(base, "-q")) == 0
    assert capsys.readouterr().err == ""


def test_standard_input_is_a_corpus_and_can_be_resumed(
    base: dict[str, Any], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    text = base["--corpus"].read_bytes()
    base["--corpus"] = "-"
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text)))
    assert main(arguments(base)) == 0
    record = json.loads((base["--out"] / "run.json").read_text())
    assert record["corpus"]["paragraphs"] == 120
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"")))
    assert main(arguments(base, "--resume")) == 0
    assert main(arguments(base)) == 2
    assert "already holds a finished run" in capsys.readouterr().err


def test_several_files_and_packed_ones_are_one_corpus(base: dict[str, Any], tmp_path: Path) -> None:
    packed = tmp_path / "more.jsonl.gz"
    with gzip.open(packed, "wt") as file:
        file.writelines(json.dumps({"body": line}) + "\n" for line in base["--corpus"].read_text().split("\n"))
    plain = base.pop("--corpus")
    assert main(arguments(base, "--corpus", str(packed), "--field", "body")) == 0
    first = json.loads((base["--out"] / "run.json").read_text())
    assert main(arguments(base, "--corpus", str(plain), "--overwrite")) == 0
    second = json.loads((base["--out"] / "run.json").read_text())
    assert first["corpus"]["words"] == second["corpus"]["words"]
    assert main(arguments(base, "--corpus", str(plain), str(packed), "--field", "body", "--overwrite")) == 0
    assert json.loads((base["--out"] / "run.json").read_text())["corpus"]["paragraphs"] == 240


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--student", "word2vec"], "there is no student 'word2vec'; there are: best, aggregate"),
        (["--student", "aggregate,aggregate"], "two students are called 'aggregate'"),
        (["--student", "../x=aggregate"], "cannot name a student's folder"),
        (["--student", "checkpoint=aggregate"], "cannot name a student's folder"),
        (["--student", ","], "a run needs at least one student"),
        (["--set", "x2static.epochs=3"], "an option is set for 'x2static', which is not among the students: aggregate"),
        (["--set", "aggregate.size=3"], "aggregate has no option 'size'; it has: knowledge, over_contexts"),
        (["--set", "epochs=3"], "--set takes NAME.OPTION=VALUE"),
        (["--layer", "top"], "--layer is a whole number or one of auto, last, all, not 'top'"),
        (["--layer", "12"], "has layers 0 to 3, no layer 12"),
        (["--min-count", "0"], "--min-count must be at least 1"),
        (["--min-count", "100000"], "no word of the corpus is seen 100000 times"),
        (["--words", "0"], "--words must be at least 1"),
        (["--seed", "-1"], "--seed must be at least 0"),
        (["--corpus", "missing.txt"], "missing.txt"),
        (["--corpus", "-", "b.txt"], "standard input (-) cannot be mixed with files"),
        (["--teacher", "./nowhere"], "is no folder; give a model folder"),
        (["--vocabulary", "missing.txt"], "missing.txt cannot be read"),
        (["--word-splitter", "magic"], "magic"),
        (["--precision", "float16"], "float16 runs on a GPU only"),
        (["--device", "cuda:77"], "cuda:77"),
        (["--context", "chapter"], "--context is one of sentence, paragraph, not 'chapter'"),
        (["--words", "many"], "--words is a whole number, not 'many'"),
        (["--threads", "99999999"], "--threads must be between 1 and 1,024"),
        (["--device", "meta"], "the device 'meta' cannot be used here"),
        (["--words", "9" * 400], "--words must be at least 1"),
        (["--words", "9" * 5_000], "--words is a whole number"),
        (["--student", "x2static", "--set", "x2static.learning_rate=inf"], "x2static.learning_rate must be at least 0"),
        (["--student", "x2static", "--set", "x2static.negatives=99999999"], "x2static.negatives must be between"),
        (
            ["--student", "dynamic-skipgram", "--set", "dynamic-skipgram.window=99999"],
            "dynamic-skipgram.window must be between",
        ),
    ],
)
def test_bad_input_gets_one_sentence_and_exit_code_2(
    base: dict[str, Any], more: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments(base, *more)) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    complaints = [line for line in shown.err.splitlines() if line.startswith("wordstill distill: ")]
    assert len(complaints) == 1
    assert message in complaints[0]
    assert "Traceback" not in shown.err


@pytest.mark.parametrize("more", [["--resume", "--overwrite"], ["--bogus"]])
def test_bad_usage_exits_with_2(base: dict[str, Any], more: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(arguments(base, *more))
    assert stop.value.code == 2
    assert "usage: wordstill" in capsys.readouterr().err


def test_a_student_that_is_named_like_a_file_has_a_folder_like_others(base: dict[str, Any]) -> None:
    assert main(arguments(base, "--student", "m.json=aggregate,m.txt=aggregate")) == 0
    for name in ("m.json", "m.txt"):
        assert WordVectors.load(base["--out"] / name).words


def test_after_a_refusal_nothing_is_in_the_way_of_a_second_try(base: dict[str, Any]) -> None:
    assert main(arguments(base, "--min-count", "100000")) == 2
    assert main(arguments(base, "--overwrite")) == 0


def test_tables_line_up_whatever_the_script() -> None:
    shown = table(["word", "count"], [["東京", "12"], ["café", "3,000"], ["e\u0301", "-"]])
    assert shown.splitlines() == ["word  count", "東京     12", "café  3,000", "e\u0301         -"]
