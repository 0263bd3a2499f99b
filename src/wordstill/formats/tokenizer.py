"""tokenizer.json, the file by which Hugging Face's tokenizers cut text: written for words, read for its words.

Written: a WordLevel vocabulary behind the project's own segmentation, lowercased first where the vocabulary
is. A word that the segmentation would cut ("new york", "C major") is an added token, found before the cutting.
`_` joins the parts of a phrase: `new_york` stands as "new york" in this file, since that is how it is written in
a text, unless "new york" is a word of its own. The unknown token comes last. Where the vectors have pieces, the
vocabulary is a WordPiece's: other words fall apart into them.

Read: the entries that are whole words. Pieces that continue a word are left out ("##ing" of WordPiece; in
vocabularies that mark where a word starts, "▁" or "Ġ", the entries without the mark; where "</w>" marks the end,
those without it), and so are special tokens. The marks are taken off.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from wordstill.errors import InputError
from wordstill.io.reading import read_json
from wordstill.vectors.pieces import GOES_ON, LONGEST_WORD
from wordstill.vectors.text_words import written_words

UNKNOWN = "[UNK]"


def tokenizer_of(
    words: Sequence[str], lowercase: bool, whitespace: bool = False, pieces: Sequence[str] = ()
) -> dict[str, Any]:
    """The content of a tokenizer.json in which each word's number is its row, and one more for the unknown.

    whitespace  the corpus was tokenized already: words are what stands between spaces
    pieces      what other words fall apart into (see `vectors/pieces.py`): their rows follow those of the words
    """
    from wordstill.corpus.segment import tokenizer_parts

    parts = {"pre_tokenizer": {"type": "WhitespaceSplit"}, "normalizer": None} if whitespace else tokenizer_parts()
    steps = [*([parts["normalizer"]] if parts["normalizer"] else []), *([{"type": "Lowercase"}] if lowercase else [])]
    tokens, added = written_words(words, whitespace)
    for number, piece in enumerate(pieces, len(words)):
        tokens.setdefault(piece, number)
    unknown = UNKNOWN
    while unknown in tokens:
        unknown += "_"
    tokens[unknown] = len(words) + len(pieces)
    model: dict[str, Any] = {"type": "WordLevel", "vocab": tokens, "unk_token": unknown}
    if pieces:
        cutting = {"continuing_subword_prefix": GOES_ON, "max_input_chars_per_word": LONGEST_WORD}
        model = {**model, "type": "WordPiece", **cutting}
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [_added_token(token, tokens[token]) for token in added],
        "normalizer": {"type": "Sequence", "normalizers": steps} if steps else None,
        "pre_tokenizer": parts["pre_tokenizer"],
        "post_processor": None,
        "decoder": None,
        "model": model,
    }


def words_of(path: Path) -> tuple[list[str], list[int], int]:
    """The words of a tokenizer.json, the row of each, and how many entries were left out."""
    content = read_json(path)
    try:
        model = content["model"]
        vocabulary = model["vocab"]
        if isinstance(vocabulary, list):  # Unigram: pairs of piece and score in the order of their rows
            vocabulary = {piece: row for row, (piece, _) in enumerate(vocabulary)}
        rows = {str(token): int(row) for token, row in vocabulary.items()}
        added = content.get("added_tokens") or []
        rows |= {str(token["content"]): int(token["id"]) for token in added}
        special = {str(token["content"]) for token in added if token.get("special")}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(f"{path} is not a tokenizer.json with a vocabulary: {error!r}") from error
    special |= {model["unk_token"]} if isinstance(model.get("unk_token"), str) else set()
    whole = _whole_words(rows, {str(token["content"]) for token in added}, model)
    words: dict[str, int] = {}
    for token, row in sorted(rows.items(), key=lambda item: item[1]):
        if token not in special and (word := whole.get(token)):
            words.setdefault(word, row)
    return list(words), list(words.values()), len(rows) - len(words)


def _added_token(token: str, row: int) -> dict[str, Any]:
    flags = {"single_word": True, "lstrip": False, "rstrip": False, "normalized": True, "special": False}
    return {"id": row, "content": token, **flags}


def _whole_words(rows: Mapping[str, int], added: set[str], model: Mapping[str, Any]) -> dict[str, str]:
    """The word that each entry stands for; entries that are parts of words are missing."""
    prefix, suffix = model.get("continuing_subword_prefix"), model.get("end_of_word_suffix")
    kind = model.get("type", "Unigram" if isinstance(model["vocab"], list) else "BPE")
    pieces = rows.keys() - added
    words = {token: token for token in added}
    if kind == "WordLevel":
        return words | {piece: piece for piece in pieces}
    if kind == "WordPiece":
        prefix = prefix or "##"
        return words | {piece: piece for piece in pieces if not piece.startswith(prefix)}
    if suffix:
        return words | {piece: piece.removesuffix(suffix) for piece in pieces if piece.endswith(suffix)}
    marks = [mark for mark in ("▁", "Ġ") if any(piece.startswith(mark) and len(piece) > 1 for piece in pieces)]
    if not marks:
        return words | {piece: piece for piece in pieces}
    mark = marks[0]
    starting = {piece: piece[1:] for piece in pieces if piece.startswith(mark)}
    return words | (starting if mark == "▁" else {piece: _from_bytes(word) for piece, word in starting.items()})


def _from_bytes(piece: str) -> str:
    """A byte-level piece in ordinary letters; empty where its bytes are not whole characters."""
    try:
        return bytes(_BYTE_OF[letter] for letter in piece).decode("utf-8")
    except (KeyError, UnicodeDecodeError):
        return ""


def _byte_letters() -> dict[str, int]:
    """GPT-2's letters for bytes: printable ones stand for themselves, the others are moved up to 256 and on."""
    printable = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    moved = (byte for byte in range(256) if byte not in printable)
    return {chr(byte): byte for byte in printable} | {chr(256 + n): byte for n, byte in enumerate(moved)}


_BYTE_OF = _byte_letters()
