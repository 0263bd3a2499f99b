"""Decoders are told from encoders by what they compute, and are read as decoders must be."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from transformers import AutoModel, AutoTokenizer

from small_models import KINDS, make_model
from wordstill.teacher.load import load_teacher
from wordstill.teacher.sentences import sentence_pooling, sentence_vectors

DECODERS = {"gpt2", "llama"}


@pytest.mark.parametrize("kind", KINDS)
def test_a_decoder_is_known_by_what_it_computes(kind: str, tmp_path: Path) -> None:
    teacher = load_teacher(make_model(kind, tmp_path))
    assert teacher.decoder == (kind in DECODERS)
    assert teacher.usual_layer == (1 if kind in DECODERS else teacher.layers)
    assert sentence_pooling(teacher).modes == (("lasttoken",) if kind in DECODERS else ("mean",))
    if kind in DECODERS:
        assert len(teacher.pieces.prefix) == 1


def test_a_decoders_sentence_vector_is_that_of_the_last_token_behind_a_mark(tmp_path: Path) -> None:
    folder = make_model("gpt2", tmp_path)
    tokenizer, model = AutoTokenizer.from_pretrained(folder), AutoModel.from_pretrained(folder).eval()
    ids = torch.tensor([[tokenizer.bos_token_id, *tokenizer("what does river mean?")["input_ids"]]])
    with torch.no_grad():
        expected = model(ids, output_hidden_states=True).hidden_states[1][0, -1].numpy()
    found = sentence_vectors(load_teacher(folder), ["what does river mean?", "the sea"], layer=1)[0]
    assert found == pytest.approx(expected, abs=1e-5)
