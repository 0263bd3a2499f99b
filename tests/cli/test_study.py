"""Studies, called as the shell calls them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from wordstill.cli import main
from wordstill.evaluation.tasks.similarity import read_pairs
from wordstill.formats import save
from wordstill.studies import STUDIES
from wordstill.vectors import WordVectors


@pytest.fixture
def folder(tmp_path: Path, shared_data: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Random vectors of the words of two small sets, and a lexicon of the pairs people find alike."""
    monkeypatch.setenv("WORDSTILL_DATA", str(shared_data))
    words: dict[str, None] = {}
    lines = []
    for name in ("EN-RG-65.txt", "EN-WS-353-SIM.txt"):
        pairs = read_pairs(shared_data / "similarity" / name)
        words |= dict.fromkeys(word.lower() for word in (*pairs.first, *pairs.second))
        alike = pairs.gold > np.median(pairs.gold)
        lines += [f"{a} {b}".lower() for a, b, near in zip(pairs.first, pairs.second, alike, strict=True) if near]
    matrix = np.random.default_rng(0).standard_normal((len(words), 20)).astype(np.float32)
    save(WordVectors(list(words), matrix), tmp_path / "v")
    (tmp_path / "lexicon.txt").write_text("\n".join(lines))
    (tmp_path / "antonyms.txt").write_text("coast forest\n")
    return tmp_path


def test_table_4_compares_each_way_with_none(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call = ["study", "context-to-vec-table4", str(folder / "v"), "--lexicon", str(folder / "lexicon.txt")]
    call += ["--datasets", "rg65,ws353s", "--resamples", "50"]
    call += ["--json", str(folder / "t.json"), "--png", str(folder / "t.svg")]
    assert main([*call, "--antonyms", str(folder / "antonyms.txt")]) == 0
    output = capsys.readouterr()
    assert "graph-retrofit: sweep 10: objective" in output.err
    rows = [line for line in output.out.splitlines() if line.startswith(("none", "retrofit", "spectral", "graph-"))]
    assert len(rows) == 6
    written = json.loads((folder / "t.json").read_text())
    assert written["study"] == "context-to-vec-table4"
    assert "graph-retrofit, antonyms" in (folder / "t.svg").read_text()
    found = {(record["vectors"], record["dataset"]): record for record in written["records"]}
    assert len(found) == 18
    for name in ("rg65", "ws353s", "overall"):
        assert found["none", name]["difference"] == 0
        record = found["graph-retrofit", name]
        assert record["difference"] == pytest.approx(record["score"] - found["none", name]["score"])
        assert record["difference_low"] > 0, "the lexicon knows which pairs are alike"
        assert record["coverage"] == 1


def test_a_study_needs_its_lexicon_and_a_name_that_is_known(folder: Path) -> None:
    for call in (["study", "context-to-vec-table4", str(folder / "v")], ["study", "nothing"], ["study"]):
        with pytest.raises(SystemExit, match="2"):
            main(call)


@pytest.mark.parametrize("name", STUDIES)
def test_every_study_tells_what_it_compares(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="0"):
        main(["study", name, "--help"])
    assert f"wordstill study {name}" in capsys.readouterr().out


def test_measurements_replace_no_file_that_a_study_did_not_write(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "package.json").write_text('{"name": "mine"}')
    call = ["study", "context-to-vec-table4", str(folder / "v"), "--lexicon", str(folder / "lexicon.txt")]
    call += ["--datasets", "rg65", "--resamples", "5", "--json", str(folder / "package.json")]
    assert main(call) == 2
    assert "is not recognised as wordstill's own" in capsys.readouterr().err
    assert (folder / "package.json").read_text() == '{"name": "mine"}'
    assert main([*call[:-1], str(folder / "own.json")]) == 0
    assert main([*call[:-1], str(folder / "own.json")]) == 0
