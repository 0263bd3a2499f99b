"""What loads as a teacher, what is refused, and in which precision it computes."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from small_models import make_model
from wordstill.errors import InputError
from wordstill.teacher.load import load_teacher


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make_model("bert", tmp_path / "bert")


def test_a_folder_that_is_no_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"has no config\.json, nor .*; give a model folder, a Hub name, or 'minilm'"):
        load_teacher(tmp_path)
    with pytest.raises(InputError, match="is no folder"):
        load_teacher(tmp_path / "missing")


def test_a_folder_with_a_broken_config_is_refused_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{not json")
    with pytest.raises(InputError, match="is no JSON that can be read") as caught:
        load_teacher(tmp_path)
    assert "\n" not in str(caught.value)


def test_a_model_without_its_weights_is_refused(folder: Path) -> None:
    weights = load_file(folder / "model.safetensors")
    lost = {name: tensor for name, tensor in weights.items() if "layer.1.attention" not in name}
    save_file(lost, folder / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(InputError, match=r"lacks weights .* its vectors would be random"):
        load_teacher(folder)


def test_a_model_without_a_fast_tokenizer_is_refused(folder: Path) -> None:
    (folder / "tokenizer.json").unlink()
    config = json.loads((folder / "tokenizer_config.json").read_text())
    (folder / "tokenizer_config.json").write_text(json.dumps(config | {"tokenizer_class": "CanineTokenizer"}))
    with pytest.raises(InputError, match="tokenizer"):
        load_teacher(folder)


def test_the_pooler_and_the_head_never_run(folder: Path) -> None:
    teacher = load_teacher(folder)
    names = [name for name, _ in teacher.model.named_modules()]
    assert teacher.model.pooler is None
    assert not [name for name in names if "cls" in name or "lm_head" in name]
    assert not any(parameter.requires_grad for parameter in teacher.model.parameters())
    assert not teacher.model.training


def test_code_in_a_models_folder_does_not_run(folder: Path) -> None:
    config = json.loads((folder / "config.json").read_text())
    config |= {"auto_map": {"AutoModel": "evil.Evil", "AutoConfig": "evil.EvilConfig"}, "model_type": "evil"}
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "evil.py").write_text(f"open({str(folder / 'ran')!r}, 'w')")
    with pytest.raises(InputError):
        load_teacher(folder)
    assert not (folder / "ran").exists()


def test_an_unknown_device_is_refused(folder: Path) -> None:
    with pytest.raises(InputError, match="the device 'toaster' cannot be used here"):
        load_teacher(folder, device="toaster")


def test_weights_saved_in_half_precision_are_computed_with_in_full(folder: Path) -> None:
    weights = {name: tensor.bfloat16() for name, tensor in load_file(folder / "model.safetensors").items()}
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    teacher = load_teacher(folder)
    assert {parameter.dtype for parameter in teacher.model.parameters()} == {torch.float32}


def test_longer_texts_than_asked_for_are_not_made(folder: Path) -> None:
    assert load_teacher(folder, longest=20).limit == 18
    assert load_teacher(folder, longest=4000).limit == 62
    with pytest.raises(InputError, match="no room for text"):
        load_teacher(folder, longest=2)


def test_a_device_without_numbers_is_refused(folder: Path) -> None:
    with pytest.raises(InputError, match="the device 'meta' cannot be used here"):
        load_teacher(folder, device="meta")


def test_weights_that_are_not_finite_are_refused(folder: Path) -> None:
    weights = load_file(folder / "model.safetensors")
    weights["bert.encoder.layer.1.output.dense.bias"][3] = torch.nan
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(InputError, match=r"NaN or infinity in its weights .*layer\.1\.output\.dense\.bias"):
        load_teacher(folder)


def test_a_tokenizer_with_more_pieces_than_the_model_is_refused(folder: Path) -> None:
    tokenizer = json.loads((folder / "tokenizer.json").read_text())
    tokenizer["model"]["vocab"]["beyond"] = 100_000
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer))
    with pytest.raises(InputError, match="piece number 100000; they do not belong together"):
        load_teacher(folder)


@pytest.mark.parametrize("change", [{"num_hidden_layers": 10**9}, {"max_position_embeddings": 10**12}])
def test_a_config_that_asks_for_the_impossible_is_refused(folder: Path, change: dict[str, int]) -> None:
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | change))
    with pytest.raises(InputError, match="which no model has"):
        load_teacher(folder)


@pytest.mark.parametrize("name", ["model.safetensors", "tokenizer.json", "config.json", "tokenizer_config.json"])
@pytest.mark.parametrize("damage", ["cut", "empty", "noise", "deep"])
def test_a_damaged_file_of_a_teacher_is_refused_in_one_sentence(folder: Path, name: str, damage: str) -> None:
    content = (folder / name).read_bytes()
    damaged = {"cut": content[: len(content) // 2], "empty": b"", "noise": b"\xff\x00" * 500, "deep": b"[" * 100_000}
    (folder / name).write_bytes(damaged[damage])
    with pytest.raises(InputError) as caught:
        load_teacher(folder)
    assert "\n" not in str(caught.value)


def test_damaged_weights_in_torchs_own_format_are_refused_in_one_sentence(folder: Path) -> None:
    torch.save(load_file(folder / "model.safetensors"), folder / "pytorch_model.bin")
    (folder / "model.safetensors").unlink()
    content = (folder / "pytorch_model.bin").read_bytes()
    for damaged in (content[:1000], b"", b"\x80\x02}q\x00", b"PK\x03\x04" + b"\x00" * 99):
        (folder / "pytorch_model.bin").write_bytes(damaged)
        with pytest.raises(InputError, match="does not load as a Hugging Face model"):
            load_teacher(folder)


def test_a_pipe_in_a_teachers_folder_is_not_waited_for(folder: Path) -> None:
    (folder / "tokenizer.json").unlink()
    os.mkfifo(folder / "tokenizer.json")
    with pytest.raises(InputError, match=r"tokenizer\.json is no regular file"):
        load_teacher(folder)
