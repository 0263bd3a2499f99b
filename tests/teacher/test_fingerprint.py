"""A teacher's fingerprint: the same wherever it was found, another one for anything it computes with."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from small_models import KINDS, make_model
from wordstill.teacher import fingerprint as module
from wordstill.teacher.fingerprint import fingerprint_of_teacher
from wordstill.teacher.load import load_teacher


@pytest.fixture(scope="module")
def bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_model("bert", tmp_path_factory.mktemp("models") / "bert")


def fingerprint_in(folder: Path) -> str:
    return fingerprint_of_teacher(load_teacher(folder))


@pytest.mark.parametrize("kind", KINDS)
def test_it_is_the_same_from_another_folder_and_another_one_with_one_other_number(kind: str, tmp_path: Path) -> None:
    make_model(kind, tmp_path / "one")
    shutil.copytree(tmp_path / "one", tmp_path / "elsewhere" / "two")
    teacher = load_teacher(tmp_path / "one")
    first = fingerprint_of_teacher(teacher)
    assert first == fingerprint_of_teacher(teacher) == fingerprint_in(tmp_path / "elsewhere" / "two")
    assert len(first) == 64
    tensors = list(teacher.model.state_dict().values())
    for tensor in (tensors[0], tensors[len(tensors) // 2], tensors[-1]):
        number = tensor.view(-1)[-1].item()
        tensor.view(-1)[-1] += 1
        assert fingerprint_of_teacher(teacher) != first
        tensor.view(-1)[-1] = number
    assert fingerprint_of_teacher(teacher) == first


def test_models_of_all_kinds_are_told_apart(tmp_path: Path) -> None:
    assert len({fingerprint_in(make_model(kind, tmp_path / kind)) for kind in KINDS[:5]}) == 5


def edit(path: Path, **changes: Any) -> None:
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))


@pytest.mark.parametrize(
    ("changes", "same"),
    [
        ({"layer_norm_eps": 1e-3}, False),
        ({"hidden_act": "relu"}, False),
        ({"num_attention_heads": 2}, False),
        ({"transformers_version": "1.2.3"}, True),
        ({"_name_or_path": "somewhere/else"}, True),
        ({"architectures": ["BertModel"]}, True),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_what_a_model_computes_with_counts_and_where_it_came_from_does_not(
    bert: Path, tmp_path: Path, changes: dict[str, Any], same: bool
) -> None:
    shutil.copytree(bert, tmp_path / "bert")
    edit(tmp_path / "bert" / "config.json", **changes)
    assert (fingerprint_in(tmp_path / "bert") == fingerprint_in(bert)) == same


def test_another_tokenizer_is_another_teacher(bert: Path, tmp_path: Path) -> None:
    shutil.copytree(bert, tmp_path / "bert")
    path = tmp_path / "bert" / "tokenizer.json"
    told = json.loads(path.read_text())
    pieces = told["model"]["vocab"]
    one, other = list(pieces)[-2:]
    pieces[one], pieces[other] = pieces[other], pieces[one]
    path.write_text(json.dumps(told))
    assert fingerprint_in(tmp_path / "bert") != fingerprint_in(bert)
    told = json.loads((bert / "tokenizer.json").read_text())
    told["normalizer"]["lowercase"] = False
    path.write_text(json.dumps(told))
    assert fingerprint_in(tmp_path / "bert") != fingerprint_in(bert)


def test_another_limit_is_another_teacher(bert: Path) -> None:
    teacher = load_teacher(bert)
    assert fingerprint_of_teacher(load_teacher(bert, longest=20)) != fingerprint_of_teacher(teacher)
    assert fingerprint_of_teacher(replace(teacher, padding_piece=3)) != fingerprint_of_teacher(teacher)
    assert fingerprint_of_teacher(replace(teacher, name="other", revision="main")) == fingerprint_of_teacher(teacher)


def test_words_that_were_cut_before_do_not_count(bert: Path) -> None:
    teacher = load_teacher(bert)
    before = fingerprint_of_teacher(teacher)
    teacher.pieces(["river", "unbelievable"])
    assert fingerprint_of_teacher(teacher) == before


@pytest.mark.parametrize("mib", [1 << 8, 1 << 20])
def test_weights_trained_otherwise_are_found_in_tensors_too_large_to_be_read_whole(
    bert: Path, monkeypatch: pytest.MonkeyPatch, mib: int
) -> None:
    monkeypatch.setattr(module, "STRETCHES", 4)
    monkeypatch.setattr(module, "MIB", mib)
    teacher = load_teacher(bert)
    table = next(iter(teacher.model.state_dict().values()))
    before, size = fingerprint_of_teacher(teacher), table.nelement() * table.element_size()
    assert (size > 4 * mib) == (mib == 1 << 8)
    for change in (lambda: table.view(-1)[:1].add_(1), lambda: table.view(-1)[-1:].add_(1)):
        change()  # the first and the last number are among the stretches
        after = fingerprint_of_teacher(teacher)
        assert after != before
        before = after
    with torch.no_grad():
        table += 1e-3
    assert fingerprint_of_teacher(teacher) != before
