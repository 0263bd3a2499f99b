"""Labelled texts and tagged sentences: how they are read, and that their parts share nothing."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from wordstill.errors import InputError
from wordstill.evaluation.datasets import DATASETS
from wordstill.evaluation.downstream import columns, texts
from wordstill.evaluation.downstream.splits import drawn_parts
from wordstill.evaluation.lookup import find


def test_parts_have_their_shares_and_equal_texts_stay_together() -> None:
    keys = [number % 700 for number in range(1000)]
    parts = drawn_parts(keys, (0.6, 0.2, 0.2))
    assert sorted(np.concatenate(parts).tolist()) == list(range(1000))
    assert [len(part) for part in parts] == pytest.approx([600, 200, 200], abs=3)
    seen = [{keys[place] for place in part} for part in parts]
    assert not (seen[0] & seen[1])
    assert not (seen[0] & seen[2])
    assert not (seen[1] & seen[2])
    assert [part.tolist() for part in drawn_parts(keys, (0.6, 0.2, 0.2))] == [part.tolist() for part in parts]


SIZES = {
    "mr": (10662, 2),
    "cr": (3771, 2),
    "subj": (10000, 2),
    "mpqa": (10603, 2),
    "trec": (5952, 6),
    "sst5": (11855, 5),
}


@pytest.mark.parametrize("name", SIZES)
def test_published_texts_are_read_whole_and_no_part_shares_a_text_with_another(
    name: str, shared_data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORDSTILL_DATA", str(shared_data))
    found = find(DATASETS[name])
    assert found is not None
    data = texts.read_text_files(found.files)
    total, classes = SIZES[name]
    assert len(data.classes) == classes
    # At most some dozens of published training texts are tested too, and left out.
    assert 0 <= total - sum(map(len, data.parts)) < 40
    train, validation, test = (set(part.words) for part in data.parts)
    assert not (train & validation)
    assert not (train & test)
    assert not (validation & test)
    if name == "sst5":
        assert len(data.test) == 2210
    if name == "trec":
        assert len(data.test) == 500
    dev = texts.halve(data, "dev")
    assert dev.test is data.validation
    assert set(dev.train.words) | set(dev.validation.words) == train
    assert texts.halve(data, "test") is data


@pytest.mark.parametrize(
    ("name", "sentences", "spans"), [("conll2000", 10948, True), ("ewt-pos", 16621, False), ("wnut17", 5690, True)]
)
def test_published_tags_are_read_whole(
    name: str, sentences: int, spans: bool, shared_data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORDSTILL_DATA", str(shared_data))
    found = find(DATASETS[name])
    assert found is not None
    data = columns.read_column_files(found.files)
    assert data.has_spans == spans
    assert sum(map(len, data.parts)) == pytest.approx(sentences, rel=0.01)
    train, validation, test = ({one for one in part.words if len(one) > columns.SHORT} for part in data.parts)
    assert not (train & validation)
    assert not (train & test)
    assert not (validation & test)
    if name == "ewt-pos":
        assert len({tag for tags in data.train.tags for tag in tags}) == 17


def test_files_of_your_own_are_read_and_broken_ones_named(tmp_path: Path) -> None:
    own = tmp_path / "own.tsv"
    own.write_text("".join(f"{'good' if number % 2 else 'bad'}\tText number {number}\n" for number in range(30)))
    data = texts.read_text_file(own)
    assert data.classes == ("bad", "good")
    assert data.train.words[0][:2] == ("text", "number")
    for broken, told in (("good no tab\n", "line 1: expected a label"), ("a\tb\na\tc\n", "1 classes")):
        own.write_text(broken)
        with pytest.raises(InputError, match=told):
            texts.read_text_file(own)
    tagged = tmp_path / "own.conll"
    tagged.write_text("".join(f"word{number} N B-X\n. . O\n\n" for number in range(20)))
    sentences = columns.read_column_file(tagged)
    assert [len(part) for part in sentences.parts] == [16, 2, 2]
    assert sentences.test.tags[0] == ("B-X", "O")
    tagged.write_text("word\n")
    with pytest.raises(InputError, match="line 1: expected a word and its tag"):
        columns.read_column_file(tagged)
    with pytest.raises(InputError, match="train and test"):
        columns.read_column_files([tagged])
