from __future__ import annotations

import json
from pathlib import Path

import pytest

from wordstill.cli import main
from wordstill.evaluation import download as downloading
from wordstill.evaluation.datasets import DATASETS, File


@pytest.fixture(autouse=True)
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.delenv("WORDSTILL_DATA", raising=False)
    monkeypatch.setenv("WORDSTILL_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_list_shows_what_is_here_what_can_be_had_and_the_licence(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["data", "list"]) == 0
    lines = {line.split()[0]: line for line in capsys.readouterr().out.splitlines()}
    assert set(DATASETS) < set(lines)
    assert "here (package)" in lines["ws353"]
    assert "can be had" in lines["men3k"]
    assert "CC BY 2.0" in lines["men3k"]
    assert "not here" in lines["esslli-nouns"]


def test_list_as_json_has_addresses_and_hashes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["data", "list", "--json"]) == 0
    listed = {entry["name"]: entry for entry in json.loads(capsys.readouterr().out)}
    assert len(listed["semeval2012"]["files"]) == 158
    assert listed["rg65"]["files"][0]["sha256"].startswith("c243f3a9")
    assert listed["rg65"]["path"] is None


def test_get_downloads_into_the_cache_and_path_finds_it(
    cache: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    fetched = []

    def fetch(file: File, name: str) -> bytes:
        fetched.append(name)
        return b"a b 1\n"

    monkeypatch.setattr(downloading, "fetch", fetch)
    assert main(["data", "get", "rg65"]) == 0
    shown = capsys.readouterr()
    assert shown.out.strip() == str(cache / "rg65" / "EN-RG-65.txt")
    assert "licence: unknown" in shown.err
    assert main(["data", "get", "rg65"]) == 0
    assert fetched == ["rg65"]
    assert main(["data", "get", "rg65", "--force"]) == 0
    assert fetched == ["rg65", "rg65"]
    assert main(["data", "path", "rg65"]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == str(cache / "rg65" / "EN-RG-65.txt")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["path", "men3k"], "get it with: wordstill data get men3k"),
        (["path", "rg66"], "no data set 'rg66'"),
        (["get", "esslli-nouns"], "has no public address"),
        (["get", "ws353", "rg66"], "no data set 'rg66'"),
    ],
)
def test_bad_names_are_one_sentence_and_exit_code_two(
    capsys: pytest.CaptureFixture[str], arguments: list[str], expected: str
) -> None:
    assert main(["data", *arguments]) == 2
    shown = capsys.readouterr()
    assert expected in shown.err
    assert shown.out == ""
