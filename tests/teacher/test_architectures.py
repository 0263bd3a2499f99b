"""Every architecture against a plain computation: one text at a time, through the tokenizer's own alignment."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from transformers import AutoModel, AutoTokenizer

from small_models import KINDS, make_model
from wordstill.teacher.encode import Pooling, forward, lay_out, to_batch
from wordstill.teacher.load import Teacher, load_teacher
from wordstill.teacher.texts import Dropped, Text, make_batches, make_texts

pytestmark = pytest.mark.slow

SENTENCES = [
    ["The", "river", "Danube", "flows", "through", "ten", "countries", "."],
    ["Isn't", "it", "U.S.", "3.5", "?"],
    ["Unbelievable", "internationalisation", "of", "Çatalhöyük", "東京", "."],
    ["Yes"],
    ["the", "quick", "brown", "fox", "jumps", "over", "the", "lazy", "dog", ",", "10,000", "times", "."],
]


@pytest.fixture(scope="module", params=KINDS)
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_model(request.param, tmp_path_factory.mktemp(request.param))


@functools.cache
def loaded(folder: Path) -> tuple[Any, Any]:
    tokenizer = AutoTokenizer.from_pretrained(folder)
    tokenizer.backend_tokenizer.no_truncation()
    tokenizer.backend_tokenizer.no_padding()
    model = AutoModel.from_pretrained(folder).eval()
    return tokenizer, model.get_encoder() if model.config.is_encoder_decoder else model


def plain_alignment(tokenizer: Any, words: Sequence[str]) -> tuple[Any, list[int | None]]:
    """The encoded text and the word of each piece, both as the tokenizer itself tells them."""
    if "ByteLevel" not in tokenizer.backend_tokenizer.to_str():
        encoded = tokenizer(list(words), is_split_into_words=True, return_tensors="pt")
        return encoded, encoded.word_ids()
    # Byte-level tokenizers mark a word by the space before it: plain text, and the offsets of its pieces.
    ends = np.cumsum([len(word) + 1 for word in words])
    encoded = tokenizer("".join(f" {word}" for word in words), return_offsets_mapping=True, return_tensors="pt")
    offsets = encoded.pop("offset_mapping")[0].tolist()
    owners = [int(np.searchsorted(ends, end)) if end else None for _, end in offsets]
    if None not in owners:  # GPT-2's tokenizer marks no beginning; a decoder's first token says nothing of its word
        first = {"input_ids": tokenizer.bos_token_id, "attention_mask": 1}
        encoded = {name: torch.tensor([[first[name], *row[0].tolist()]]) for name, row in encoded.items()}
        owners = [None, *owners]
    return encoded, owners


def plain_vectors(folder: Path, words: Sequence[str], layer: int, pooling: Pooling) -> list[Any]:
    """One text, one layer, a loop over words."""
    tokenizer, model = loaded(folder)
    encoded, word_of_piece = plain_alignment(tokenizer, words)
    with torch.no_grad():
        output = model(**encoded, output_hidden_states=True)
    last = layer == model.config.num_hidden_layers
    hidden = (output.last_hidden_state if last else output.hidden_states[layer])[0]
    pools = {
        "mean": lambda pieces: pieces.mean(0),
        "first": lambda pieces: pieces[0],
        "last": lambda pieces: pieces[-1],
        "max": lambda pieces: pieces.max(0).values,
        "min": lambda pieces: pieces.min(0).values,
    }
    vectors = []
    for number in range(len(words)):
        pieces = hidden[[place for place, word in enumerate(word_of_piece) if word == number]]
        vectors.append(pools[pooling](pieces).numpy())
    return vectors


def text_of(teacher: Teacher, sentences: Sequence[Sequence[str]], context: Any = "paragraph") -> list[Text]:
    words = [word for sentence in sentences for word in sentence]
    pieces, lengths = teacher.pieces(words)
    numbers = np.arange(len(words), dtype=np.int32)
    sizes = [len(sentence) for sentence in sentences]
    return list(make_texts(numbers, pieces, lengths, sizes, context, teacher.limit, Dropped()))


@pytest.fixture(scope="module")
def teacher(folder: Path) -> Teacher:
    return load_teacher(folder)


@pytest.mark.slow
@pytest.mark.parametrize("pooling", ["mean", "first", "last", "max", "min"])
def test_word_vectors_of_a_padded_batch_equal_one_text_at_a_time(
    folder: Path, teacher: Teacher, pooling: Pooling
) -> None:
    texts = [text for sentence in SENTENCES for text in text_of(teacher, [sentence])]
    layers = list(range(teacher.layers + 1)) if pooling == "mean" else [teacher.layers]
    grid = lay_out(teacher, texts)
    batch = to_batch(texts, grid, forward(teacher, grid, layers), pooling)
    for layer in layers:
        plain = [vector for words in SENTENCES for vector in plain_vectors(folder, words, layer, pooling)]
        np.testing.assert_allclose(batch.layers[layer], np.stack(plain), atol=2e-5)


def test_a_whole_paragraph_is_one_context(folder: Path, teacher: Teacher) -> None:
    texts = text_of(teacher, SENTENCES[:2])
    assert len(texts) == 1
    grid = lay_out(teacher, texts)
    batch = to_batch(texts, grid, forward(teacher, grid, [teacher.layers]))
    words = [word for sentence in SENTENCES[:2] for word in sentence]
    plain = plain_vectors(folder, words, teacher.layers, "mean")
    np.testing.assert_allclose(batch.layers[teacher.layers], np.stack(plain), atol=2e-5)
    assert batch.sentences.tolist() == [0] * 8 + [1] * 5
    assert batch.positions.tolist() == [*range(8), *range(5)]


def test_text_at_the_length_limit_is_read(teacher: Teacher) -> None:
    """The limit is right: a text of just that many pieces runs, through the last position the model has."""
    special = len(teacher.pieces.prefix) + len(teacher.pieces.suffix)
    assert teacher.limit == 64 - special
    short = next(word for word in ("the", "a", "t", ".") if len(teacher.pieces([word])[0]) == 1)
    texts = text_of(teacher, [[short] * teacher.limit])
    assert len(texts) == len(texts[0].rows) == 1
    grid = lay_out(teacher, texts)
    assert grid.pieces.shape == (1, 64)
    assert np.isfinite(forward(teacher, grid, [0, 3])[3].numpy()).all()


def test_special_tokens_written_in_the_text_are_text(teacher: Teacher) -> None:
    special = {*teacher.pieces.prefix, *teacher.pieces.suffix}
    for word in ("[SEP]", "[CLS]", "<s>", "</s>", "<sep>", "<cls>"):
        assert not special & set(teacher.pieces([word])[0].tolist())


def test_batches_in_any_order_give_the_same_vectors(teacher: Teacher) -> None:
    texts = text_of(teacher, SENTENCES, "sentence")
    together = {}
    for tokens in (20, 1000):
        for group in make_batches(texts, tokens, 2, np.random.default_rng(0)):
            grid = lay_out(teacher, group)
            batch = to_batch(group, grid, forward(teacher, grid, [teacher.layers]))
            for number, vector in zip(batch.words, batch.layers[teacher.layers], strict=True):
                if tokens == 20:
                    together[int(number)] = vector
                else:
                    np.testing.assert_allclose(vector, together[int(number)], atol=2e-5)
    assert len(together) == sum(map(len, SENTENCES))
