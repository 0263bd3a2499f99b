"""The vectors folder: wordstill's own format, which sentence-transformers and model2vec open too.

model.safetensors   the tensor `embeddings`: one row per word, then one per piece, and a last row of zeros for unknown
                    words. Where it is int8, `weights` has a scale for each row, by which the two other libraries
                    multiply too
vocabulary.tsv      word and count, one word per line (see `vocabulary_file.py`)
config.json         what model2vec asks for, and the card under the key `wordstill`
tokenizer.json      for the two other libraries (see `tokenizer.py`); wordstill does not read it
modules.json        for sentence-transformers
README.md           the model card
subwords.safetensors  a model of spellings, for words outside the table; not always there
pieces.txt          the pieces that unknown words of a text fall apart into, one per line; not always there

Only a folder that holds nothing but these, and the projection that a run may add, is ever replaced.

model2vec drops unknown words from its mean; sentence-transformers counts them, so their vector is zero: the mean
gets shorter and keeps its direction.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from wordstill.arrays import Array
from wordstill.errors import InputError
from wordstill.formats import pieces_file, vocabulary_file
from wordstill.formats.card import card_of, readme
from wordstill.formats.format import Format
from wordstill.formats.storage import TYPES, as_type, from_int8, to_int8
from wordstill.formats.tokenizer import tokenizer_of
from wordstill.io import safetensors
from wordstill.io.files import replacing, write_json
from wordstill.vectors import WordVectors, subwords
from wordstill.vectors.pieces import Pieces
from wordstill.vectors.text_words import is_lowercase, is_split_at_blanks

FILES = ("model.safetensors", "vocabulary.tsv")
# A run of `wordstill distill` adds the projection of students that have one.
MEMBERS = (
    *FILES,
    "config.json",
    "tokenizer.json",
    "modules.json",
    "README.md",
    subwords.FILE,
    pieces_file.FILE,
    "projection.safetensors",
)
_MODULES = [{"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.StaticEmbedding"}]


def read(folder: Path) -> WordVectors:
    """Open a folder; the matrix is memory-mapped and read-only, but for int8, which becomes float32 in memory."""
    arrays, _ = safetensors.read(folder / "model.safetensors")
    words, counts = vocabulary_file.read(folder / "vocabulary.tsv")
    pieces = pieces_file.read(folder)
    matrix, scales = arrays.get("embeddings"), arrays.get("weights")
    if matrix is None or matrix.ndim != 2 or len(matrix) != len(words) + len(pieces) + 1:
        shape = None if matrix is None else matrix.shape
        more = f" and {len(pieces)} pieces in {pieces_file.FILE}" if pieces else ""
        raise InputError(
            f"{folder} has {len(words)} words in vocabulary.tsv{more}, and a tensor 'embeddings' of shape {shape} where"
            " one row more is needed; its files do not belong together: copy or save it again"
        )
    if matrix.dtype == np.int8:
        if scales is None or scales.shape != (len(matrix),):
            raise InputError(
                f"{folder} has int8 vectors without a tensor 'weights' of one scale per row; save it again"
            )
        matrix = from_int8(matrix, scales)
    vectors = WordVectors(words, matrix[: len(words)], counts, card_of(folder / "config.json"))
    if pieces:
        vectors.pieces = Pieces(pieces, matrix[len(words) : -1])
    vectors.subwords = subwords.load_subwords(folder, vectors.vector_size)
    return vectors


def write(vectors: WordVectors, folder: Path, dtype: str = "float32") -> None:
    """Write a folder; it appears, or replaces an older one of wordstill's, when it is whole."""
    card = vectors.card
    config = {
        "model_type": "model2vec",
        "architectures": ["StaticModel"],
        "hidden_dim": vectors.vector_size,
        "embedding_dtype": dtype,
        "normalize": False,
        "max_length": None,
        "wordstill": card,
    }
    pieces = [] if vectors.pieces is None else vectors.pieces.names
    tensors = _tensors(vectors, dtype)
    vocabulary = vocabulary_file.lines_of(vectors, folder)
    with replacing(folder, ours=FORMAT.first_foreign) as temporary:
        temporary.mkdir()
        safetensors.write(temporary / "model.safetensors", tensors)
        (temporary / "vocabulary.tsv").write_bytes(vocabulary)
        tokenizer = tokenizer_of(vectors.words, is_lowercase(vectors), is_split_at_blanks(vectors), pieces)
        text = json.dumps(tokenizer, ensure_ascii=False, separators=(",", ":"))
        (temporary / "tokenizer.json").write_text(text, encoding="utf-8")
        write_json(temporary / "config.json", config)
        write_json(temporary / "modules.json", _MODULES)
        (temporary / "README.md").write_text(readme(vectors), encoding="utf-8")
        if vectors.subwords is not None:
            vectors.subwords.save(temporary)
        pieces_file.write(temporary, pieces)


def stored_type(folder: Path) -> str:
    """The type of the numbers in the file."""
    arrays, _ = safetensors.read(folder / "model.safetensors")
    return arrays["embeddings"].dtype.name


def _tensors(vectors: WordVectors, dtype: str) -> dict[str, tuple[Array, ...]]:
    """What is stored: the rows of words and of pieces, with a last row for unknown words."""
    parts = [vectors.matrix, *([] if vectors.pieces is None else [vectors.pieces.matrix])]
    width = vectors.vector_size
    if dtype != "int8":
        return {"embeddings": (*(as_type(part, dtype) for part in parts), np.zeros((1, width), dtype))}
    stored = [to_int8(part) for part in parts]
    rows, scales = ([part[place] for part in stored] for place in (0, 1))
    return {"embeddings": (*rows, np.zeros((1, width), np.int8)), "weights": (*scales, np.ones(1, np.float32))}


def recognises(path: Path, head: bytes) -> bool:
    """Return whether a folder has the table and its words."""
    return all((path / name).is_file() for name in FILES)


FORMAT = Format(
    "folder",
    "a folder of safetensors: wordstill's own, which sentence-transformers and model2vec open",
    recognises=recognises,
    read=read,
    write=write,
    keeps_counts=True,
    keeps_card=True,
    types=("float32", *(name for name in TYPES if name != "float32")),
    stored_type=stored_type,
    owns=recognises,
    members=MEMBERS,
)
