"""word2vec's binary format: a line "words dimensions", then each word, a space, and its little-endian float32."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from wordstill.errors import InputError
from wordstill.formats.format import Format
from wordstill.formats.storage import as_type
from wordstill.formats.text_heads import keeps_binary_promise, kind_of
from wordstill.formats.word_table import (
    BLOCK_BYTES,
    MAX_LINE_BYTES,
    Table,
    encoded_words,
    header_sizes,
    is_one_token,
    reading,
    writing,
)
from wordstill.vectors import WordVectors

ROWS_A_WRITE = 1000


def read(path: Path) -> WordVectors:
    """Read what word2vec, fastText's converters and gensim write, with a newline after each vector or without."""
    with reading(path) as file:
        promised, dimensions = header_sizes(path, file.readline(1000))
        table = Table(dimensions)
        size = 4 * dimensions
        rest = b""
        while len(table) < promised:
            block = file.read(max(BLOCK_BYTES, 4 * size))
            if not block or len(rest) > MAX_LINE_BYTES:
                raise InputError(
                    f"{path} promises {promised} words in its first line and has {len(table)} whole ones;"
                    " it was cut off: copy or download it again"
                )
            data = rest + block
            words: list[bytes] = []
            rows: list[bytes] = []
            at = 0
            for _ in range(promised - len(table)):
                space = data.find(b" ", at)
                end = space + 1 + size
                if space < 0 or end > len(data):
                    break
                words.append(data[at:space].lstrip(b"\n"))
                rows.append(data[space + 1 : end])
                at = end
            table.extend(words, np.frombuffer(b"".join(rows), "<f4").reshape(len(rows), dimensions))
            rest = data[at:]
        if (rest + file.read(BLOCK_BYTES)).strip(b"\n"):
            raise InputError(
                f"{path} goes on after the {promised} words that its first line promises; correct that line"
            )
    return table.vectors()


def write(vectors: WordVectors, path: Path, dtype: str = "float32") -> None:
    """Write every number as float32."""
    words = encoded_words(vectors, path, is_one_token, "this format ends a word at a space")
    with writing(path) as file:
        file.write(b"%d %d\n" % vectors.matrix.shape)
        for start in range(0, len(words), ROWS_A_WRITE):
            rows = np.ascontiguousarray(as_type(vectors.matrix[start : start + ROWS_A_WRITE], "float32"), "<f4")
            texts = (words[start + i] + b" " + row.tobytes() for i, row in enumerate(rows))
            file.write(b"".join(texts))


FORMAT = Format(
    "word2vec-binary",
    "word2vec's binary form: gensim's KeyedVectors.load_word2vec_format(..., binary=True)",
    recognises=lambda path, head: kind_of(head) == "word2vec-binary",
    read=read,
    write=write,
    endings=(".bin",),
    zipped=True,
    holds=is_one_token,
    owns=lambda path, head: keeps_binary_promise(head),
)
