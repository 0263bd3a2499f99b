"""Any file to paragraphs: positions, fingerprints, ugly bytes, bad input."""

from __future__ import annotations

import bz2
import dataclasses
import gzip
import io
import json
import lzma
import os
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from wordstill.corpus.read import Corpus, Position, spool_stdin
from wordstill.errors import InputError
from wordstill.io.streams import UNREADABLE

COMPRESSORS: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": zstandard.ZstdCompressor(write_checksum=True).compress,  # as the zstd command does
}
LINES = ["The first paragraph.", "Второй абзац.", "第三段", "A fourth, after an empty line."]


def texts(*paths: Path | str, **options: object) -> list[str]:
    return [text for _, text in Corpus(paths, **options).paragraphs()]  # type: ignore[arg-type]


def write(path: Path, content: bytes | str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def complaint(*paths: Path | str, **options: object) -> str:
    with pytest.raises(InputError) as caught:
        texts(*paths, **options)
    return str(caught.value)


def test_a_line_is_a_paragraph_and_empty_lines_yield_nothing(tmp_path: Path) -> None:
    path = write(tmp_path / "a.txt", "\n\none\r\n \t\n  two \n\nthree")
    assert texts(path) == ["one", "two", "three"]


@pytest.mark.parametrize("suffix", COMPRESSORS)
def test_a_compressed_file_reads_as_what_was_compressed(tmp_path: Path, suffix: str) -> None:
    content = "\n".join(LINES).encode()
    assert texts(write(tmp_path / f"a.txt{suffix}", COMPRESSORS[suffix](content))) == LINES
    assert texts(write(tmp_path / "no_extension", COMPRESSORS[suffix](content))) == LINES


@pytest.mark.parametrize("suffix", COMPRESSORS)
def test_an_archive_of_several_streams_is_read_to_its_end(tmp_path: Path, suffix: str) -> None:
    content = b"".join(COMPRESSORS[suffix](f"{line}\n".encode()) for line in LINES)
    assert texts(write(tmp_path / f"a{suffix}", content)) == LINES


@pytest.mark.parametrize("suffix", COMPRESSORS)
def test_a_truncated_or_damaged_archive_is_refused_by_name(tmp_path: Path, suffix: str) -> None:
    packed = COMPRESSORS[suffix](os.urandom(50_000).hex().encode())
    assert "cut" + suffix in complaint(write(tmp_path / f"cut{suffix}", packed[: len(packed) // 2]))
    assert "text" + suffix in complaint(write(tmp_path / f"text{suffix}", "plain text, not packed at all"))
    damaged = packed[:2000] + b"damage" * 50 + packed[2300:]
    assert "bad" + suffix in complaint(write(tmp_path / f"bad{suffix}", damaged))


def test_only_newlines_separate_paragraphs(tmp_path: Path) -> None:
    line = "a\u2028b\u2029c"
    assert texts(write(tmp_path / "a.txt", f"{line}\nd\x85e\x0cf\rg\x1ch\n")) == [line, "d e f g h"]


def test_control_characters_become_spaces_and_tabs_stay(tmp_path: Path) -> None:
    assert texts(write(tmp_path / "a.txt", "a\x00b\tc\x07d\x7fe\n")) == ["a b\tc d e"]


def test_invalid_utf8_is_replaced_and_counted_and_genuine_replacement_characters_are_not(tmp_path: Path) -> None:
    path = write(tmp_path / "a.txt", "caf\ufffd ".encode() + b"caf\xe9 ol\xe9\nfine\n")
    corpus = Corpus([path])
    for _ in range(2):  # the count begins anew with each reading
        assert [text for _, text in corpus.paragraphs()] == ["caf\ufffd caf\ufffd ol\ufffd", "fine"]
        assert corpus.replaced_bytes == 2


def test_byte_order_marks_are_dropped_and_utf16_is_decoded(tmp_path: Path) -> None:
    content = "\n".join([*LINES, "\N{GRINNING FACE}"])
    for encoding in ("utf-8-sig", "utf-16", "utf-16-be"):
        mark = b"\xfe\xff" if encoding == "utf-16-be" else b""
        path = write(tmp_path / encoding, mark + content.encode(encoding))
        assert texts(path) == content.split("\n")
    broken = Corpus([write(tmp_path / "broken", b"\xff\xfea\x00\x00\xd8b\x00c")])
    assert [text for _, text in broken.paragraphs()] == ["a\ufffdb\ufffd"]
    assert broken.replaced_bytes == 2


def test_empty_files_yield_nothing(tmp_path: Path) -> None:
    assert texts(write(tmp_path / "a.txt", b""), write(tmp_path / "b.jsonl", b"")) == []


def test_short_paragraphs_are_dropped_but_counted(tmp_path: Path) -> None:
    corpus = Corpus([write(tmp_path / "a.txt", "long enough\nno\nalso long\n")], min_characters=5)
    assert list(corpus.paragraphs()) == [(Position(0, 1), "long enough"), (Position(0, 3), "also long")]


def test_a_folder_is_read_in_order_of_path_without_hidden_files(tmp_path: Path) -> None:
    for name in ("b/2.txt", "b/10.txt", "a.txt", ".hidden", ".git/x", "B/1"):
        write(tmp_path / name, name)
    assert texts(tmp_path) == ["B/1", "a.txt", "b/10.txt", "b/2.txt"]


@settings(max_examples=60, deadline=None)
@given(
    files=st.lists(st.lists(st.text(max_size=30), max_size=6), min_size=1, max_size=4),
    as_json=st.booleans(),
    shortest=st.integers(0, 4),
)
def test_reading_from_any_yielded_position_gives_exactly_the_rest(
    tmp_path_factory: pytest.TempPathFactory, files: list[list[str]], as_json: bool, shortest: int
) -> None:
    folder = tmp_path_factory.mktemp("corpus")
    for number, rows in enumerate(files):
        lines = [json.dumps({"text": row}) for row in rows] if as_json else rows
        content = "\n".join(lines).encode("utf-8", "surrogatepass")
        assume(len(UNREADABLE.findall(content.decode("utf-8", "replace"))) <= 16)  # more, and it is no text
        write(folder / (f"{number}.jsonl" if as_json else f"{number}.txt"), content)
    corpus = Corpus([folder], min_characters=shortest)
    everything = list(corpus.paragraphs())
    assert list(corpus.paragraphs(Position())) == everything
    for number, (position, _) in enumerate(everything, 1):
        again = Position(**json.loads(json.dumps(dataclasses.asdict(position))))
        assert list(corpus.paragraphs(again)) == everything[number:]


@settings(max_examples=150, deadline=None)
@given(content=st.binary(max_size=300), suffix=st.sampled_from(["", ".txt", ".jsonl", ".xml", ".gz", ".parquet"]))
def test_any_bytes_are_read_or_refused_and_never_leave_a_control_character(
    tmp_path_factory: pytest.TempPathFactory, content: bytes, suffix: str
) -> None:
    path = write(tmp_path_factory.mktemp("ugly") / f"file{suffix}", content)
    try:
        found = texts(path)
    except InputError as error:
        found, named = [], str(path) in str(error)
    else:
        named = True
    assert named
    for text in found:
        assert text == text.strip() != ""
        assert not [character for character in text if character != "\t" and ord(character) < 32]
        text.encode("utf-8")


@pytest.mark.parametrize("letters", [b"word ", "слово ".encode(), "字".encode(), b"x"])
def test_a_line_of_any_length_is_cut_without_loss_in_bounded_memory(tmp_path: Path, letters: bytes) -> None:
    size = 24 << 20
    path = write(tmp_path / "long.txt.gz", gzip.compress(letters * (size // len(letters)), 1))
    corpus = Corpus([path])
    word = letters.decode().strip()
    tracemalloc.start()
    try:
        length = longest = pieces = 0
        others = set()
        for _, text in corpus.paragraphs():
            pieces += 1
            longest = max(longest, len(text))
            length += text.count(word) * len(word)
            others.add(text.replace(word, "").strip())
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert pieces > 1
    assert longest <= 1 << 20
    assert length == size // len(letters) * len(word)
    assert others == {""}  # no word was cut
    assert corpus.replaced_bytes == 0
    assert peak < size / 2


def test_the_fingerprint_follows_content_and_settings_and_not_the_folder(tmp_path: Path) -> None:
    first = write(tmp_path / "one" / "a.txt", b"x" * (3 << 20) + b"end")
    moved = write(tmp_path / "two" / "a.txt", first.read_bytes())
    prints = [
        Corpus([first]).fingerprint(),
        Corpus([first], field="body").fingerprint(),
        Corpus([first], min_characters=3).fingerprint(),
        Corpus([first, first]).fingerprint(),
    ]
    assert Corpus([moved]).fingerprint() == prints[0]
    write(moved, b"x" * (3 << 20) + b"END")
    prints.append(Corpus([moved]).fingerprint())
    prints.append(Corpus([first.rename(tmp_path / "one" / "b.txt")]).fingerprint())
    assert len(set(prints)) == len(prints)
    assert all(len(bytes.fromhex(one)) == 32 for one in prints)


def test_a_position_beyond_the_corpus_is_refused(tmp_path: Path) -> None:
    corpus = Corpus([write(tmp_path / "a.txt", "one\ntwo")])
    with pytest.raises(InputError, match="has changed"):
        list(corpus.paragraphs(Position(0, 3)))
    with pytest.raises(InputError, match="was a file removed"):
        list(corpus.paragraphs(Position(1, 0)))


def test_what_cannot_be_read_is_named_with_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    os.mkfifo(tmp_path / "pipe")
    assert "no files to read" in complaint(tmp_path / "empty")
    assert "There is no file" in complaint(tmp_path / "missing.txt")
    assert "pipe it in" in complaint(tmp_path / "pipe")
    assert "No corpus" in complaint()
    assert "pdftotext" in complaint(write(tmp_path / "a.pdf", b"%PDF-1.4\n"))
    assert "unpack" in complaint(write(tmp_path / "a.docx", b"PK\x03\x04" + bytes(50)))
    assert "iconv" in complaint(write(tmp_path / "a.bin", os.urandom(5000)))
    assert "iconv" in complaint(write(tmp_path / "a.txt", ("Ein Wort " * 50).encode("utf-16-le")))
    assert "iconv" in complaint(write(tmp_path / "b.txt", ("Привет, мир! " * 50).encode("cp1251")))
    assert "twice" in complaint(write(tmp_path / "a.gz", gzip.compress(gzip.compress(b"text"))))


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may read everything")
def test_a_file_without_permission_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "a.txt", "text")
    path.chmod(0)
    assert "permissions" in complaint(path)


def test_a_file_that_vanishes_while_reading_is_bad_input(tmp_path: Path) -> None:
    path = write(tmp_path / "a.txt", "text")
    corpus = Corpus([path])
    path.unlink()
    with pytest.raises(InputError, match="cannot be read"):
        list(corpus.paragraphs())


def test_standard_input_is_kept_compressed_and_reads_the_same(tmp_path: Path) -> None:
    content = "\n".join(LINES * 1000).encode()
    path = spool_stdin(io.BytesIO(content), tmp_path / "new" / "folder")
    assert path.stat().st_size < len(content) / 10
    assert texts(path) == LINES * 1000
    assert os.listdir(path.parent) == [path.name]


def test_standard_input_is_kept_without_zstandard_and_gives_the_same_file_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "zstandard", None)
    first, second = (spool_stdin(io.BytesIO(b"one\ntwo\n"), tmp_path / name) for name in "ab")
    assert first.suffix == ".gz"
    assert first.read_bytes() == second.read_bytes()
    assert texts(first) == ["one", "two"]


@pytest.mark.parametrize("suffix", COMPRESSORS)
def test_standard_input_that_is_compressed_already_is_kept_as_it_is(tmp_path: Path, suffix: str) -> None:
    packed = COMPRESSORS[suffix]("\n".join(LINES).encode())
    path = spool_stdin(io.BytesIO(packed), tmp_path)
    assert path.read_bytes() == packed
    assert texts(path) == LINES


def test_a_failing_standard_input_leaves_nothing_behind(tmp_path: Path) -> None:
    class Broken(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            if self.tell() > 0:
                raise RuntimeError("the pipe broke")
            return super().read(16)

    with pytest.raises(RuntimeError, match="the pipe broke"):
        spool_stdin(Broken(b"text" * 100), tmp_path)
    assert os.listdir(tmp_path) == []


def test_a_zstandard_file_without_the_package_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path / "a.zst", zstandard.compress(b"text"))
    monkeypatch.setitem(__import__("sys").modules, "zstandard", None)
    assert 'pip install "wordstill[corpora]"' in complaint(path)
