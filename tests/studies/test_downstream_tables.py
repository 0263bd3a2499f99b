"""The papers' tables of trained models."""

from __future__ import annotations

from pathlib import Path

import pytest

from small_sets import random_vectors, write_majority, write_presence, write_tags
from wordstill.cli import main
from wordstill.studies import study
from wordstill.studies.published import published_rows


@pytest.fixture(autouse=True)
def own_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("WORDSTILL_CACHE", str(tmp_path / "cache"))


def test_published_rows_have_a_score_per_column_and_their_averages_are_right() -> None:
    for row in published_rows("x2static-table4"):
        pairs = [[float(part) for part in score.split("/")] for score in row.scores]
        assert len(pairs) == 7
        for place in (0, 1):
            # Some of the averages that the paper printed are off by more than rounding.
            assert sum(one[place] for one in pairs[:6]) / 6 == pytest.approx(pairs[6][place], abs=0.85)
    assert [len(row.scores) for row in published_rows("context-to-vec-table3")] == [4] * 6
    assert {row.origin for row in published_rows("dynamic-skipgram-table3")} >= {"Wikipedia, 1.1 B words; BERT-base"}


def test_a_table_has_our_rows_and_then_the_papers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_majority(tmp_path / "mr.tsv", 120)
    write_presence(tmp_path / "cr.tsv", 120)
    random_vectors().save(tmp_path / "v.txt")
    sets = f"classification:{tmp_path / 'cr.tsv'},classification:{tmp_path / 'mr.tsv'}"
    options = ["--set", "classification.last_epoch=8", "classification.rates=1e-2", "classification.filters=10"]
    told = ["study", "x2static-table5", str(tmp_path / "v.txt"), "--datasets", sets, "--seeds", "2", *options]
    assert main([*told, "--json", str(tmp_path / "t.json"), "-q"]) == 0
    shown = capsys.readouterr().out
    ours = next(line for line in shown.splitlines() if line.startswith("v.txt"))
    assert ours.count("±") == 6, "F1 and accuracy on both sets and in the mean"
    assert (tmp_path / "t.json").is_file()
    found = study(
        "x2static-table4",
        models=[str(tmp_path / "v.txt")],
        datasets=sets.split(","),
        task_options={"classification": {"last_epoch": "8", "rates": "1e-2", "filters": "10"}},
    )
    assert found.head == ["vectors", "made of", "cr", "mr", "average"]
    assert found.rows[0][:2] == ["v.txt", "here"]
    assert found.tables[0].published == list(range(1, len(found.rows)))
    theirs = found.rows[1]
    assert (theirs[0], theirs[2], theirs[3], theirs[4]) == ("paper: GloVe", "81.6/83.2", "78.2/78.2", "66.1/78.1")


def test_the_tables_of_tags_are_made_of_a_users_own_files_too(tmp_path: Path) -> None:
    write_tags(tmp_path / "conll2000.conll", 40)
    random_vectors().save(tmp_path / "v.txt")
    for name in ("dynamic-skipgram-table3", "context-to-vec-table3"):
        found = study(
            name,
            models=[str(tmp_path / "v.txt")],
            datasets=[f"tagging:{tmp_path / 'conll2000.conll'}"],
            task_options={"tagging": {"epochs": "1"}},
        )
        assert found.head == ["vectors", "made of", "conll2000"]
        assert len(found.rows) > 5
        assert found.records[-1]["paper"] in ("contextual", "Context-to-Vec")
