"""Text as words: nothing is lost on the way to the second reading, whatever the text and wherever it goes on."""

from __future__ import annotations

import errno
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from wordstill.corpus.read import BEGINNING, Position
from wordstill.corpus.segment import Segmenter
from wordstill.corpus.segmented_text import Chunk, KeptText, Segmented, Segmenting, _written
from wordstill.corpus.vocabulary import Counts, Phrases

PHRASES = Phrases.of(("new_york", "York City", "dr."), Segmenter(), lowercase=True)
pieces = some.sampled_from(["New", "York", "City", "Dr.", "don't", "a", "A", "3.5", ". Then", "é", "東京"])
paragraphs = some.lists(
    some.lists(pieces, max_size=9).map(" ".join).filter(bool)
    | some.text(some.characters(exclude_characters="\n", exclude_categories=("Cs",)), max_size=30),
    max_size=12,
)
phrases = some.sampled_from([Phrases(), Phrases(lowercase=False), PHRASES])


def chunks_of(texts: Sequence[str], size: int) -> list[Chunk]:
    """Paragraphs of two files, so many in a chunk."""
    placed = [(Position(number // 7, number % 7 + 1), text) for number, text in enumerate(texts)]
    return [placed[start : start + size] for start in range(0, len(placed), size)]


def plain(chunk: Segmented) -> list[tuple[Position, list[list[tuple[str, str]]]]]:
    """A chunk as nested lists: paragraphs with their positions, sentences, words with their keys."""
    result = []
    words = iter([(chunk.words[code], chunk.keys[code]) for code in chunk.codes])
    sentences = iter(chunk.sentences.tolist())
    for number, row in enumerate(chunk.paragraphs.tolist()):
        result.append((chunk.position(number), [[next(words) for _ in range(next(sentences))] for _ in range(row[2])]))
    assert next(words, None) is None
    assert next(sentences, None) is None
    return result


@given(paragraphs, phrases)
def test_flat_arrays_hold_what_segmenter_and_phrases_find(texts: list[str], joined: Phrases) -> None:
    segmenter = Segmenter()
    for chunk in chunks_of(texts, 5):
        found = Segmenting(segmenter, joined)(chunk)
        expected = [(position, segmenter(text)) for position, text in chunk]
        assert plain(found) == [
            (position, [list(zip(*joined.read(sentence), strict=True)) for sentence in sentences])
            for position, sentences in expected
            if sentences
        ]
        assert found.paragraphs[:, 3].tolist() == [sum(map(len, each)) for _, each in expected if each]
        counts = Counts(joined)
        counts.add(found.keys, found.counts())
        keys = [key for _, each in expected for sentence in each for key in joined.read(sentence)[1]]
        assert counts.counter == Counter(keys)
        assert len(set(zip(found.words, found.keys, strict=True))) == len(found.words)


@given(paragraphs, phrases, some.integers(1, 6), some.integers(0, 3000))
def test_kept_text_is_read_between_any_two_paragraphs(texts: list[str], joined: Phrases, size: int, most: int) -> None:
    made = [Segmenting(Segmenter(), joined)(chunk) for chunk in chunks_of(texts, size)]
    with tempfile.TemporaryDirectory() as folder:
        text = KeptText(Path(folder) / "kept" / "text.bin")
        passed = list(text.write((one for one in made), most))
        assert [plain(chunk) for chunk in passed] == [plain(chunk) for chunk in made]
        assert text.sound()
        assert text.size <= most
        every = [paragraph for chunk in made for paragraph in plain(chunk)]
        until = Position(*text.until)
        kept = every if text.whole else [paragraph for paragraph in every if paragraph[0] <= until]
        again = KeptText(text.path, text.size, text.until, text.whole, text.checksum)
        places = (BEGINNING, *(position for position, _ in every))
        for start in places:
            for end in (*places, None):
                found = [each for chunk in again.read(start, end) for each in plain(chunk)]
                assert found == [each for each in kept if each[0] > start and (end is None or each[0] <= end)]


@given(paragraphs, some.data())
def test_a_stretch_within_two_positions_has_their_paragraphs(texts: list[str], data: some.DataObject) -> None:
    for chunk in chunks_of(texts, 9):
        made = Segmenting(Segmenter(), PHRASES)(chunk)
        # Positions of paragraphs without words, and ones beyond both ends, are borders too.
        numbers = some.builds(Position, some.integers(0, 2), some.integers(0, 8))
        start, end = data.draw(numbers), data.draw(some.none() | numbers)
        within = [each for each in plain(made) if each[0] > start and (end is None or each[0] <= end)]
        if end is None or start <= end:
            assert plain(made.within(start, end)) == within
        assert plain(made.within(BEGINNING)) == plain(made)


class FullDisk:
    """A file on a disk with little room, which takes what it can before it says so."""

    def __init__(self, room: int) -> None:
        self.room, self.content = room, b""

    def write(self, data: memoryview) -> int:
        if len(self.content) == self.room:
            raise OSError(errno.ENOSPC, "No space left on device")
        written = bytes(data[: self.room - len(self.content)])
        self.content += written
        return len(written)

    def truncate(self, size: int) -> None:
        self.content = self.content[:size]


def test_a_full_disk_keeps_whole_records_only() -> None:
    disk: Any = FullDisk(12)
    assert _written(disk, b"1234567890", 0)
    assert not _written(disk, b"abcd", 10)
    assert disk.content == b"1234567890"


def test_a_file_that_was_cut_off_is_not_trusted(tmp_path: Path) -> None:
    text = KeptText(tmp_path / "text.bin")
    segment = Segmenting(Segmenter(), Phrases())
    list(text.write((segment([(Position(0, 1), given)]) for given in ["One two."]), 1e6))
    written = text.path.read_bytes()
    assert text.sound()
    for content in (written[:-1], written + b" ", b""):
        text.path.write_bytes(content)
        assert not text.sound()
    text.path.write_bytes(written)
    assert text.sound()
    text.path.unlink()
    assert not text.sound()


@given(some.data())
def test_a_bit_that_changed_is_found(tmp_path_factory: pytest.TempPathFactory, data: some.DataObject) -> None:
    text = KeptText(tmp_path_factory.mktemp("kept") / "text.bin")
    segment = Segmenting(Segmenter(), PHRASES)
    list(text.write((segment([(Position(0, n), given)]) for n, given in enumerate(["One. Two.", "Dr. A"], 1)), 1e6))
    content = bytearray(text.path.read_bytes())
    content[data.draw(some.integers(0, len(content) - 1))] ^= 1 << data.draw(some.integers(0, 7))
    text.path.write_bytes(content)
    assert not text.sound()
