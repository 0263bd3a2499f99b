"""How a corpus is cut into shards, and how their text is found again: the same words, whoever asks for which."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from wordstill.arrays import Array
from wordstill.corpus import segmented_text
from wordstill.corpus.read import BEGINNING, Corpus, Position
from wordstill.corpus.segment import Segmenter
from wordstill.corpus.segmented_text import KeptText, Segmented, SegmentedCorpus
from wordstill.corpus.vocabulary import Phrases, Vocabulary
from wordstill.distillation import reading
from wordstill.distillation.counting import words_of
from wordstill.distillation.opening import in_processes
from wordstill.distillation.reading import ShardText, shard_texts, word_batches
from wordstill.distillation.shards import (
    WORDS_ALONE,
    Cutter,
    Shard,
    shards_as_json,
    shards_from_json,
    vocabulary_shards,
)
from wordstill.errors import InputError

# Paragraphs with words, of several files; numbers have gaps, where paragraphs have none.
sizes = some.lists(some.tuples(some.booleans(), some.integers(1, 3), some.integers(1, 40)), max_size=30)


def rows_of(drawn: list[tuple[bool, int, int]]) -> Array:
    rows, file, number = [], 0, 0
    for next_file, gap, words in drawn:
        file, number = (file + 1, gap) if next_file else (file, number + gap)
        rows.append((file, number, 1, words))
    return np.array(rows, dtype=np.int64).reshape(-1, 4)


def cut(rows: Array, size: int, borders: Sequence[int] = ()) -> list[Shard]:
    cutter = Cutter(size)
    for part in np.split(rows, sorted(borders)):
        cutter.add(part)
    return cutter.finish()


@given(sizes, some.integers(1, 100))
def test_shards_cover_all_paragraphs_in_order_and_without_overlap(
    drawn: list[tuple[bool, int, int]], size: int
) -> None:
    rows = rows_of(drawn)
    shards, places = cut(rows, size), [Position(*row[:2]) for row in rows.tolist()]
    assert [shard.number for shard in shards] == list(range(len(shards)))
    assert {shard.kind for shard in shards} <= {"text"}
    for before, after in pairwise(shards):
        assert after.start == before.end
        assert after.first == before.first + before.size
    found = []
    for shard in shards:
        inside = [place for place in places if shard.start < place <= shard.end]
        words = [int(row[3]) for row, place in zip(rows, places, strict=True) if place in inside]
        assert shard.size == sum(words)
        assert shard.end == inside[-1]
        # Each but the last reaches the size, and none before its last paragraph.
        assert shard.size >= size or shard is shards[-1]
        assert sum(words[:-1]) < size
        found += inside
    assert found == places
    if shards:
        assert (shards[0].start, shards[0].first) == (BEGINNING, 0)


@given(sizes, some.integers(1, 100), some.data())
def test_the_cut_does_not_depend_on_how_paragraphs_are_handed_over(
    drawn: list[tuple[bool, int, int]], size: int, data: some.DataObject
) -> None:
    rows = rows_of(drawn)
    borders = data.draw(some.lists(some.integers(0, len(rows)), max_size=8))
    assert cut(rows, size, borders) == cut(rows, size)


@given(sizes, some.integers(1, 100))
def test_shards_come_back_from_json(drawn: list[tuple[bool, int, int]], size: int) -> None:
    shards = cut(rows_of(drawn), size)
    assert shards_from_json(json.loads(json.dumps(shards_as_json(shards)))) == shards


@pytest.mark.parametrize("words", [0, 1, WORDS_ALONE, WORDS_ALONE + 1, 3 * WORDS_ALONE - 1])
def test_shards_of_the_vocabulary_have_each_word_once(words: int) -> None:
    vocabulary = Vocabulary(list(map(str, range(words))), np.ones(words, dtype=np.int64))
    shards = vocabulary_shards(vocabulary, 5)
    assert [shard.number for shard in shards] == list(range(5, 5 + len(shards)))
    assert [word for one in shards for word in range(one.first, one.first + one.size)] == list(range(words))
    assert all(0 < one.size <= WORDS_ALONE and one.kind == "vocabulary" for one in shards)


# ---------------------------------------------------------------- the text of shards

PHRASES = Phrases.of(("new_york", "ten countries"), Segmenter(), lowercase=True)
LINES = [
    "The river flows in New York. It flows.",
    "...",  # no word at all
    "The fox and the dog, in New York and in ten countries.",
    "One.",
    "A teacher reads. A student learns. A word turns.",
    "",
    "The engineer reaches the sea, and the city reaches the river.",
    "- -",
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("corpus")
    for number in range(3):
        lines = [line for turn in range(4) for line in LINES[(turn + number) % 5 :]]
        (path / f"{number}.txt").write_text("\n".join(lines), encoding="utf-8")
    return path


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stretches of a few paragraphs, so that there are many."""
    for module in (segmented_text, reading):
        monkeypatch.setattr(module, "CHUNK", 90)


