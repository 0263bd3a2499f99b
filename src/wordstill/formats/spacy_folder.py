"""spaCy: a folder that `spacy.load` opens, an empty pipeline whose vocabulary has the vectors.

spaCy itself writes and reads the table, so that its hashes of words are its own. Where all words are lowercase, tokens
find them by their lowercase form ("The" has the vector of "the"). The language is the card's, where spaCy knows it,
else `xx`, several languages. The configuration is never run when a folder is read: only its table of words and its
table of vectors are opened.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from wordstill.errors import InputError
from wordstill.formats.format import Format
from wordstill.formats.storage import as_type
from wordstill.formats.word_table import once, utf8
from wordstill.io.files import replacing
from wordstill.io.reading import read_by_library, read_json
from wordstill.vectors import WordVectors

_FILES = ("strings.json", "vectors", "key2row")
# What spaCy writes for a pipeline without components; some languages have a folder of their tokenizer's settings.
MEMBERS = (
    "config.cfg",
    "meta.json",
    "tokenizer",
    "tokenizer/cfg",
    *(f"vocab/{name}" for name in (*_FILES, "lookups.bin", "vectors.cfg")),
)
# The name of the table in meta.json, by which wordstill knows its own pipelines.
_TABLE = "wordstill"


def place_of(path: Path) -> Path | None:
    """The folder of the vocabulary: a pipeline's, or this one itself."""
    places = (path / "vocab", path)
    return next((place for place in places if all((place / name).is_file() for name in _FILES)), None)


def read(path: Path) -> WordVectors:
    """The vectors of a pipeline, of a vocabulary, or of a table that spaCy saved."""
    spacy = _spacy(path)
    place = place_of(path)
    if place is None:
        raise InputError(f"{path} has no vocabulary of spaCy's with vectors: {', '.join(_FILES)}")
    settings = read_json(place / "vectors.cfg") if (place / "vectors.cfg").exists() else None
    if isinstance(settings, dict) and settings.get("mode") == "floret":
        raise InputError(f"{path} has floret vectors, which are made from pieces of words: there is no table of words")
    _check_table(place)
    with read_by_library(path, "spaCy's vectors"):
        strings = spacy.strings.StringStore().from_disk(place / "strings.json")
        table = spacy.vectors.Vectors(strings=strings).from_disk(place, exclude=["strings"])
        rows = sorted(table.key2row.items(), key=lambda item: item[1])
        words = [strings[key] for key, _ in rows]
        matrix = np.asarray(table.data)[[row for _, row in rows]]
    return once(words, matrix)


def _check_table(place: Path) -> None:
    """Refuse a table that is no matrix of numbers before spaCy sees it: spaCy would take an object for one."""
    with read_by_library(place / "vectors", "an array of numbers"):
        matrix = np.load(place / "vectors", mmap_mode="r", allow_pickle=False)
    if matrix.ndim != 2 or matrix.dtype.kind not in "fiu":
        raise InputError(f"{place / 'vectors'} must be a matrix of numbers, not {matrix.dtype} of {matrix.shape}")


def write(vectors: WordVectors, path: Path, dtype: str = "float32") -> None:
    """Write a pipeline without components."""
    spacy = _spacy(path)
    if vectors.vector_size < 1 or not len(vectors):
        raise InputError(f"vectors without words or dimensions cannot be written to {path}: spaCy takes them for none")
    for word in vectors.words:
        utf8(word, path)
    pipeline = spacy.blank(_language(spacy, vectors.card.get("language")))
    for word in vectors.words:
        pipeline.vocab.strings.add(word)
    lowercase = all(word == word.lower() for word in vectors.words)
    table = spacy.vectors.Vectors(
        strings=pipeline.vocab.strings,
        data=np.ascontiguousarray(as_type(vectors.matrix, "float32")),
        keys=vectors.words,
        name=_TABLE,
    )
    if table.n_keys != len(vectors):
        raise InputError(f"two words have the same hash in spaCy and cannot both be written to {path}")
    pipeline.vocab.vectors = table
    pipeline.meta["name"] = "vectors"
    pipeline.meta["description"] = f"{len(vectors)} static word vectors of {vectors.vector_size} dimensions"
    with replacing(path, ours=FORMAT.first_foreign) as temporary:
        pipeline.to_disk(temporary)
        if lowercase:
            # spaCy reads this setting of a table like ours, but does not write it.
            settings = {"mode": "default", "attr": int(spacy.attrs.LOWER)}
            (temporary / "vocab" / "vectors.cfg").write_text(json.dumps(settings), encoding="utf-8")


def _language(spacy: Any, language: Any) -> str:
    try:
        spacy.util.get_lang_class(language)
    except (ImportError, TypeError, AttributeError):
        return "xx"
    return str(language)


def _spacy(path: Path) -> Any:
    try:
        import spacy
        import spacy.attrs
        import spacy.strings
        import spacy.vectors
    except ImportError as error:
        raise InputError(f"{path} is spaCy's, which needs spaCy: pip install 'wordstill[spacy]'") from error
    return spacy


def _owns(path: Path, head: bytes) -> bool:
    """Return whether a pipeline names its table as wordstill does; one that spaCy's users made does not."""
    try:
        return bool(json.loads((path / "meta.json").read_bytes())["vectors"]["name"] == _TABLE)
    except (OSError, ValueError, KeyError, TypeError):
        return False


FORMAT = Format(
    "spacy",
    "a folder that spacy.load opens (needs spaCy)",
    recognises=lambda path, head: path.is_dir() and place_of(path) is not None,
    read=read,
    write=write,
    endings=(".spacy",),
    owns=_owns,
    members=MEMBERS,
)
