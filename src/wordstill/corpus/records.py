"""Texts that are a field of records: JSON lines, parquet columns, Hugging Face datasets."""

from __future__ import annotations

import html
import json
from collections.abc import Generator, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, BinaryIO

from wordstill.corpus.decode import Decoder, text_paragraphs
from wordstill.errors import InputError
from wordstill.io.reading import read_by_library

LONGEST_JSON_LINE = 1 << 26
ROWS_AT_ONCE = 256
WIKIEXTRACTOR_KEYS = {"id", "url", "title", "text"}


def json_paragraphs(stream: BinaryIO, path: Path, field: str, decoder: Decoder) -> Iterator[str]:
    """The paragraphs of JSON lines: one object per line, its text in `field`; null is an empty text."""
    number = 0
    while line := stream.readline(LONGEST_JSON_LINE):
        number += 1
        if len(line) == LONGEST_JSON_LINE and not line.endswith(b"\n"):
            raise InputError(
                f"{path}, line {number} is over {LONGEST_JSON_LINE >> 20} MiB: write one JSON object a line."
            )
        if not line.strip():
            continue
        try:
            record = json.loads(decoder.decode(line), strict=False)
        except (ValueError, RecursionError) as error:
            raise InputError(f"{path}, line {number} is not JSON ({error}): write one JSON object a line.") from None
        if not isinstance(record, dict):
            raise InputError(f"{path}, line {number} is no JSON object: write one object per line.")
        text = text_of(record, field, f"{path}, line {number}")
        # WikiExtractor escapes <, > and & in its JSON as in its text.
        if field == "text" and record.keys() >= WIKIEXTRACTOR_KEYS:
            text = html.unescape(text)
        yield from text_paragraphs(decoder.without_surrogates(text))


def text_of(record: dict[str, Any], field: str, where: str) -> str:
    """The text of a record's field; InputError, beginning with `where`, if there is none."""
    if field not in record:
        raise InputError(f'{where} has no field "{field}": name the one with the text, of {_named(record)}.')
    text = record[field]
    if text is None:
        return ""
    if not isinstance(text, str):
        raise InputError(
            f'{where}: the field "{field}" is {type(text).__name__}, not text: name another, of {_named(record)}.'
        )
    return text


def _named(names: Any) -> str:
    return ", ".join(map(str, names)) or "none"


def parquet_paragraphs(path: Path, field: str, decoder: Decoder) -> Iterator[str]:
    """The paragraphs of a parquet file's column `field`, a batch of rows at a time; null is an empty text."""
    try:
        import pyarrow.parquet  # noqa: F401
    except ImportError:
        raise InputError(f'{path} is parquet: pip install "wordstill[corpora]" to read it.') from None
    with closing(_rows_of_bytes(path, field)) as batches:
        for batch in batches:
            for raw in batch:
                yield from text_paragraphs(decoder.decode(raw or b""))


def _rows_of_bytes(path: Path, field: str) -> Generator[list[bytes | None], None, None]:
    """Yield the texts of some rows at a time; as bytes, because nothing checks that a parquet string is valid UTF-8."""
    import pyarrow
    from pyarrow import parquet

    with read_by_library(path, "parquet"), parquet.ParquetFile(path) as file:
        names = file.schema_arrow.names
        if field not in names:
            raise InputError(f'{path} has no column "{field}": name the one with the text, of {_named(names)}.')
        for batch in file.iter_batches(ROWS_AT_ONCE, columns=[field]):
            column = batch.column(0)
            if pyarrow.types.is_dictionary(column.type):
                column = column.dictionary_decode()
            if not _is_text(column.type):
                raise InputError(
                    f'{path}: the column "{field}" is {column.type}, not text: name another, of {_named(names)}.'
                )
            yield column.cast(pyarrow.large_binary()).to_pylist()


def _is_text(column_type: Any) -> bool:
    from pyarrow import types

    checks = (
        types.is_string,
        types.is_large_string,
        types.is_string_view,
        types.is_binary,
        types.is_large_binary,
    )
    return any(check(column_type) for check in checks)
