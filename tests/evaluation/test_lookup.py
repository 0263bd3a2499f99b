from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from wordstill.errors import InputError
from wordstill.evaluation.datasets import DATASETS, FIVE, dataset
from wordstill.evaluation.lookup import differing_files, file_sha256, find
from wordstill.evaluation.tasks import find_task
from wordstill.evaluation.tasks.similarity import read_pairs
from wordstill.io.files import cache_folder


def test_every_named_set_is_in_the_registry_with_address_hash_and_licence() -> None:
    similarity = ["rg65", "ws353", "ws353s", "ws353r", "simlex999", "simverb3500", "rw2034", "men3k"]
    others = ["google", "msr", "semeval2012", "ap", "battig", "esslli-nouns", "esslli-verbs"]
    texts = ["stsb", "stsb-dev", "sick-r"]
    trained = [*texts, "mr", "cr", "subj", "mpqa", "trec", "sst5", "conll2000", "ewt-pos", "wnut17"]
    names = [*similarity, *others, *trained]
    assert list(DATASETS) == names
    assert set(FIVE) <= set(names)
    for entry in DATASETS.values():
        task = find_task(entry.task)
        assert task is not None
        assert task.quick != (entry.name in trained)
        assert entry.citation
        assert entry.licence
        assert entry.files
        for file in entry.files:
            assert len(file.sha256) == 64
            assert (file.address is None) == (entry.repository is None)
            assert file.address is None or f"/{entry.commit}/" in file.address


def test_the_registry_is_imported_without_network_or_heavy_packages() -> None:
    code = (
        "import sys, wordstill.evaluation.lookup; from wordstill.evaluation.tasks import all_tasks; all_tasks();"
        "print([name for name in ('torch', 'scipy', 'sklearn', 'urllib.request') if name in sys.modules])"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "[]"


def test_every_file_of_a_full_collection_is_the_pinned_one(shared_data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORDSTILL_DATA", str(shared_data))
    for entry in DATASETS.values():
        found = find(entry)
        assert found is not None, entry.name
        assert found.place == "folder"
        assert differing_files(entry, found) == []


def place(entry_name: str, base: Path) -> None:
    for file in dataset(entry_name).files:
        path = base / file.name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("a b 1\n")


@pytest.mark.parametrize("layout", ["similarity", "rg65", "."])
def test_a_data_folder_may_be_a_collection_a_folder_a_set_or_flat(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, layout: str
) -> None:
    place("rg65", tmp_path / "data" / layout)
    (tmp_path / "empty").mkdir()
    monkeypatch.setenv("WORDSTILL_DATA", os.pathsep.join([str(tmp_path / "empty"), str(tmp_path / "data")]))
    found = find(dataset("rg65"))
    assert found is not None
    assert found.path == tmp_path / "data" / layout / "EN-RG-65.txt"
    assert differing_files(dataset("rg65"), found) == [found.path]


def test_a_set_of_many_files_is_found_only_when_all_are_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place("trec", tmp_path / "TREC")
    monkeypatch.setenv("WORDSTILL_DATA", str(tmp_path))
    found = find(dataset("trec"))
    assert found is not None
    assert found.path == tmp_path / "TREC"
    found.files[0].unlink()
    assert find(dataset("trec")) is None


def test_the_data_folder_comes_before_the_cache_and_that_before_packages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = find(dataset("ws353"))
    assert found is not None
    assert found.place == "package"
    place("ws353", cache_folder() / "ws353")
    found = find(dataset("ws353"))
    assert found is not None
    assert found.place == "cache"
    place("ws353", tmp_path / "mine")
    monkeypatch.setenv("WORDSTILL_DATA", str(tmp_path / "mine"))
    found = find(dataset("ws353"))
    assert found is not None
    assert found.place == "folder"


@pytest.mark.parametrize(
    ("name", "packaged"), [("EN-WS-353-ALL.txt", "wordsim353.tsv"), ("SimLex-999.txt", "simlex999.txt")]
)
def test_a_packages_copy_has_the_same_pairs_as_the_original(
    shared_data: Path, gensim_data: Path, name: str, packaged: str
) -> None:
    original, copy = read_pairs(shared_data / "similarity" / name), read_pairs(gensim_data / packaged)
    assert sorted(zip(original.first, original.second, original.gold, strict=True)) == sorted(
        zip(copy.first, copy.second, copy.gold, strict=True)
    )


def test_the_packaged_google_set_is_the_pinned_file(gensim_data: Path) -> None:
    assert file_sha256(gensim_data / "questions-words.txt") == dataset("google").files[0].sha256


def test_a_data_folder_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("WORDSTILL_DATA", str(tmp_path / "absent"))
    with pytest.raises(InputError, match="absent, which is no folder"):
        find(dataset("rg65"))


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(InputError, match="choose from rg65"):
        dataset("rg66")


def test_the_cache_is_in_the_platforms_place_without_the_variable(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("WORDSTILL_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(sys, "platform", "linux")
    assert cache_folder() == tmp_path / "wordstill"
    monkeypatch.setattr(sys, "platform", "darwin")
    assert cache_folder() == Path.home() / "Library" / "Caches" / "wordstill"
