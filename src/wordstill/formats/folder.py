"""The vectors folder: wordstill's own format, which sentence-transformers and model2vec open too.

model.safetensors   the tensor `embeddings`: one row a word, and a last row of zeros for unknown words
vocabulary.tsv      word and count, a line a word, or words alone where the counts are not known; a tab, a newline,
                    a return and a backslash in a word are written \\t, \\n, \\r and \\\\
config.json         what model2vec asks for, and the card under the key `wordstill`
tokenizer.json      for the two other libraries (see `tokenizer.py`); wordstill does not read it
modules.json        for sentence-transformers
README.md           the model card

model2vec drops unknown words from its mean; sentence-transformers counts them, so their vector is zero: the mean
gets shorter and keeps its direction.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from wordstill.errors import InputError
from wordstill.files import replacing, write_json
from wordstill.formats import safetensors
from wordstill.formats.card import readme
from wordstill.formats.table import utf8
from wordstill.formats.tokenizer import tokenizer_of
from wordstill.vectors import Array, WordVectors

FILES = ("model.safetensors", "vocabulary.tsv")
_ESCAPES = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})
_MEANINGS = {"\\\\": "\\", "\\t": "\t", "\\n": "\n", "\\r": "\r"}
_MODULES = [{"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.StaticEmbedding"}]


def read(folder: Path) -> WordVectors:
    """Open a folder; the matrix is memory-mapped and read-only."""
    arrays, _ = safetensors.read(folder / "model.safetensors")
    words, counts = _read_vocabulary(folder / "vocabulary.tsv")
    matrix = arrays.get("embeddings")
    if matrix is None or matrix.ndim != 2 or len(matrix) != len(words) + 1:
        shape = None if matrix is None else matrix.shape
        raise InputError(
            f"{folder} has {len(words)} words in vocabulary.tsv, and a tensor 'embeddings' of shape {shape} where"
            " one row more is needed; its files do not belong together: copy or save it again"
        )
    return WordVectors(words, matrix[:-1], counts, _read_card(folder / "config.json"))


def write(vectors: WordVectors, folder: Path) -> None:
    """Write a folder; it appears, or replaces an older one, when it is whole."""
    vectors.key_to_index  # noqa: B018 (refuses a word that stands twice)
    card = vectors.card
    lowercase = _setting(card, "lowercase")
    if not isinstance(lowercase, bool):
        lowercase = all(word == word.lower() for word in vectors.words)
    unknown = np.zeros((1, vectors.vector_size), vectors.matrix.dtype)
    config = {
        "model_type": "model2vec",
        "architectures": ["StaticModel"],
        "hidden_dim": vectors.vector_size,
        "embedding_dtype": vectors.matrix.dtype.name,
        "normalize": False,
        "max_length": None,
        "wordstill": card,
    }
    vocabulary = _vocabulary(vectors, folder)
    with replacing(folder) as temporary:
        temporary.mkdir()
        safetensors.write(temporary / "model.safetensors", {"embeddings": (vectors.matrix, unknown)})
        (temporary / "vocabulary.tsv").write_bytes(vocabulary)
        tokenizer = tokenizer_of(vectors.words, lowercase, _setting(card, "words") == "whitespace")
        text = json.dumps(tokenizer, ensure_ascii=False, separators=(",", ":"))
        (temporary / "tokenizer.json").write_text(text, encoding="utf-8")
        write_json(temporary / "config.json", config)
        write_json(temporary / "modules.json", _MODULES)
        (temporary / "README.md").write_text(readme(vectors), encoding="utf-8")


def _vocabulary(vectors: WordVectors, folder: Path) -> bytes:
    words = [utf8(word.translate(_ESCAPES), folder) for word in vectors.words]
    if vectors.counts is None:
        return b"".join([word + b"\n" for word in words])
    return b"".join([b"%s\t%d\n" % pair for pair in zip(words, vectors.counts.tolist(), strict=True)])


def _read_vocabulary(path: Path) -> tuple[list[str], Array | None]:
    """Split all lines at once: a loop over them would take most of the time that opening a folder takes."""
    try:
        text = path.read_bytes().decode("utf-8")
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8: {error.reason} at byte {error.start}") from error
    if "\r" in text:
        text = text.replace("\r\n", "\n")  # a tool of Windows has been here; our own returns are escaped
    if not text.endswith("\n"):
        text += "\n" if text else ""
    counts = None
    if "\t" in text[: text.find("\n")]:
        words = text.replace("\n", "\t").split("\t")
        try:
            counts = np.array(words[1::2], np.int64)
        except ValueError as error:
            raise InputError(f"{path} must have a word, a tab and a count on each line: {error}") from error
        words = words[:-1:2]
        if len(counts) != len(words):
            raise InputError(f"{path} must have a word, a tab and a count on each line, and some line has not")
    else:
        words = text.split("\n")[:-1]
    if "\\" in text:
        words = [_unescaped(word) if "\\" in word else word for word in words]
    return words, counts


def _unescaped(word: str) -> str:
    return re.sub(r"\\[\\tnr]", lambda match: _MEANINGS[match[0]], word)


def _read_card(path: Path) -> dict[str, Any]:
    if not path.exists():
        return {}
    try:
        card = json.loads(path.read_bytes()).get("wordstill", {})
    except (OSError, ValueError, AttributeError) as error:
        raise InputError(f"{path} is not a JSON object: {error}") from error
    return card if isinstance(card, dict) else {}


def _setting(card: Mapping[str, Any], name: str) -> Any:
    """The value of a setting in the card, wherever it is grouped."""
    if name in card:
        return card[name]
    found = (_setting(value, name) for value in card.values() if isinstance(value, Mapping))
    return next((value for value in found if value is not None), None)
