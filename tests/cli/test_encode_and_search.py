"""`wordstill encode` and `wordstill search`, called as the shell calls them."""

from __future__ import annotations

import gzip
import io
import json
import sys
from pathlib import Path

import numpy as np
import pytest

from wordstill.cli import main
from wordstill.corpus import lines
from wordstill.formats import save
from wordstill.vectors import WordVectors, text_search

WORDS = ["river", "bank", "sea", "teacher", "school"]
VECTORS = WordVectors(WORDS, np.random.default_rng(2).standard_normal((5, 6)).astype(np.float32))
TEXT = b"The river bank\r\n\nschool \xff teacher\n\x1b[31m sea\nqqq\nsea river"
LINES = ["The river bank", "", "school \ufffd teacher", "\x1b[31m sea", "qqq", "sea river"]


@pytest.fixture
def folder(tmp_path: Path) -> str:
    save(VECTORS, tmp_path / "v")
    return str(tmp_path / "v")


@pytest.fixture
def texts(tmp_path: Path) -> str:
    (tmp_path / "texts.txt").write_bytes(TEXT)
    return str(tmp_path / "texts.txt")


def test_a_row_of_the_file_is_a_line_of_the_text(folder: str, texts: str, tmp_path: Path) -> None:
    packed = tmp_path / "more.txt.gz"
    packed.write_bytes(gzip.compress(TEXT + b"\n"))
    out = tmp_path / "out.npy"
    assert main(["encode", folder, texts, str(packed), "--out", str(out)]) == 0
    encoded = np.load(out)
    assert encoded.dtype == np.float32
    np.testing.assert_array_equal(encoded, VECTORS.encode(LINES * 2))
    assert not encoded[[1, 4]].any()


def test_standard_input_is_read_and_numbers_may_be_small(
    folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(TEXT))))
    out = tmp_path / "out.npy"
    assert main(["encode", folder, "-", "--out", str(out), "--dtype", "float16", "--normalize"]) == 0
    encoded = np.load(out)
    assert encoded.dtype == np.float16
    np.testing.assert_allclose(encoded, VECTORS.encode(LINES, normalize=True), atol=1e-3)


def test_no_lines_make_a_file_of_no_rows(folder: str, tmp_path: Path) -> None:
    (tmp_path / "empty.txt").write_bytes(b"")
    assert main(["encode", folder, str(tmp_path / "empty.txt"), "--out", str(tmp_path / "out.npy")]) == 0
    assert np.load(tmp_path / "out.npy").shape == (0, 6)


def test_nothing_is_replaced_that_is_no_array(
    folder: str, texts: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out.npy"
    out.write_text("notes")
    assert main(["encode", folder, texts, "--out", str(out)]) == 2
    assert "exists" in capsys.readouterr().err
    assert main(["encode", folder, texts, "--out", str(out), "--overwrite"]) == 2
    assert out.read_text() == "notes"
    np.save(out, np.zeros(3))
    assert main(["encode", folder, texts, "--out", str(out), "--overwrite"]) == 0
    assert np.load(out).shape == (6, 6)


def test_after_an_error_there_is_no_half_file(
    folder: str, texts: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lines, "LONGEST_LINE", 16)
    (tmp_path / "texts.txt").write_bytes(b"river\n" + b"x" * 20)
    before = sorted(tmp_path.iterdir())
    assert main(["encode", folder, texts, "--out", str(tmp_path / "out.npy")]) == 2
    assert "line 2 is longer than" in capsys.readouterr().err
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("a.jsonl", b'{"text": "river"}\n', "JSON"),
        ("a.parquet", b"PAR1....", "parquet"),
        ("a.pdf", b"%PDF-1.4", "PDF"),
        ("a.txt.gz", b"no gzip", "damaged"),
    ],
)
def test_files_that_are_no_lines_of_text_are_refused(
    folder: str, tmp_path: Path, name: str, content: bytes, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / name).write_bytes(content)
    assert main(["encode", folder, str(tmp_path / name), "--out", str(tmp_path / "out.npy")]) == 2
    assert told in capsys.readouterr().err


def search(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> list[dict[str, object]]:
    assert main(["search", *arguments, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert isinstance(found, list)
    return found


def test_the_nearest_lines_come_first_with_their_numbers(
    folder: str, texts: str, capsys: pytest.CaptureFixture[str]
) -> None:
    units = VECTORS.encode(LINES, normalize=True).astype(float)
    cosines = units @ VECTORS.encode("Teacher school", normalize=True)
    expected = [row for row in np.argsort(-cosines, kind="stable") if LINES[row] not in ("", "qqq")]
    found = search([folder, texts, "Teacher school"], capsys)
    assert [one["line"] for one in found] == [row + 1 for row in expected]
    assert [one["text"] for one in found] == [LINES[row] for row in expected]
    assert [one["cosine"] for one in found] == pytest.approx(cosines[expected], abs=1e-6)


def test_an_encoded_file_gives_the_same_answers(
    folder: str, texts: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text_search, "_BLOCK_ROWS", 2)
    out = str(tmp_path / "out.npy")
    assert main(["encode", folder, texts, "--out", out]) == 0
    capsys.readouterr()
    expected = search([folder, texts, "sea bank", "--topn", "3"], capsys)
    found = search([folder, texts, "sea bank", "--topn", "3", "--encoded", out], capsys)
    assert [one["line"] for one in found] == [one["line"] for one in expected]
    assert [one["text"] for one in found] == [one["text"] for one in expected]
    (tmp_path / "texts.txt").write_bytes(b"river")
    assert main(["search", folder, texts, "sea", "--encoded", out]) == 2
    assert "has 6 rows, but the texts have 1 lines" in capsys.readouterr().err


def test_lines_do_no_harm_to_a_terminal_and_long_ones_are_cut(
    folder: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "t").write_text("\x1b[31m sea\n" + "sea " * 100)
    assert main(["search", folder, str(tmp_path / "t"), "sea"]) == 0
    printed = capsys.readouterr().out
    assert "\x1b" not in printed
    assert "\\x1b[31m sea" in printed
    assert max(map(len, printed.splitlines())) < 230


def test_a_query_without_a_known_word_is_told(folder: str, texts: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["search", folder, texts, "qqq"]) == 2
    assert "no word of the query 'qqq' has a vector" in capsys.readouterr().err