def source_of(folder: Path, most_words: int | None = None) -> SegmentedCorpus:
    return SegmentedCorpus(Corpus([folder]), Segmenter(), most_words)


class Counted:
    """One pass over a corpus, as `Counting` makes it."""

    def __init__(self, source: SegmentedCorpus, kept: Path, size: int, most_bytes: float) -> None:
        self.text, cutter = KeptText(kept), Cutter(size)
        self.chunks = []
        for chunk in self.text.write(words_of(source, PHRASES, in_processes(0)), most_bytes):
            cutter.add(chunk.paragraphs)
            self.chunks.append(chunk)
        self.shards = cutter.finish()


def words_in(chunks: Sequence[Segmented]) -> list[Any]:
    """Every paragraph with its words, keys and sentences, however it is cut into chunks."""
    result = []
    for chunk in chunks:
        for number in range(len(chunk.paragraphs)):
            one = chunk.between(number, number + 1)
            words = [(chunk.words[code], chunk.keys[code]) for code in one.codes]
            result.append((one.position(0), one.sentences.tolist(), one.paragraphs[0].tolist(), words))
    return result


@pytest.mark.slow
@given(
    size=some.integers(1, 120),
    kept=some.sampled_from([0.0, 0.3, 0.7, 1.0]),
    most_words=some.none() | some.integers(1, 300),
    data=some.data(),
)
def test_any_share_of_the_shards_has_the_words_of_one_pass(
    folder: Path, tmp_path_factory: pytest.TempPathFactory, size: int, kept: float, most_words: int | None, data: Any
) -> None:
    source, place = source_of(folder, most_words), tmp_path_factory.mktemp("kept")
    whole = Counted(source, place / "whole.bin", size, 1e9)
    counted = Counted(source, place / "text.bin", size, kept * whole.text.size)
    assert counted.shards == whole.shards
    assert counted.text.whole == (kept == 1.0)
    every = words_in(whole.chunks)
    share = data.draw(some.lists(some.sampled_from(whole.shards), unique=True, max_size=6))
    share = sorted(data.draw(some.sampled_from([share, whole.shards])), key=lambda shard: shard.number)
    found = list(shard_texts(source, counted.text, PHRASES, share, in_processes(0)))
    assert [text.shard for text in found] == share
    for text in found:
        expected = [each for each in every if text.shard.start < each[0] <= text.shard.end]
        assert words_in(text.chunks) == expected
        assert sum(each[2][3] for each in expected) == text.shard.size


def test_workers_find_the_same_words(folder: Path, tmp_path: Path) -> None:
    source = source_of(folder)
    counted = Counted(source, tmp_path / "text.bin", 50, 0.0)
    alone, helped = (
        [words_in(text.chunks) for text in shard_texts(source, counted.text, PHRASES, counted.shards, in_processes(n))]
        for n in (0, 2)
    )
    assert helped == alone


