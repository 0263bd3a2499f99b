"""Words to wordpieces, by the teacher's own fast tokenizer.

A fast tokenizer that is given a text already split into words cuts each word by itself, whatever stands
around it. So the pieces of a word are looked up once and kept, and a text is the concatenation of its words'
pieces: the same pieces and the same alignment as a call with `is_split_into_words=True` and `word_ids()`
(the tests compare the two for every architecture), at the price of the distinct words only.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import count
from typing import Any

import numpy as np

from wordstill.arrays import Array
from wordstill.errors import InputError

# Distinct words whose pieces are kept. The table is emptied when it is full: memory is not the corpus's.
KEPT_WORDS = 400_000
# Words that are given to the tokenizer as one text, split already.
LINE = 64


class PieceTable:
    """The pieces of words and the special tokens around a text, as one teacher's tokenizer has them."""

    _numbers: dict[str, int]
    _pieces: Array
    _lengths: Array

    def __init__(self, tokenizer: Any) -> None:
        if not getattr(tokenizer, "is_fast", False):
            raise InputError(
                f"the teacher's tokenizer ({type(tokenizer).__name__}) has no fast version, which the alignment of "
                "words and pieces needs; choose a teacher with a tokenizer.json"
            )
        self._template(tokenizer)
        # A copy, because the settings below must not leak into a tokenizer that someone else holds.
        self._backend = type(tokenizer.backend_tokenizer).from_str(tokenizer.backend_tokenizer.to_str())
        self._backend.no_truncation()
        self._backend.no_padding()
        # "[SEP]" in a corpus is text that someone wrote, not a command to the teacher. Some vocabularies have such
        # marks among their ordinary pieces too, so they are also taken out of what comes back.
        self._backend.encode_special_tokens = True
        self._special = sorted(set(tokenizer.all_special_ids) - {tokenizer.unk_token_id})
        # Byte-level BPE marks the beginning of a word by the space before it.
        self._space = " " if _byte_level(self._backend) else ""
        self._forget()

    @property
    def last(self) -> int:
        """The highest number that the tokenizer can give."""
        return max(self._backend.get_vocab(with_added_tokens=True).values(), default=-1)

    def __setstate__(self, state: dict[str, Any]) -> None:
        """In another process: the tokenizer does not take this setting along."""
        self.__dict__ = state
        self._backend.encode_special_tokens = True

    def definition(self) -> str:
        """Return all that decides how words are cut, as text."""
        around = [np.asarray(part).tolist() for part in (self.prefix, self.suffix)]
        return json.dumps([self._backend.to_str(), around, self._special, self._space])

    def _template(self, tokenizer: Any) -> None:
        """Learn the special tokens before and after a text, and the token types, from an encoded example."""
        example = tokenizer(["a"], is_split_into_words=True)
        inside = [place for place, word in enumerate(example.word_ids()) if word is not None]
        ids, types = example["input_ids"], example.get("token_type_ids")
        if not inside:
            raise InputError("the teacher's tokenizer gives no piece for the word 'a': it cannot read text")
        first, last = inside[0], inside[-1] + 1
        self.prefix, self.suffix = ids[:first], ids[last:]
        # None where the model does not take token types (or takes their absence for zero).
        self.types: tuple[list[int], int, list[int]] | None = None
        if types is not None and any(types):
            self.types = (types[:first], types[first], types[last:])

    def __call__(self, words: Sequence[str]) -> tuple[Array, Array]:
        """The pieces of all words in a row, and how many each word has (0: the tokenizer drops it)."""
        new = [word for word in dict.fromkeys(words) if word not in self._numbers]
        if new:
            if len(self._numbers) + len(new) > KEPT_WORDS:
                self._forget()
                new = list(dict.fromkeys(words))
            pieces, lengths = self._encode(new)
            self._numbers.update(zip(new, count(len(self._numbers)), strict=False))
            self._pieces = np.concatenate([self._pieces, pieces])
            self._lengths = np.concatenate([self._lengths, lengths])
        numbers = np.fromiter(map(self._numbers.__getitem__, words), dtype=np.int32, count=len(words))
        return spread(self._pieces, self._lengths, numbers)

    def of_texts(self, texts: Sequence[str], most: int) -> tuple[Array, Array]:
        """The pieces of whole texts in a row, as the tokenizer cuts running text, and how many each has.

        A text is cut off after its first `most` pieces.
        """
        encoded = self._backend.encode_batch(list(texts), add_special_tokens=False)
        rows = [np.array(text.ids, dtype=np.int32) for text in encoded]
        rows = [row[~np.isin(row, self._special)][:most] for row in rows]
        lengths = np.array([len(row) for row in rows], dtype=np.int32)
        return np.concatenate([np.zeros(0, dtype=np.int32), *rows]), lengths

    def _forget(self) -> None:
        self._numbers = {}
        self._pieces, self._lengths = (np.zeros(0, dtype=np.int32) for _ in range(2))

    def _encode(self, words: list[str]) -> tuple[Array, Array]:
        """As the tokenizer has them. Lines of words take it half the time of as many words by themselves."""
        spaced = [self._space + word for word in words]
        lines = [spaced[first : first + LINE] for first in range(0, len(words), LINE)]
        encoded = self._backend.encode_batch(lines, is_pretokenized=True, add_special_tokens=False)
        pieces = np.concatenate([np.array(line.ids, dtype=np.int32) for line in encoded])
        numbers = np.concatenate(
            [np.array(line.word_ids, dtype=np.int64) + first * LINE for first, line in enumerate(encoded)]
        )
        kept = ~np.isin(pieces, self._special)
        return pieces[kept], np.bincount(numbers[kept], minlength=len(words)).astype(np.int32)


def spread(pieces: Array, lengths: Array, codes: Array) -> tuple[Array, Array]:
    """The pieces of a text's words in a row, and their numbers, from those of its distinct words."""
    starts = (np.cumsum(lengths) - lengths)[codes]
    lengths = lengths[codes]
    ends = np.cumsum(lengths)
    within = np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - lengths, lengths)
    return pieces[np.repeat(starts, lengths) + within], lengths


def _byte_level(backend: Any) -> bool:
    cutter = json.loads(backend.to_str())["pre_tokenizer"] or {}
    return any(part["type"] == "ByteLevel" for part in cutter.get("pretokenizers", [cutter]) if part)
