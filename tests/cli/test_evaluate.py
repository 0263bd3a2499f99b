from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from wordstill import WordVectors
from wordstill.cli import main


@pytest.fixture(autouse=True)
def nothing_of_the_users(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("WORDSTILL_DATA", raising=False)
    monkeypatch.setenv("WORDSTILL_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def paths(tmp_path: Path) -> list[str]:
    """Two files of vectors and one of word pairs."""
    generator = np.random.default_rng(0)
    words = [f"w{number}" for number in range(30)]
    matrix = generator.standard_normal((30, 8)).astype(np.float32)
    WordVectors(words, matrix).save(tmp_path / "one.txt")
    WordVectors(words, generator.standard_normal((30, 8)).astype(np.float32)).save(tmp_path / "two.bin")
    units = matrix / np.linalg.norm(matrix, axis=1, keepdims=True)
    rows = [(one, two) for one in range(30) for two in range(one) if (one + two) % 5 == 0]
    text = "".join(f"w{one}\tw{two}\t{units[one] @ units[two]:.4f}\n" for one, two in rows)
    (tmp_path / "pairs.tsv").write_text(text)
    return [str(tmp_path / name) for name in ("one.txt", "two.bin", "pairs.tsv")]


def test_the_table_goes_to_standard_output_and_progress_to_standard_error(
    paths: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["evaluate", *paths[:2], "--datasets", paths[2]]) == 0
    shown = capsys.readouterr()
    assert "100.0*" in shown.out
    assert "coverage" in shown.out.splitlines()[0]
    assert "one.txt: pairs" in shown.err
    assert "\x1b" not in shown.out


def test_json_is_the_promised_list(paths: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", paths[0], "--datasets", paths[2], "--json"]) == 0
    (result,) = json.loads(capsys.readouterr().out)
    assert result["score"] == pytest.approx(1.0, abs=1e-3)
    assert result["coverage"] == 1.0


def test_every_format_can_be_written_to_a_file_beside_the_table(
    paths: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = [str(tmp_path / f"scores.{name}") for name in ("json", "csv", "tex")]
    asked = ["--json", names[0], "--csv", names[1], "--latex", names[2]]
    assert main(["evaluate", paths[0], "--datasets", paths[2], *asked]) == 0
    assert "dataset" in capsys.readouterr().out
    assert json.loads(Path(names[0]).read_text())[0]["dataset"] == "pairs"
    assert Path(names[1]).read_text().startswith("vectors,task,dataset")
    assert r"\toprule" in Path(names[2]).read_text()


def test_two_formats_cannot_share_standard_output(paths: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", paths[0], "--json", "--csv"]) == 2
    assert "only one of" in capsys.readouterr().err


@pytest.mark.parametrize("given", [0, 1, 2])
def test_compare_takes_names_or_paths_and_evaluates_what_is_not_named(
    paths: list[str], capsys: pytest.CaptureFixture[str], given: int
) -> None:
    compared = [Path(path).name if number < given else path for number, path in enumerate(paths[:2])]
    arguments = ["evaluate", *paths[:given], "--datasets", paths[2], "--json", "--compare", *compared]
    assert main(arguments) == 0
    difference = json.loads(capsys.readouterr().out)[-1]
    assert difference["vectors"] == "one.txt - two.bin"
    assert difference["metric"] == "difference in spearman"
    assert 0 < difference["low"] < difference["score"] < difference["high"]


def test_a_run_of_several_students_cannot_be_compared_as_one(
    paths: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = tmp_path / "run"
    for name in ("one", "two"):
        WordVectors(["a", "b"], np.eye(2)).save(run / name)
    students = {name: {"path": name} for name in ("one", "two")}
    (run / "run.json").write_text(json.dumps({"settings": {}, "students": students}))
    assert main(["evaluate", "--datasets", paths[2], "--compare", str(run), paths[0]]) == 2
    assert "stands for 2 vectors; compare one of run/one, run/two" in capsys.readouterr().err
    assert main(["evaluate", str(run), "--datasets", paths[2], "--compare", "run/one", "run/two"]) == 0


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["no/such/file"], "no file or folder no/such/file"),
        ([], "give at least one"),
        (["{0}", "--tasks", "singing"], "no task 'singing'"),
        (["{0}", "--datasets", "absent"], "no data set and no file 'absent'"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_two(
    paths: list[str], capsys: pytest.CaptureFixture[str], arguments: list[str], expected: str
) -> None:
    assert main(["evaluate", *(argument.format(*paths) for argument in arguments)]) == 2
    shown = capsys.readouterr()
    assert expected in shown.err
    assert "Traceback" not in shown.err
    assert shown.out == ""


@pytest.mark.parametrize("option", ["--json", "--csv", "--latex"])
def test_a_table_replaces_its_own_kind_and_nothing_else(
    tmp_path: Path, option: str, capsys: pytest.CaptureFixture[str]
) -> None:
    WordVectors(["a", "b"], np.eye(2, dtype=np.float32)).save(tmp_path / "v")
    (tmp_path / "pairs.tsv").write_text("a\tb\t3\na\ta\t9\nb\tb\t8\n")
    call = ["evaluate", str(tmp_path / "v"), "--datasets", str(tmp_path / "pairs.tsv"), option]
    for name, content in {
        "package.json": '{"name": "mine"}\n',
        "notes.csv": "a,b\n1,2\n",
        "p.tex": "\\LaTeX\n",
    }.items():
        (tmp_path / name).write_text(content)
        assert main([*call, str(tmp_path / name)]) == 2
        assert (tmp_path / name).read_text() == content
        assert "is not recognised as wordstill's own" in capsys.readouterr().err
    for _ in range(2):
        assert main([*call, str(tmp_path / "out.x")]) == 0
    assert (tmp_path / "out.x").stat().st_size
