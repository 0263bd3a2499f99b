"""Which format a file or a folder has, by what is in it."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

from wordstill.errors import InputError
from wordstill.formats import folder, static_embedding
from wordstill.formats.numbers import is_number
from wordstill.formats.table import reading

HEAD_BYTES = 1 << 20
_HEADER = re.compile(rb"\d+[ \t]+\d+[ \t\r]*")
# How files begin that are no word vectors, and what to do about each.
_OTHERS = {
    b"\x80": "is a pickle, perhaps saved by gensim, and a pickle can run any program when it is opened; load it where"
    " you trust it and export it: KeyedVectors.load(...).save_word2vec_format('vectors.bin', binary=True)",
    b"\x93NUMPY": "is an array without words; if gensim saved it beside a model, load that model with gensim and"
    " export it with save_word2vec_format",
    b"PK\x03\x04": "is a zip archive; unzip it first",
    b"\xba\x16\x4f\x2f": "is a fastText model with its subwords; give the .vec file beside it",
    b"BZh": "is a bzip2 archive; unpack it first, or use gzip",
    b"\xfd7zXZ": "is an xz archive; unpack it first, or use gzip",
    b"\x28\xb5\x2f\xfd": "is a zstandard archive; unpack it first, or use gzip",
    b"version https://git-lfs": "is a Git LFS pointer and not the file itself; fetch it with: git lfs pull",
    b"<": "is a web page or XML, perhaps a failed download; download it again",
}


def detect(path: str | Path) -> str:
    """The format's name: folder, static-embedding, word2vec, word2vec-binary or glove."""
    path = Path(path)
    if path.is_dir():
        return _detect_folder(path)
    if not path.exists():
        raise InputError(f"{path} does not exist; give a vectors folder or a word2vec or GloVe file")
    head = _head(path)
    if not head:
        raise InputError(f"{path} is empty")
    lines = _whole_lines(head)
    if _HEADER.fullmatch(lines[0]):
        return _detect_with_header(lines)
    if _numbers_at_the_end(lines[0]):
        return "glove"
    for start, advice in _OTHERS.items():
        if head.startswith(start):
            raise InputError(f"{path} {advice}")
    if head[8:9] == b"{" and b"data_offsets" in head:
        raise InputError(f"{path} is a file of tensors without words; give the folder that it is in")
    raise InputError(f"{path} has no format that is known; give a vectors folder or a word2vec or GloVe file")


def glove_dimensions(path: Path) -> int:
    """How many numbers most of the first lines have after their word, which may itself end in a number."""
    lines = _whole_lines(_head(path))[:100]
    found = Counter(_numbers_at_the_end(line) for line in lines if line.strip())
    return min(found, key=lambda dimensions: (-found[dimensions], dimensions))


def _head(path: Path) -> bytes:
    with reading(path) as file:
        return file.read(HEAD_BYTES)


def _whole_lines(head: bytes) -> list[bytes]:
    lines = head.split(b"\n")
    return lines[:-1] if len(lines) > 1 and (len(head) == HEAD_BYTES or not lines[-1]) else lines


def _detect_with_header(lines: list[bytes]) -> str:
    """A first line of two numbers is word2vec's, or GloVe's for a word like "2" with a single number."""
    dimensions = int(lines[0].split()[1])
    first = lines[1] if len(lines) > 1 else b""
    if not first.strip() or dimensions <= _numbers_at_the_end(first):
        return "word2vec"
    if all(_numbers_at_the_end(line) == len(_fields(line)) - 1 == 1 for line in lines[1:]):
        return "glove"
    start = b"\n".join(lines[1:])[:4096]
    # A line of text that is too short is told from binary numbers by its letters.
    is_text = not re.search(rb"[\x00-\x08\x0e-\x1f]", start) and start.decode("utf-8", "ignore").encode() == start
    return "word2vec" if is_text else "word2vec-binary"


def _numbers_at_the_end(line: bytes) -> int:
    """How many fields at the end of a line are numbers, its first field never counted."""
    after = _fields(line)[1:]
    return next((count for count, field in enumerate(reversed(after)) if not is_number(field)), len(after))


def _fields(line: bytes) -> list[bytes]:
    """The word and what stands after it. Other whitespace than a space may be part of the word."""
    word, _, rest = line.rstrip().partition(b" ")
    return [word, *rest.split()] if rest else (line.split() or [b""])


def _detect_folder(path: Path) -> str:
    if all((path / name).is_file() for name in folder.FILES):
        return "folder"
    if static_embedding.find(path) is not None:
        return "static-embedding"
    below = sorted(place.parent.relative_to(path) for place in path.glob("**/vocabulary.tsv"))
    if below:
        names = ", ".join(str(place) for place in below[:10])
        raise InputError(f"{path} holds several vectors folders; give one of those in it: {names}")
    raise InputError(f"{path} is not a vectors folder: it has no model.safetensors with a vocabulary or tokenizer")
