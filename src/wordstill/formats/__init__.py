"""Reading and writing word vectors, one file a format.

A format is recognised by its content. Written are: "folder" (wordstill's own, opened by sentence-transformers and
model2vec too), "word2vec" (text), "word2vec-binary" and "glove", the last three gzipped where the name ends in
.gz. Read are these and "static-embedding", the folders of sentence-transformers and model2vec.
"""

from __future__ import annotations

from pathlib import Path

from wordstill.errors import InputError
from wordstill.formats import folder, static_embedding, word2vec, word2vec_binary
from wordstill.formats.detect import detect, glove_dimensions
from wordstill.vectors import WordVectors

__all__ = ["WRITTEN", "detect", "load", "save"]

WRITTEN = ("folder", "word2vec", "word2vec-binary", "glove")
_BY_SUFFIX = {".txt": "word2vec", ".vec": "word2vec", ".bin": "word2vec-binary"}
# Names that ask for a file of a kind that is not written here; a folder of that name would surprise.
_ARCHIVES = {".bz2", ".gz", ".xz", ".zip", ".zst"}
_OTHER_FILES = {
    ".csv",
    ".json",
    ".kv",
    ".model",
    ".npy",
    ".npz",
    ".parquet",
    ".pkl",
    ".safetensors",
    ".tsv",
    *_ARCHIVES,
}


def load(path: str | Path) -> WordVectors:
    """Read vectors of any format; what is odd about them is told in `card["notes"]`."""
    path = Path(path)
    match detect(path):
        case "folder":
            return folder.read(path)
        case "static-embedding":
            return static_embedding.read(path)
        case "word2vec-binary":
            return word2vec_binary.read(path)
        case "glove":
            return word2vec.read(path, glove_dimensions(path))
        case _:
            return word2vec.read(path)


def save(vectors: WordVectors, path: str | Path, format: str | None = None) -> None:
    """Write vectors in the named format, or in the one that the name asks for.

    .txt and .vec are word2vec text, .bin is word2vec's binary form, each also with .gz after it; everything
    else is a folder.
    """
    path = Path(path)
    match format or _format_of_name(path):
        case "folder":
            folder.write(vectors, path)
        case "word2vec":
            word2vec.write(vectors, path)
        case "word2vec-binary":
            word2vec_binary.write(vectors, path)
        case "glove":
            word2vec.write(vectors, path, header=False)
        case unknown:
            raise InputError(f"{unknown!r} is not a format that is written; choose one of {', '.join(WRITTEN)}")


def _format_of_name(path: Path) -> str:
    zipped = path.suffix == ".gz"
    suffix = Path(path.stem).suffix if zipped else path.suffix
    if suffix in _BY_SUFFIX:
        return _BY_SUFFIX[suffix]
    if zipped or suffix in _OTHER_FILES:
        raise InputError(
            f"{path} names a kind of file that is not written; use .txt or .vec (word2vec text), .bin (word2vec"
            " binary), or a name without an ending (a vectors folder)"
        )
    return "folder"