@pytest.mark.parametrize("which", [0, -1])
@pytest.mark.parametrize("change", ["a word more", "a word less", "a file cut off"])
def test_a_corpus_that_changed_is_refused(folder: Path, tmp_path: Path, which: int, change: str) -> None:
    copy = tmp_path / "corpus"
    copy.mkdir()
    for path in folder.iterdir():
        (copy / path.name).write_bytes(path.read_bytes())
    source = source_of(copy)
    counted = Counted(source, tmp_path / "text.bin", 40, 0.0)
    path = copy / ("0.txt" if which == 0 else "2.txt")
    lines = path.read_text().splitlines()
    number = 0 if which == 0 else len(lines) - 2  # "- -" is the last
    lines[number] = {"a word more": lines[number] + " More.", "a word less": lines[number].partition(" ")[2]}.get(
        change, lines[number]
    )
    path.write_text("\n".join(lines[:3] if change == "a file cut off" else lines))
    with pytest.raises(InputError, match=r"shard \d+ has .* words and had .* the corpus has changed|it has changed"):
        list(shard_texts(source, counted.text, PHRASES, counted.shards, in_processes(0)))


def test_the_words_of_a_shard_have_their_numbers_in_order(folder: Path, tmp_path: Path) -> None:
    source = source_of(folder)
    counted = Counted(source, tmp_path / "text.bin", 60, 1e9)
    vocabulary = Vocabulary(["the", "sea", "ten countries", "fox", "absent"], np.arange(5, 0, -1), PHRASES)
    seen = set()
    for text in shard_texts(source, counted.text, PHRASES, counted.shards, in_processes(0)):
        keys = {key for _, _, _, words in words_in(text.chunks) for _, key in words}
        numbers = text.numbers(vocabulary).tolist()
        assert numbers == [number for number, word in enumerate(vocabulary.words) if word in keys]
        seen |= set(numbers)
    assert seen == {0, 1, 2, 3}
    assert ShardText(counted.shards[0], []).numbers(vocabulary).tolist() == []


def test_a_shard_is_the_same_whether_its_text_was_kept_or_is_segmented_again(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else a shard that one process began with kept text could not be finished by one that has none."""
    monkeypatch.setattr(reading, "WORDS_AT_ONCE", 16)
    source = source_of(folder)
    vocabulary = Vocabulary(["the", "in", "fox", "sea", "teacher"], np.arange(5, 0, -1), PHRASES)
    found = []
    for most_bytes in (0.0, 1e9):
        counted = Counted(source, tmp_path / f"{most_bytes}.bin", 60, most_bytes)
        texts = list(shard_texts(source, counted.text, PHRASES, counted.shards, in_processes(0)))
        batches = [[batch.words.tolist() for batch in word_batches(text, vocabulary)] for text in texts]
        found.append(([text.numbers(vocabulary).tolist() for text in texts], batches))
    assert found[0] == found[1]
    assert min(map(len, found[0][1][:-1])) > 1


@pytest.mark.parametrize("most_bytes", [0.0, 1e9], ids=["segmented again", "kept"])
@pytest.mark.parametrize("at_once", [1, 10, 1 << 16])
def test_batches_of_words_alone_are_the_shards_sentences(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at_once: int, most_bytes: float
) -> None:
    monkeypatch.setattr(reading, "WORDS_AT_ONCE", at_once)
    source = source_of(folder)
    counted = Counted(source, tmp_path / "text.bin", 60, most_bytes)
    vocabulary = Vocabulary(["the", "in", "fox"], np.array([3, 2, 1]), PHRASES)
    for text in shard_texts(source, counted.text, PHRASES, counted.shards, in_processes(0)):
        expected = []
        for _, lengths, _, words in words_in(text.chunks):
            keys = iter([key for _, key in words])
            expected += [[vocabulary.numbers.get(next(keys), -1) for _ in range(length)] for length in lengths]
        found = []
        for batch in word_batches(text, vocabulary):
            assert len(batch.words) < at_once + 20
            for number in range(int(batch.sentences[-1]) + 1):
                held = batch.sentences == number
                assert batch.positions[held].tolist() == list(range(held.sum()))
                found.append(batch.words[held].tolist())
        assert found == expected
