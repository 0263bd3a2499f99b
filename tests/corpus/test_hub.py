"""Hugging Face datasets: names, pinned revisions, rows."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from wordstill.corpus.hub import HubDataset
from wordstill.corpus.read import Corpus, Position
from wordstill.errors import InputError

ROWS = [{"text": "One.\nTwo."}, {"text": None}, {"text": "Three."}]


class NoNetwork(Exception):
    """Like the errors of the HTTP client, of no class that could be caught by name."""


class Hub:
    """Stands in for the packages `datasets` and `huggingface_hub`, and remembers how it was asked."""

    def __init__(self) -> None:
        self.commit = "c0ffee"
        self.asked: list[dict[str, Any]] = []

    def load_dataset(self, name: str, config: str | None, **options: Any) -> list[dict[str, Any]]:
        self.asked.append({"name": name, "config": config, **options})
        if name == "absent":
            raise FileNotFoundError("no such dataset\nand a long story")
        return ROWS

    def dataset_info(self, name: str, revision: str | None) -> SimpleNamespace:
        if name == "unreachable":
            raise NoNetwork("name or service not known")
        return SimpleNamespace(sha=revision or self.commit)


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Hub:
    stand_in = Hub()
    datasets, huggingface_hub = ModuleType("datasets"), ModuleType("huggingface_hub")
    datasets.load_dataset = stand_in.load_dataset  # type: ignore[attr-defined]
    huggingface_hub.HfApi = lambda: stand_in  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "datasets", datasets)
    monkeypatch.setitem(sys.modules, "huggingface_hub", huggingface_hub)
    return stand_in


@pytest.mark.parametrize(
    ("path", "parsed"),
    [
        ("hf:imdb", HubDataset("imdb", None, "train", None)),
        ("hf:org/wiki:20231101.en", HubDataset("org/wiki", "20231101.en", "train", None)),
        ("hf:org/wiki::test", HubDataset("org/wiki", None, "test", None)),
        ("hf:org/wiki@v1:en:train[:10%]", None),
        ("hf:org/wiki@v1:en:test", HubDataset("org/wiki", "en", "test", "v1")),
        ("hf:", None),
    ],
)
def test_a_path_names_dataset_config_split_and_revision(path: str, parsed: HubDataset | None) -> None:
    if parsed is None:
        with pytest.raises(InputError, match="names no dataset"):
            Corpus([path])
    else:
        assert HubDataset.parse(path) == parsed


def test_rows_are_streamed_at_the_commit_the_fingerprint_was_taken_of(hub: Hub) -> None:
    corpus = Corpus(["hf:org/wiki:en"])
    first = corpus.fingerprint()
    hub.commit = "facade"
    everything = list(corpus.paragraphs())
    assert everything == [(Position(0, 1), "One."), (Position(0, 2), "Two."), (Position(0, 3), "Three.")]
    assert list(corpus.paragraphs(Position(0, 1))) == everything[1:]
    assert corpus.fingerprint() == first
    expected = {"name": "org/wiki", "config": "en", "split": "train", "revision": "c0ffee", "streaming": True}
    assert hub.asked[0] == expected
    assert Corpus(["hf:org/wiki:en"]).fingerprint() != first
    assert Corpus(["hf:org/wiki@c0ffee:en"]).fingerprint() == first


@pytest.mark.usefixtures("hub")
def test_what_a_dataset_lacks_is_named() -> None:
    with pytest.raises(InputError, match=r'row 1 has no field "body": name the one with the text, of text'):
        list(Corpus(["hf:imdb"], field="body").paragraphs())
    with pytest.raises(InputError, match=r"^hf:absent@c0ffee::train cannot be read \(no such dataset\): check"):
        list(Corpus(["hf:absent"]).paragraphs())
    with pytest.raises(InputError, match=r"^hf:unreachable::train cannot be read \(name or service not known\)"):
        list(Corpus(["hf:unreachable"]).paragraphs())


def test_without_the_packages_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(InputError, match=r'pip install "wordstill\[corpora\]"'):
        Corpus(["hf:imdb"]).fingerprint()


def test_the_real_package_reads_a_local_dataset(tmp_path: Path) -> None:
    pytest.importorskip("datasets", reason="the package datasets is not installed")
    lines = "".join(f"{json.dumps(row)}\n" for row in ROWS)
    (tmp_path / "train.jsonl").write_text(lines, encoding="utf-8")
    assert [text for _, text in Corpus([f"hf:{tmp_path}"]).paragraphs()] == ["One.", "Two.", "Three."]
