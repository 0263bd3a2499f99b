"""Texts in the fields of records: JSON lines, parquet."""

from __future__ import annotations

import contextlib
import gzip
import json
import sys
from pathlib import Path

import pyarrow
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from wordstill.corpus import records
from wordstill.corpus.read import Corpus
from wordstill.errors import InputError

TEXTS = ["One.\nTwo.\r\n\nThree.", None, "", "Четыре."]
PARAGRAPHS = ["One.", "Two.", "Three.", "Четыре."]


def texts(path: Path, **options: str) -> list[str]:
    return [text for _, text in Corpus([path], **options).paragraphs()]  # type: ignore[arg-type]


def complaint(path: Path, **options: str) -> str:
    with pytest.raises(InputError) as caught:
        texts(path, **options)
    return str(caught.value)


def json_lines(path: Path, rows: list[object]) -> Path:
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


@pytest.mark.parametrize("name", ["a.jsonl", "a.ndjson", "a.json", "part-0001"])
def test_json_lines_are_read_by_name_or_content(tmp_path: Path, name: str) -> None:
    assert texts(json_lines(tmp_path / name, [{"id": 1, "text": text} for text in TEXTS])) == PARAGRAPHS


def test_another_field_can_be_named_and_empty_lines_are_skipped(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(gzip.compress(b'\n{"body": "x", "text": 3}\n\n{"body": "y"}'))
    assert texts(path, field="body") == ["x", "y"]


@settings(max_examples=60, deadline=None)
@given(rows=st.lists(st.text(st.characters(exclude_categories=["Cc", "Cs"]), max_size=50)))
def test_json_texts_come_back_as_written(tmp_path_factory: pytest.TempPathFactory, rows: list[str]) -> None:
    path = json_lines(tmp_path_factory.mktemp("json") / "a.jsonl", [{"text": row} for row in rows])
    assert texts(path) == [row.strip() for row in rows if row.strip()]


def test_a_lone_surrogate_is_replaced_and_counted(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"text": "a\\ud800b \\ud83d\\ude00"}\n')
    corpus = Corpus([path])
    assert [text for _, text in corpus.paragraphs()] == ["a\ufffdb \N{GRINNING FACE}"]
    assert corpus.replaced_bytes == 1


def test_bad_json_is_named_by_file_and_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.jsonl"
    for bad, said in {
        "{not json}": "line 2 is not JSON",
        "[" * 100_000: "line 2 is not JSON",
        "3": "line 2 is no JSON object",
        '{"title": 1, "body": 2}': 'line 2 has no field "text": name the one with the text, of title, body.',
        '{"text": 3}': 'the field "text" is int, not text',
    }.items():
        path.write_text('{"text": "fine"}\n' + bad, encoding="utf-8")
        message = complaint(path)
        assert said in message
        assert str(path) in message
    path.write_text('[\n{"text": "one"}\n]', encoding="utf-8")
    assert "jq -c" in complaint(path)
    monkeypatch.setattr(records, "LONGEST_JSON_LINE", 100)
    json_lines(path, [{"text": "short"}, {"text": "x" * 200}])
    assert "line 2 is over" in complaint(path)


@pytest.mark.parametrize(
    "column",
    [
        pyarrow.array(TEXTS),
        pyarrow.array(TEXTS, pyarrow.large_string()),
        pyarrow.array(TEXTS).dictionary_encode(),
        pyarrow.array([text and text.encode() for text in TEXTS]),
    ],
    ids=lambda column: str(column.type),
)
def test_a_parquet_column_is_read_in_batches(
    tmp_path: Path, column: pyarrow.Array, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(records, "ROWS_AT_ONCE", 3)
    table = pyarrow.table({"id": range(len(TEXTS)), "text": column})
    parquet.write_table(table, tmp_path / "a.parquet")
    parquet.write_table(table, tmp_path / "no_extension", row_group_size=1)
    assert texts(tmp_path / "a.parquet") == PARAGRAPHS
    assert texts(tmp_path / "no_extension") == PARAGRAPHS


def test_bad_parquet_is_named_with_its_columns(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    parquet.write_table(pyarrow.table({"id": [1], "body": ["x"]}), path)
    assert 'no column "text": name the one with the text, of id, body.' in complaint(path)
    assert 'the column "id" is int64, not text' in complaint(path, field="id")
    assert texts(path, field="body") == ["x"]
    path.write_bytes(path.read_bytes()[:-20])
    assert "does not load as parquet" in complaint(path)


def test_parquet_without_the_package_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parquet.write_table(pyarrow.table({"text": ["x"]}), tmp_path / "a.parquet")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert 'pip install "wordstill[corpora]"' in complaint(tmp_path / "a.parquet")


def test_a_damaged_name_of_a_column_is_told_in_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    parquet.write_table(pyarrow.table({"text": ["one"], "ab": ["two"]}), path)
    content = path.read_bytes()
    for place in [at for at in range(len(content) - 1) if content[at : at + 2] == b"ab"]:
        path.write_bytes(content[:place] + b"\xc2a" + content[place + 2 :])
        with contextlib.suppress(InputError):
            list(Corpus([path]).paragraphs())
    path.write_bytes(content.replace(b"ab", b"\xc2a"))
    with pytest.raises(InputError, match="does not load as parquet"):
        list(Corpus([path]).paragraphs())
