"""What is kept of the teacher's pass: all of it comes back, in an order that the seed and the epoch decide."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from wordstill.distillation.kept_contexts import (
    Kept,
    KeptContexts,
    KeptWords,
    kept_bytes,
    make_store,
    shuffled,
    store_name,
)
from wordstill.errors import Damaged, InputError
from wordstill.students.registry import choose_students
from wordstill.students.student import Contexts
from wordstill.teacher.batch import Batch


def made(seed: int, number: int) -> Contexts:
    random = np.random.default_rng(seed)
    lengths = random.integers(1, 9, size=number)
    vectors = random.normal(size=(number, 6)).astype(np.float16).astype(np.float32)
    words = random.integers(-1, 50, size=lengths.sum()).astype(np.int32)
    return Contexts(vectors, words, np.repeat(np.arange(number, dtype=np.int32), lengths))


def content(blocks: list[Contexts]) -> list[tuple[bytes, bytes]]:
    """Every context with its words, whatever the order."""
    return sorted(
        (block.vectors[row].tobytes(), block.words[block.owners == row].tobytes())
        for block in blocks
        for row in range(len(block.vectors))
    )


def written(folder: Path, *batches: Contexts) -> KeptContexts:
    """The contexts of a shard, on disk."""
    kept = KeptContexts(folder, 6)
    kept.open()
    for batch in batches:
        kept.append(batch)
    kept.flush()
    kept.close()
    return kept


def taken_up(kept: Kept) -> Any:
    """The same files, as the record of a shard knows them."""
    again = type(kept)(kept.folder, kept.width)
    again.load_json(json.loads(json.dumps(kept.as_json())))
    return again


@pytest.fixture
def shards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Kept]:
    """Four shards, one of them without any sentence."""
    monkeypatch.setattr(KeptContexts, "block", 16)
    return [
        written(tmp_path / "0", made(0, 20), made(1, 20)),
        written(tmp_path / "1"),
        written(tmp_path / "2", made(2, 16)),
        written(tmp_path / "3", made(3, 5)),
    ]


def test_every_context_of_every_shard_comes_back_with_its_words(shards: list[Kept]) -> None:
    expected = content([made(seed, size) for seed, size in enumerate((20, 20, 16, 5))])
    for epoch in (0, 1):
        blocks = list(shuffled(shards, 7, epoch))
        assert sorted(len(block.vectors) for block in blocks) == [5, 8, 16, 16, 16]
        assert content(blocks) == expected
    assert list(shuffled(shards[1:2], 7, 0)) == list(shuffled([], 7, 0)) == []


def test_one_shard_or_many_are_one_order_of_sentences_as_long_as_their_blocks_are_the_same(
    shards: list[Kept], tmp_path: Path
) -> None:
    together = written(tmp_path / "all", made(2, 16), made(3, 5))
    for first, second in zip(shuffled([together], 7, 0), shuffled(shards[2:], 7, 0), strict=True):
        assert [a.tobytes() for a in first] == [a.tobytes() for a in second]


def test_a_replay_that_goes_on_sees_the_same_rest(shards: list[Kept]) -> None:
    whole = list(shuffled(shards, 7, 1))
    assert len(whole) == 5
    for done in range(6):
        rest = list(shuffled([taken_up(kept) for kept in shards], 7, 1, done))
        for first, second in zip(whole[done:], rest, strict=True):
            assert [a.tobytes() for a in first] == [a.tobytes() for a in second]
    for seed, epoch in ((7, 2), (8, 1)):
        other = list(shuffled(shards, seed, epoch))
        assert [block.vectors.tobytes() for block in other] != [block.vectors.tobytes() for block in whole]


def test_what_a_checkpoint_does_not_know_of_is_cut_off(tmp_path: Path) -> None:
    kept = written(tmp_path / "kept", made(0, 20))
    known = taken_up(kept)
    kept.open()
    kept.append(made(1, 20))
    kept.close()
    known.verify()  # what comes behind does not matter
    known.open()
    known.append(made(9, 20))
    known.flush()
    known.close()
    known.verify()
    assert content(list(shuffled([known], 0, 0))) == content([made(0, 20), made(9, 20)])
    assert known.checksums == written(tmp_path / "at once", made(0, 20), made(9, 20)).checksums


@pytest.mark.parametrize("name", ["vectors", "words", "lengths"])
@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda path: path.write_bytes(path.read_bytes()[:-1]), "is shorter than it was"),
        (lambda path: path.unlink(), "is shorter than it was"),
        (lambda path: path.write_bytes(path.read_bytes()[::-1]), "is damaged: its checksum does not fit"),
        (lambda path: path.write_bytes(path.read_bytes()[:-1] + b"\x7f"), "is damaged: its checksum does not fit"),
    ],
    ids=["cut off", "gone", "other content", "another last byte"],
)
def test_a_damaged_file_is_found(tmp_path: Path, name: str, damage: Callable[[Path], Any], message: str) -> None:
    kept = taken_up(written(tmp_path / "kept", made(0, 20)))
    kept.verify()
    damage(tmp_path / "kept" / f"{name}.bin")
    with pytest.raises(Damaged, match=rf"{name}\.bin {message}"):
        kept.verify()


def test_nothing_kept_is_nothing_damaged(tmp_path: Path) -> None:
    taken_up(written(tmp_path / "kept")).verify()


@pytest.mark.parametrize("names", [["x2static"], ["dynamic-skipgram", "context-to-vec"], ["aggregate", "closed"]])
def test_the_bytes_foretold_are_those_on_disk(tmp_path: Path, names: list[str]) -> None:
    needs = {name: one.needs(3) for name, one in choose_students(names, {}).items()}
    batch = made_words(0, 20)
    foretold = kept_bytes(needs, 20, len(batch.words), 6)
    assert set(foretold) == {store_name(name, one) for name, one in needs.items()} - {None}
    assert len(foretold) == (names[0] != "aggregate")  # students of one layer share its words
    for name, one in needs.items():
        store = store_name(name, one)
        if store is None:
            continue
        kept = make_store(store, tmp_path, one, 6)
        kept.open()
        if isinstance(kept, KeptWords):
            kept.append(batch)
        elif isinstance(kept, KeptContexts):
            kept.append(Contexts(batch.layers[3][:20], batch.words, batch.sentences))
        kept.close()
        assert foretold[store] == sum(path.stat().st_size for path in (tmp_path / store).iterdir())


def made_words(seed: int, number: int) -> Batch:
    random = np.random.default_rng(seed)
    lengths = random.integers(1, 9, size=number)
    size = int(lengths.sum())
    return Batch(
        words=random.integers(-1, 50, size=size).astype(np.int32),
        sentences=np.repeat(np.arange(number, dtype=np.int32), lengths),
        # Every other place has no word with a vector.
        positions=np.concatenate([2 * np.arange(length, dtype=np.int32) for length in lengths]),
        layers={3: random.normal(size=(size, 6)).astype(np.float16).astype(np.float32)},
    )


def sentences(batches: list[Batch]) -> list[tuple[bytes, bytes, bytes]]:
    """Every sentence with its words, places and vectors, whatever the order."""
    return sorted(
        (batch.words[held].tobytes(), batch.positions[held].tobytes(), batch.layers[3][held].tobytes())
        for batch in batches
        for held in (batch.sentences == number for number in range(int(batch.sentences[-1]) + 1))
    )


def test_kept_words_come_back_sentence_by_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(KeptWords, "block", 16)
    made_batches = [made_words(seed, 20) for seed in range(5)]
    kept = KeptWords(tmp_path / "kept", 6, layer=3)
    kept.open()
    for batch in made_batches[:3]:
        kept.append(batch)
    kept.flush()
    resumed = KeptWords(tmp_path / "kept", 6, layer=3)
    resumed.load_json(kept.as_json())
    kept.append(made_batches[4])  # what no checkpoint vouches for
    kept.close()
    resumed.open()
    for batch in made_batches[3:]:
        resumed.append(batch)
    resumed.close()
    resumed.verify()
    for epoch in (0, 1):
        blocks = list(shuffled([resumed], 7, epoch))
        assert sentences(blocks) == sentences(made_batches)
        for block in blocks:
            assert (np.diff(block.sentences) >= 0).all()
            assert len(block.sentence_lengths) == block.sentences[-1] + 1
        for first, second in zip(blocks[3:], shuffled([resumed], 7, epoch, 3), strict=True):
            assert first.words.tobytes() == second.words.tobytes()
    on_disk = sum(path.stat().st_size for path in (tmp_path / "kept").iterdir())
    assert on_disk == sum(resumed.bytes_for(resumed.sentences, resumed.words).values())


def test_vectors_beyond_half_precision_are_refused(tmp_path: Path) -> None:
    kept = KeptWords(tmp_path / "kept", 6, layer=3)
    kept.open()
    batch = made_words(0, 4)
    batch.layers[3][2, 1] = 70_000.0
    with pytest.raises(InputError, match="layer 3 are too large to be kept in half precision"):
        kept.append(batch)
    kept.close()
