"""The papers' main tables, on a small random teacher and a small corpus."""

from __future__ import annotations

import itertools
import json
import re
from pathlib import Path
from typing import Any

import pytest

from few_students import only
from small_models import make_model
from texts import write_corpus
from wordstill import InputError, evaluate
from wordstill.cli import main
from wordstill.studies import study as wordstill_study
from wordstill.studies.contract import Study, Table
from wordstill.studies.paper_formats import as_latex, as_markdown
from wordstill.studies.published import published_rows
from wordstill.studies.table_rows import PAPER_TABLES, further_rows

WORDS = ("river", "sea", "fox", "dog", "city", "country", "teacher", "student", "word")
PAIRS = [(*pair, 1 + number % 9) for number, pair in enumerate(itertools.combinations(WORDS, 2))]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tables")
    write_corpus(folder / "texts.txt", 60)
    (folder / "pairs.tsv").write_text("".join(f"{one}\t{two}\t{score}\n" for one, two, score in PAIRS))
    (folder / "lexicon.txt").write_text("river sea\nfox dog\n")
    make_model("bert", folder / "bert")
    return folder


@pytest.fixture(autouse=True)
def _here(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(place)


def tables(*more: str, out: str = "out") -> dict[tuple[str, str], dict[str, Any]]:
    """Make the tables in the folder `out`; return our cells by table and row."""
    call = ["study", "tables", "--corpus", "texts.txt", "--teacher", "bert", "--datasets", "pairs.tsv", "--out", out]
    assert main([*call, "--threads", "1", "-q", *more]) == 0
    records = json.loads(Path(f"{out}/tables.json").read_text())["records"]
    return {(one["table"], one["row"]): one["cells"] for one in records if "paper" not in one}


@pytest.mark.slow
def test_rows_are_made_fail_alone_and_begin_to_work_when_their_student_is_there(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with only("aggregate", "table"):
        cells = tables()
        told = capsys.readouterr().out
    missing = cells["x2static-table3", "X2Static, sentence"]
    assert missing["pairs"] == {"failure": "there is no student 'x2static' in this version"}
    assert "there is no student 'x2static' in this version" in told
    plain = cells["context-to-vec-table1", "average"]["pairs"]
    (layers,) = [path for path in Path("out/bert-sentence-1").iterdir() if path.name == "aggregate"]
    last = sorted(layers.iterdir())[-1]
    (expected,) = evaluate(last, datasets=["pairs.tsv"])
    assert plain["score"] == pytest.approx(100 * expected.score)
    assert plain["coverage"] == expected.coverage

    before = Path("out/bert-sentence-1/run.json").stat().st_mtime_ns
    with only("aggregate", "table", "x2static", "context-to-vec"):
        cells = tables("--refine-lexicon", "lexicon.txt")
    assert "score" in cells["x2static-table3", "X2Static, sentence"]["pairs"]
    assert "score" in cells["x2static-table3", "X2Static, paragraph"]["pairs"]
    refined = cells["context-to-vec-table1", "Context-to-Vec, refined"]["pairs"]["score"]
    assert refined != cells["context-to-vec-table1", "Context-to-Vec"]["pairs"]["score"]
    assert "light" in cells["context-to-vec-table5", "Context-to-Vec"]
    assert Path("out/bert-sentence-1/run.json").stat().st_mtime_ns == before
    assert sorted(path.name for path in Path("out").glob("bert-*")) == [
        "bert-paragraph-1",
        "bert-sentence-1",
        "bert-sentence-2",
    ]
    # The published figures stand below ours, marked as such.
    assert "paper: Wikipedia, 1.28 B words; BERT-12" in Path("out/tables.md").read_text()
    assert Path("out/tables.tex").read_text().count(r"\begin{tabular}") == len(PAPER_TABLES)
    (data,) = re.findall(r'id="data">(.*?)</script>', Path("out/tables.html").read_text(encoding="utf-8"))
    for one in json.loads(data)["tables"]:
        marked = [number for number, row in enumerate(one["rows"]) if row[1].startswith("paper: ")]
        assert one["published"] == marked != []

    assert main(["study", "tables", "--corpus", "texts.txt", "--teacher", "bert", "--datasets", "pairs.tsv", "--out",
                 "out", "--min-count", "2", "-q"]) == 2  # fmt: skip
    told = capsys.readouterr().err
    assert "distill.vocabulary.min_count (5 before, 2 now)" in told
    # A run of other threads would be refused too, and each of its students made alone.
    assert "have other settings: distill.threads (1 before, None now)" in told


@pytest.mark.slow
def test_a_layer_is_scored_on_the_half_that_did_not_choose_it() -> None:
    with only("aggregate", "table"):
        cell = tables()["x2static-table3", "ASE, best layer per task"]["pairs"]
    layers = sorted(Path("out/bert-sentence-1/aggregate").iterdir())
    halves = {
        split: [evaluate(layer, datasets=["pairs.tsv"], split=split)[0].score for layer in layers]
        for split in ("dev", "test")
    }
    chosen = [max(range(len(layers)), key=halves[split].__getitem__) for split in ("dev", "test")]
    assert cell["score"] == pytest.approx(50 * (halves["test"][chosen[0]] + halves["dev"][chosen[1]]))


@pytest.mark.slow
def test_a_student_that_fails_does_not_stop_those_of_its_run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with only("aggregate", "table", "x2static"):

        def broken(*_: object) -> None:
            raise MemoryError("no room for the table")

        monkeypatch.setattr("wordstill.students.x2static.X2Static.observe", broken)
        call = ["study", "tables", "--corpus", "texts.txt", "--teacher", "bert", "--datasets", "pairs.tsv"]
        assert main([*call, "--out", "broken", "--threads", "1"]) == 0
    told = capsys.readouterr()
    records = json.loads(Path("broken/tables.json").read_text())["records"]
    cells = {one["row"]: one["cells"] for one in records if one["table"] == "x2static-table3" and "paper" not in one}
    assert "no room for the table" in cells["X2Static, sentence"]["pairs"]["failure"]
    assert "score" in cells["ASE, best overall layer"]["pairs"]
    assert "no room for the table" in told.err


@pytest.mark.slow
def test_further_students_are_rows_and_the_corpus_is_parsed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[Path] = []

    def chain(corpus: Any, *, parser: str, out: Path, field: str, words: int | None) -> Path:
        """Let each word depend on the one before it."""
        parsed.append(out)
        assert (parser, field, words, corpus) == ("made", "text", 500, ("texts.txt",))
        (text,) = corpus
        with out.open("w") as file:
            for line in Path(text).read_text().splitlines():
                columns = enumerate(line.rstrip(".").split(), start=1)
                file.writelines(f"{n}\t{word}\t_\t_\t_\t_\t{n - 1}\tdep\t_\t_\n" for n, word in columns)
                file.write("\n")
        return out

    monkeypatch.setattr("wordstill.studies.table_runs.parse", chain)
    with only("deps", "aggregate", "closed"):
        more = ("--also", "closed", "--parser", "made", "--words", "500")
        for _ in range(2):
            cells = tables(*more, out="parsed")
    assert parsed == [Path("parsed/parsed-made.conllu")]
    assert "score" in cells["context-to-vec-table1", "Deps"]["pairs"]
    assert "score" in cells["x2static-table3", "closed"]["pairs"]
    assert "light" in cells["context-to-vec-table5", "closed"]
    assert Path("parsed/bert-sentence-1/closed").is_dir()
    with pytest.raises(InputError, match="cbow is a row of the papers' tables already"):
        further_rows(("cbow",))


def test_every_published_row_is_a_row_of_its_table_and_has_its_columns() -> None:
    for table in PAPER_TABLES:
        rows = published_rows(table.name)
        assert {row.row for row in rows} <= {kind.name for kind in table.rows}
        assert {kind.name for kind in table.rows} == {row.row for row in rows}
        for row in rows:
            assert len(row.scores) == len(table.columns) + table.average


@pytest.mark.parametrize("table", ["x2static-table3", "x2static-table6", "context-to-vec-table2"])
def test_published_averages_are_those_of_the_published_figures(table: str) -> None:
    """What was read wrongly from a damaged page would not add up. The mean of fastText is the paper's own slip."""
    for row in published_rows(table):
        if "-" in row.scores or "per task" in row.row:
            continue
        *scores, average = (float(re.sub(r"\(.*", "", score)) for score in row.scores)
        near = 1e-3 if average < 1 else 0.1
        if row.row != "fastText" or average > 1:
            assert sum(scores) / len(scores) == pytest.approx(average, abs=near), row


def test_cells_in_markdown_and_latex_do_no_harm() -> None:
    cells = [["a|b", "<script>", r"\input{x}"], ["_c_", "$d$", "50 %"]]
    study = Study("Title & more", [], ["row", "made of", "score"], cells, lambda: None, ["100 %"])  # type: ignore[arg-type, return-value]
    markdown = as_markdown(study).splitlines()
    assert r"| a\|b | \<script\> | \\input{x} |" in markdown
    latex = as_latex(study)
    assert r"a\textbar{}b & \textless{}script\textgreater{} & \textbackslash{}input\{x\} \\" in latex
    assert r"\caption{Title \& more}" in latex
    assert "% 100 \\%" in latex
    assert Table("Title & more", study.head, cells) == study.every_table[0]


def test_an_option_of_no_row_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    call = ["study", "tables", "--corpus", "texts.txt", "--teacher", "bert", "--datasets", "pairs.tsv", "--out", "no"]
    assert main([*call, "--set", "closed.power=1", "-q"]) == 2
    assert "an option is set for 'closed', of which no row is" in capsys.readouterr().err
    with pytest.raises(InputError, match="does not read 'context'"):
        wordstill_study("tables", corpus="texts.txt", teacher=["bert"], out="no", context="paragraph")
