"""Reading and writing word vectors, one file per format. A new format is one file and one line in FORMATS.

What is read is recognised by its content; what is written is chosen by the ending of its name, or by the name of a
format. docs/formats.md has the table of what each holds.
"""

from __future__ import annotations

from pathlib import Path

from wordstill.errors import InputError
from wordstill.formats import (
    folder,
    numpy_pair,
    onnx_folder,
    parquet,
    projector,
    spacy_folder,
    static_embedding,
    word2vec,
    word2vec_binary,
)
from wordstill.formats.detection import recognise
from wordstill.formats.format import Format
from wordstill.formats.keyed_vectors import from_gensim
from wordstill.formats.storage import TYPES
from wordstill.formats.target import refuse_existing, refuse_foreign
from wordstill.vectors import WordVectors

__all__ = [
    "FORMATS",
    "READ",
    "TYPES",
    "WRITTEN",
    "Format",
    "check_target",
    "detect",
    "format_to_write",
    "from_gensim",
    "load",
    "save",
]

# Asked in this order which of them recognises a file: those with marks of their own before those that are plain text.
FORMATS: dict[str, Format] = {
    format.name: format
    for format in (
        folder.FORMAT,
        static_embedding.FORMAT,
        spacy_folder.FORMAT,
        onnx_folder.FORMAT,
        parquet.FORMAT,
        numpy_pair.FORMAT,
        projector.FORMAT,
        word2vec_binary.FORMAT,
        *word2vec.FORMATS,
    )
}
READ = tuple(FORMATS)
WRITTEN = tuple(format.name for format in FORMATS.values() if format.write)
# Names that ask for a file of a kind that is not written here; a folder of that name would surprise.
_OTHER_FILES = {".bz2", ".csv", ".gz", ".json", ".kv", ".model", ".npz", ".pkl", ".safetensors", ".xz", ".zip", ".zst"}


def load(path: str | Path, format: str | None = None) -> WordVectors:
    """Read vectors of any format, or of the one named; what is odd about them is told in `card["notes"]`."""
    path = Path(path)
    if format is None:
        return recognise(path, list(FORMATS.values())).read(path)
    if not path.exists():
        raise InputError(f"{path} does not exist")
    return _named(format).read(path)


def save(vectors: WordVectors, path: str | Path, format: str | None = None, dtype: str | None = None) -> None:
    """Write vectors in the named format, or in the one that the name asks for.

    Vectors that wordstill wrote there before are replaced; anything else that is there is refused and stays.

    dtype  the type of the stored numbers: "float32", "float16", "float64" or "int8". Without it they stay what they
           are where the format holds such numbers, and become float32 where it does not.
    """
    path = Path(path)
    chosen = format_to_write(path, format)
    check_target(path, format, overwrite=True)
    vectors.key_to_index  # noqa: B018 (refuses a word that stands twice)
    if dtype is None:
        dtype = vectors.matrix.dtype.name if vectors.matrix.dtype.name in chosen.types else chosen.types[0]
    elif dtype not in chosen.types:
        raise InputError(f"{chosen.name} holds {' or '.join(chosen.types)}, not {dtype}; a vectors folder holds each")
    assert chosen.write is not None
    chosen.write(vectors, path, dtype)


def check_target(path: str | Path, format: str | None = None, overwrite: bool = False) -> None:
    """Refuse, before any work, a path to which `save` would not write in the named format or in that of its name.

    overwrite  whether vectors that wordstill wrote there before may be replaced
    """
    path = Path(path)
    chosen = format_to_write(path, format)
    if not overwrite:
        refuse_existing(path, chosen)
    refuse_foreign(path, chosen, list(FORMATS.values()))


def detect(path: str | Path) -> str:
    """The name of the format of a file or folder."""
    return recognise(Path(path), list(FORMATS.values())).name


def format_to_write(path: Path, name: str | None = None) -> Format:
    """The format named, or the one that the ending of a path asks for."""
    if name is not None:
        format = _named(name)
        if format.write is None:
            raise InputError(f"{name} is only read; choose one of {', '.join(WRITTEN)}")
        return format
    zipped = path.suffix == ".gz"
    ending = Path(path.stem).suffix if zipped else path.suffix
    for format in FORMATS.values():
        if ending in format.endings and (format.zipped or not zipped):
            return format
    if zipped or ending in _OTHER_FILES:
        known = ", ".join(ending for format in FORMATS.values() for ending in format.endings)
        raise InputError(
            f"{path} names a kind of file that is not written; known endings are {known}, and a name without an ending"
            " is a vectors folder; or name the format with --to"
        )
    return folder.FORMAT


def _named(name: str) -> Format:
    if name not in FORMATS:
        raise InputError(f"{name!r} is not a format that is known; choose one of {', '.join(FORMATS)}")
    return FORMATS[name]
