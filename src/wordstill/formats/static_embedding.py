"""Folders of sentence-transformers' StaticEmbedding and of model2vec, read as word vectors.

Which entries of their tokenizers are words: see `tokenizer.py`. Only read; a wordstill folder opens in both.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from wordstill.arrays import Array
from wordstill.errors import InputError
from wordstill.formats.format import Format
from wordstill.formats.tokenizer import words_of
from wordstill.io import safetensors
from wordstill.io.reading import read_json
from wordstill.vectors import WordVectors


def find(folder: Path) -> Path | None:
    """The folder that has the tensors and the tokenizer: this one, or the one that its modules.json names."""
    places = [folder, folder / "0_StaticEmbedding"]
    try:
        modules = read_json(folder / "modules.json")
        named = [module["path"] for module in modules if module["type"].endswith("StaticEmbedding")]
        places = [*(folder / name for name in named), *places]
    except (InputError, KeyError, TypeError, AttributeError):
        pass  # Without a readable modules.json the two usual places are left.
    whole = (place for place in places if all((place / name).is_file() for name in FILES))
    return next(whole, None)


FILES = ("model.safetensors", "tokenizer.json")


def read(folder: Path) -> WordVectors:
    """The vectors of the entries that are whole words."""
    place = find(folder)
    if place is None:
        raise InputError(f"{folder} has no model.safetensors and tokenizer.json")
    arrays, _ = safetensors.read(place / "model.safetensors")
    embeddings = arrays.get("embeddings", arrays.get("embedding.weight"))
    if embeddings is None or embeddings.ndim != 2:
        raise InputError(
            f"{place / 'model.safetensors'} has no tensor 'embeddings' or 'embedding.weight' of one row per word;"
            " it may be a transformer: distill it first"
        )
    mapping, weights = arrays.get("mapping"), arrays.get("weights")
    words, rows, left_out = words_of(place / "tokenizer.json")
    entries = len(embeddings) if mapping is None else len(mapping)
    if rows and max(rows) >= entries:
        raise InputError(f"{place} has {entries} vectors, and a word with the number {max(rows)} in its tokenizer")
    matrix = _rows(embeddings, np.asarray(rows, np.int64) if mapping is None else mapping[rows])
    if np.issubdtype(matrix.dtype, np.integer):
        # model2vec's int8 rows have one scale for all, which no cosine sees.
        matrix = matrix.astype(np.float32)
    if weights is not None:
        matrix = matrix * weights[rows, None].astype(matrix.dtype)
    notes = [f"{left_out} entries of the tokenizer are parts of words or special tokens and were left out"]
    return WordVectors(words, matrix, card={"notes": notes} if left_out else None)


def _rows(embeddings: Array, rows: Array) -> Array:
    try:
        together = len(rows) and rows[0] + len(rows) == rows[-1] + 1 and bool((np.diff(rows) == 1).all())
        # Neighbouring rows stay memory-mapped.
        return embeddings[rows[0] : rows[0] + len(rows)] if together else embeddings[rows]
    except IndexError as error:
        raise InputError(f"a row number of the mapping lies beyond the {len(embeddings)} embeddings") from error


FORMAT = Format(
    "static-embedding",
    "a folder that sentence-transformers or model2vec saved",
    recognises=lambda path, head: find(path) is not None,
    read=read,
)
