"""Parquet: one row per word, with the columns `word`, `count` and `vector`, a list of fixed size.

Every word is held, and the card stands in the file's metadata. Files from elsewhere are read too: the words are the
column `word`, or the first one of text; the vectors are `vector`, or the first one of lists of numbers.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from wordstill.arrays import Array
from wordstill.errors import InputError
from wordstill.formats.format import Format
from wordstill.formats.storage import FLOATS, as_type
from wordstill.formats.word_table import decoded, once, utf8
from wordstill.io.files import plain, replacing
from wordstill.io.reading import largest_unpacked, parse_json, read_by_library
from wordstill.vectors import WordVectors

MAGIC = b"PAR1"
ROWS_A_GROUP = 65_536
# Vectors that are all zeros pack as well as a bomb, and are somebody's all the same.
ALWAYS_UNPACKED = 1 << 30
_CARD = b"wordstill"


def read(path: Path) -> WordVectors:
    """Read one file."""
    arrow, parquet = _pyarrow(path)
    with read_by_library(path, "parquet"):
        _refuse_bomb(parquet.read_metadata(path), path)
        table = parquet.read_table(path)
        kinds = {field.name: field.type for field in table.schema}
    texts = [name for name, kind in kinds.items() if arrow.types.is_string(kind) or arrow.types.is_large_string(kind)]
    lists = [name for name, kind in kinds.items() if hasattr(kind, "value_type") and not arrow.types.is_map(kind)]
    if not texts or not lists:
        raise InputError(f"{path} must have a column of text and one of lists of numbers; it has {', '.join(kinds)}")
    word, vector = ("word" if "word" in texts else texts[0]), ("vector" if "vector" in lists else lists[0])
    if table[word].null_count or table[vector].null_count:
        raise InputError(f"{path} has rows without a word or without a vector; leave them out first")
    words, not_utf8 = decoded(table[word].cast(arrow.large_binary()).to_pylist())
    counts = None
    if "count" in kinds and arrow.types.is_integer(kinds["count"]) and not table["count"].null_count:
        counts = table["count"].to_numpy().astype(np.int64)
    return once(words, _matrix(arrow, table[vector], path), counts, _card(table.schema.metadata or {}, path), not_utf8)


def write(vectors: WordVectors, path: Path, dtype: str = "float32") -> None:
    """Write one file, many rows at a time."""
    arrow, parquet = _pyarrow(path)
    if vectors.vector_size < 1:
        raise InputError(f"vectors without dimensions cannot be written to {path}; use a vectors folder")
    for word in vectors.words:
        utf8(word, path)
    # The text of lone surrogates in a card is not UTF-8; JSON's own escapes are.
    card = json.dumps(vectors.card, default=plain)
    fields = [("word", arrow.string()), ("vector", arrow.list_(getattr(arrow, dtype)(), vectors.vector_size))]
    if vectors.counts is not None:
        fields.insert(1, ("count", arrow.int64()))
    schema = arrow.schema(fields, metadata={_CARD: card.encode("ascii")})
    with (
        replacing(path) as temporary,
        parquet.ParquetWriter(temporary, schema, compression="zstd", use_dictionary=False) as file,
    ):
        for columns in _groups(arrow, vectors, dtype):
            file.write_table(arrow.table(columns, schema=schema), row_group_size=ROWS_A_GROUP)


def _groups(arrow: Any, vectors: WordVectors, dtype: str) -> Iterator[list[Any]]:
    for start in range(0, len(vectors), ROWS_A_GROUP):
        here = slice(start, start + ROWS_A_GROUP)
        numbers = np.ascontiguousarray(as_type(vectors.matrix[here], dtype)).reshape(-1)
        columns = [
            arrow.array(vectors.words[here], arrow.string()),
            arrow.FixedSizeListArray.from_arrays(arrow.array(numbers), vectors.vector_size),
        ]
        if vectors.counts is not None:
            columns.insert(1, arrow.array(vectors.counts[here]))
        yield columns


def _matrix(arrow: Any, column: Any, path: Path) -> Array:
    kind = column.type.value_type
    if not (arrow.types.is_floating(kind) or arrow.types.is_integer(kind)):
        raise InputError(f"{path} has lists of {kind} where vectors of numbers should be")
    dtype = np.dtype(kind.to_pandas_dtype())
    dtype = dtype if dtype.name in FLOATS else np.dtype(np.float32)
    if arrow.types.is_fixed_size_list(column.type):
        dimensions = column.type.list_size
    else:
        lengths = {len(row) for row in column}
        if len(lengths) > 1:
            raise InputError(f"{path} has vectors of {min(lengths)} and of {max(lengths)} numbers; all must be as long")
        dimensions = lengths.pop() if lengths else 1
    matrix = np.empty((len(column), dimensions), dtype)
    at = 0
    for chunk in column.chunks:
        values = chunk.flatten()
        if values.null_count:
            raise InputError(f"{path} has vectors in which numbers are missing; leave them out first")
        matrix[at : at + len(chunk)] = values.to_numpy(zero_copy_only=False).reshape(len(chunk), dimensions)
        at += len(chunk)
    return matrix


def _refuse_bomb(metadata: Any, path: Path) -> None:
    """Refuse a file of which far more would come than is in it: a page can promise any number of equal numbers."""
    groups = [metadata.row_group(number) for number in range(metadata.num_row_groups)]
    columns = [group.column(number) for group in groups for number in range(metadata.num_columns)]
    promised = sum(max(column.total_uncompressed_size, 8 * column.num_values) for column in columns)
    if promised > largest_unpacked(path.stat().st_size, always=ALWAYS_UNPACKED):
        raise InputError(f"{path} unpacks to {promised >> 20} MiB; it is not read, since no vectors pack so well")


def _card(metadata: dict[bytes, bytes], path: Path) -> dict[str, Any]:
    card = parse_json(metadata.get(_CARD, b"{}"), f"the model card in {path}")
    return card if isinstance(card, dict) else {}


def _pyarrow(path: Path) -> tuple[Any, Any]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise InputError(f"{path} is parquet, which needs pyarrow: pip install 'wordstill[corpora]'") from error
    return pyarrow, pyarrow.parquet


def _recognises(path: Path, head: bytes) -> bool:
    if not head.startswith(MAGIC) or path.is_dir():
        return False
    with path.open("rb") as file:
        file.seek(-len(MAGIC), 2)
        return file.read() == MAGIC


def _owns(path: Path, head: bytes) -> bool:
    """Return whether there is a card of wordstill's in the file, even an empty one."""
    if not _recognises(path, head):
        return False
    try:
        _, parquet = _pyarrow(path)
        return _CARD in (parquet.read_schema(path).metadata or {})
    except (InputError, OSError, ValueError):  # without pyarrow, or cut off: ArrowInvalid is a ValueError
        return False


FORMAT = Format(
    "parquet",
    "Parquet: the columns word, count and vector (needs pyarrow)",
    recognises=_recognises,
    read=read,
    write=write,
    endings=(".parquet",),
    keeps_counts=True,
    keeps_card=True,
    types=("float32", "float16", "float64"),
    owns=_owns,
)
