"""Which format a file or a folder has, by what is in it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from wordstill.errors import InputError
from wordstill.formats.format import Format
from wordstill.formats.text_heads import head_of

# How files begin that are no word vectors, and what to do about each.
_OTHERS = {
    b"\x80": "is a pickle, perhaps saved by gensim, and a pickle can run any program when it is opened; load it where"
    " you trust it and export it: KeyedVectors.load(...).save_word2vec_format('vectors.bin', binary=True)",
    b"PK\x03\x04": "is a zip archive; unzip it first",
    b"\xba\x16\x4f\x2f": "is a fastText model with its subwords; give the .vec file beside it",
    b"BZh": "is a bzip2 archive; unpack it first, or use gzip",
    b"\xfd7zXZ": "is an xz archive; unpack it first, or use gzip",
    b"\x28\xb5\x2f\xfd": "is a zstandard archive; unpack it first, or use gzip",
    b"version https://git-lfs": "is a Git LFS pointer and not the file itself; fetch it with: git lfs pull",
    b"<": "is a web page or XML, perhaps a failed download; download it again",
    b"PAR1": "is a parquet file that was cut off; copy or download it again",
}


def recognise(path: Path, formats: Sequence[Format]) -> Format:
    """The first of the formats that recognises it."""
    names = ", ".join(format.name for format in formats)
    if not path.exists():
        raise InputError(f"{path} does not exist; give vectors in one of the formats {names}")
    head = b"" if path.is_dir() else head_of(path)
    if not head and not path.is_dir():
        raise InputError(f"{path} is empty")
    for format in formats:
        if format.recognises(path, head):
            return format
    raise _several_in(path) if path.is_dir() else _something_else(path, head, names)


def _something_else(path: Path, head: bytes, names: str) -> InputError:
    for start, advice in _OTHERS.items():
        if head.startswith(start):
            return InputError(f"{path} {advice}")
    if head[8:9] == b"{" and b"data_offsets" in head:
        return InputError(f"{path} is a file of tensors without words; give the folder that it is in")
    return InputError(f"{path} has no format that is known ({names}); where its first lines mislead, use --from FORMAT")


def _several_in(path: Path) -> InputError:
    below = sorted(place.parent.relative_to(path) for place in path.glob("**/vocabulary.tsv"))
    if below:
        names = ", ".join(str(place) for place in below[:10])
        return InputError(f"{path} holds several vectors folders; give one of those in it: {names}")
    return InputError(f"{path} is not a vectors folder: it has no model.safetensors with a vocabulary or tokenizer")
