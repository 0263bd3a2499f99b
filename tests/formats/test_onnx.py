"""ONNX folders: onnxruntime runs the graph, tokenizers finds the words, and both give what `encode` gives."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordstill.arrays import Array
from wordstill.errors import InputError
from wordstill.formats import load, onnx_folder, save
from wordstill.formats.onnx_folder import portable_tokenizer
from wordstill.vectors import WordVectors
from wordstill.vectors.text_words import TextWords

onnx = pytest.importorskip("onnx")
tokenizers = pytest.importorskip("tokenizers")

WORDS = ["the", "river", "bank", "new_york", "new york_city", "c++", "1914-1918", "(a|b]", "##x", "###", "[UNK]", "東"]
MATRIX = np.random.default_rng(8).standard_normal((len(WORDS), 8)).astype(np.float32)
VECTORS = WordVectors(WORDS, MATRIX, range(len(WORDS), 0, -1), {"method": "by hand"})
TEXTS = ["The RIVER bank qqq", "in New York City, C++", "renew yorkshire 1914-1918 (a|b] 東京", "##x ### new york", ""]
OFF = {"float32": 1e-6, "float16": 1e-3, "int8": 1e-2}


def run(folder: Path, texts: list[str]) -> tuple[Array, Array, Array]:
    """Return last_hidden_state, sentence_embedding and the mask of a batch."""
    onnxruntime = pytest.importorskip("onnxruntime")
    tokenizer = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
    unknown = json.loads((folder / "tokenizer_config.json").read_text())["pad_token"]
    tokenizer.enable_padding(pad_token=unknown, pad_id=tokenizer.token_to_id(unknown))
    encoded = tokenizer.encode_batch(texts)
    ids = np.array([one.ids for one in encoded], np.int64)
    mask = np.array([one.attention_mask for one in encoded], np.int64)
    session = onnxruntime.InferenceSession(str(folder / "onnx" / "model.onnx"), providers=["CPUExecutionProvider"])
    hidden, sentences = session.run(
        ["last_hidden_state", "sentence_embedding"], {"input_ids": ids, "attention_mask": mask}
    )
    return hidden, sentences, mask


@pytest.mark.parametrize("dtype", OFF)
def test_onnxruntime_gives_the_vectors_of_encode(tmp_path: Path, dtype: str) -> None:
    save(VECTORS, tmp_path / "v.onnx", dtype=dtype)
    onnx.checker.check_model(str(tmp_path / "v.onnx" / "onnx" / "model.onnx"), full_check=True)
    hidden, sentences, mask = run(tmp_path / "v.onnx", TEXTS)
    assert sentences.dtype == hidden.dtype == np.float32
    np.testing.assert_allclose(sentences, VECTORS.encode(TEXTS), atol=OFF[dtype])
    means = (hidden * mask[:, :, None]).sum(axis=1) / np.maximum(mask.sum(axis=1), 1)[:, None]
    np.testing.assert_allclose(sentences, means, atol=1e-6)


@pytest.mark.parametrize("dtype", OFF)
def test_a_folder_is_read_back(tmp_path: Path, dtype: str) -> None:
    save(VECTORS, tmp_path / "v.onnx", dtype=dtype)
    read = load(tmp_path / "v.onnx")
    assert (read.words, read.card) == (WORDS, VECTORS.card)
    np.testing.assert_array_equal(read.counts, VECTORS.counts)
    np.testing.assert_allclose(read.matrix, MATRIX, atol=2 * OFF[dtype])


@given(
    st.lists(st.sampled_from(["new york", "New", "york", "RIVER", "c++", "1914-1918", "(a|b]", "'s", "é"]), max_size=6),
    st.booleans(),
)
def test_both_tokenizers_find_the_same_words(pieces: list[str], whitespace: bool) -> None:
    card = {"words": "whitespace" if whitespace else "unicode"}
    vectors = WordVectors(WORDS, MATRIX, card={**card, "lowercase": True})
    tokenizer = tokenizers.Tokenizer.from_str(json.dumps(portable_tokenizer(vectors)))
    text = " ".join(pieces)
    found = tokenizer.encode(text, add_special_tokens=False).ids
    assert [-1 if row == len(WORDS) else row for row in found] == TextWords(vectors).rows(text)


def test_numbers_outside_of_the_graph_are_never_opened(tmp_path: Path) -> None:
    save(VECTORS, tmp_path / "v.onnx")
    path = tmp_path / "v.onnx" / "onnx" / "model.onnx"
    graph = onnx.load(str(path))
    tensor = graph.graph.initializer[0]
    tensor.ClearField("raw_data")
    tensor.data_location = onnx.TensorProto.EXTERNAL
    tensor.external_data.add(key="location", value="../config.json")
    path.write_bytes(graph.SerializeToString())
    with pytest.raises(InputError, match="no tensor 'embeddings'"):
        load(tmp_path / "v.onnx")


def test_a_damaged_graph_is_told_in_a_sentence(tmp_path: Path) -> None:
    save(VECTORS, tmp_path / "v.onnx")
    (tmp_path / "v.onnx" / "onnx" / "model.onnx").write_bytes(b"\xff" * 100)
    with pytest.raises(InputError, match="does not load as a graph of ONNX"):
        load(tmp_path / "v.onnx")


def test_more_than_protobuf_holds_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(onnx_folder, "LARGEST", 100)
    with pytest.raises(InputError, match="ONNX at most 2 GiB"):
        save(VECTORS, tmp_path / "v.onnx")
    assert not list(tmp_path.iterdir())


def test_without_the_package_a_sentence_tells_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(InputError, match=r"pip install 'wordstill\[onnx\]'"):
        save(VECTORS, tmp_path / "v.onnx")
