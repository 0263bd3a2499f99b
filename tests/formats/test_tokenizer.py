"""tokenizer.json, run by Hugging Face's tokenizers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ugly_vectors import WORDS

from wordstill.formats.tokenizer import tokenizer_of, words_of

tokenizers = pytest.importorskip("tokenizers")


def tokens_of(words: list[str], text: str, lowercase: bool = True, whitespace: bool = False) -> list[str]:
    content = tokenizer_of(words, lowercase, whitespace)
    ids = tokenizers.Tokenizer.from_str(json.dumps(content)).encode(text, add_special_tokens=False).ids
    return [[*words, "?"][number] for number in ids]


def test_text_is_lowercased_only_where_the_vocabulary_is() -> None:
    assert tokens_of(["the", "river"], "The RIVER") == ["the", "river"]
    assert tokens_of(["the", "River"], "the River river", lowercase=False) == ["the", "River", "?"]


def test_words_are_cut_as_the_corpus_is() -> None:
    from wordstill.corpus.segment import Segmenter

    text = "Don't pay 10,000 dollars, said the state-of-the-art C++ U.S. bank (in 1914-1918): 東京!"
    words = sorted({word.lower() for sentence in Segmenter()(text) for word in sentence})
    expected = [word.lower() for sentence in Segmenter()(text) for word in sentence]
    assert tokens_of(words, text) == expected


def test_a_word_the_cutting_would_tear_apart_is_found_whole() -> None:
    words = ["new york", "york", "new", "1914-1918", "c major"]
    assert tokens_of(words, "New York, 1914-1918 in C major") == ["new york", "?", "1914-1918", "?", "c major"]
    assert tokens_of(words, "renew yorkshire") == ["?", "?"]


def test_a_phrase_joined_by_underscores_is_found_as_it_is_written() -> None:
    assert tokens_of(["new_york", "york"], "in New York") == ["?", "new_york"]
    assert tokens_of(["new_york", "new york"], "new york new_york") == ["new york", "new_york"]


def test_an_unknown_token_never_takes_the_name_of_a_word() -> None:
    assert tokens_of(["[UNK]", "[UNK]_", "a"], "a b") == ["a", "?"]


def test_text_that_is_tokenized_already_is_cut_at_spaces_only() -> None:
    assert tokens_of(["don't,", "go"], "don't, go", whitespace=True) == ["don't,", "go"]


@given(st.lists(WORDS, unique=True, max_size=8), WORDS, st.booleans(), st.booleans())
def test_every_vocabulary_loads_with_one_number_a_word(
    words: list[str], text: str, lowercase: bool, whitespace: bool
) -> None:
    content = tokenizer_of(words, lowercase, whitespace)
    tokenizer = tokenizers.Tokenizer.from_str(json.dumps(content))
    assert sorted(tokenizer.get_vocab().values()) == list(range(len(words) + 1))
    assert max(tokenizer.encode(text, add_special_tokens=False).ids, default=0) <= len(words)


def saved(path: Path, model: dict[str, Any], added: tuple[dict[str, Any], ...] = ()) -> Path:
    path.write_text(json.dumps({"model": model, "added_tokens": list(added)}))
    return path


PAD = {"id": 0, "content": "[PAD]", "special": True}
NAME = {"id": 4, "content": "wordstill", "special": False}
VOCABULARIES: dict[str, tuple[dict[str, Any], list[str]]] = {
    "WordLevel": (
        {"type": "WordLevel", "vocab": {"[PAD]": 0, "a": 1, "##b": 2, "[UNK]": 3}, "unk_token": "[UNK]"},
        ["a", "##b"],
    ),
    "WordPiece": ({"type": "WordPiece", "vocab": {"[PAD]": 0, "a": 1, "##b": 2, "b": 3}}, ["a", "b"]),
    "Unigram": ({"type": "Unigram", "vocab": [["[PAD]", 0], ["▁a", -1], ["a", -2], ["▁", -3]]}, ["a"]),
    "Unigram without marks": (
        {"type": "Unigram", "vocab": [["[PAD]", 0], ["a", -1], ["b", -2], ["c", -3]]},
        ["a", "b", "c"],
    ),
    "byte-level BPE": (
        {"type": "BPE", "vocab": {"[PAD]": 0, "Ġcaf": 1, "ĠcafÃ©": 2, "ĠÃ": 3}, "merges": []},
        ["caf", "café"],
    ),
    "BPE with an end mark": (
        {"vocab": {"[PAD]": 0, "a</w>": 1, "a": 2, "b</w>": 3}, "end_of_word_suffix": "</w>", "merges": []},
        ["a", "b"],
    ),
}


@pytest.mark.parametrize(("model", "words"), VOCABULARIES.values(), ids=VOCABULARIES.keys())
def test_whole_words_are_read_without_their_marks_and_pieces_left_out(
    tmp_path: Path, model: dict[str, Any], words: list[str]
) -> None:
    found, rows, left_out = words_of(saved(tmp_path / "tokenizer.json", model, (PAD, NAME)))
    assert found == [*words, "wordstill"]
    assert rows[-1] == 4
    assert left_out == 5 - len(found)


def test_byte_level_letters_are_those_of_the_tokenizers_package() -> None:
    from wordstill.formats.tokenizer import _BYTE_OF

    pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    for character in map(chr, [*range(1, 0x250), 0x20AC, 0x6771, 0x1F600]):
        [(piece, _)] = pre_tokenizer.pre_tokenize_str(character)
        assert bytes(_BYTE_OF[letter] for letter in piece).decode() == character
