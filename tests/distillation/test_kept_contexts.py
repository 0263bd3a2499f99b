from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from wordstill.distillation.kept_contexts import KeptContexts, KeptWords
from wordstill.errors import InputError
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


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> KeptContexts:
    monkeypatch.setattr("wordstill.distillation.kept_contexts.BLOCK", 16)
    contexts = KeptContexts(tmp_path / "kept", 6)
    contexts.open()
    for seed in range(5):
        contexts.append(made(seed, 20))
    contexts.flush()
    return contexts


def test_every_context_comes_back_with_its_words(kept: KeptContexts) -> None:
    expected = content([made(seed, 20) for seed in range(5)])
    for epoch in (0, 1):
        assert content(list(kept.blocks(7, epoch))) == expected
    kept.close()


def test_a_replay_that_goes_on_sees_the_same_rest(kept: KeptContexts) -> None:
    whole = list(kept.blocks(7, 1))
    rest = list(kept.blocks(7, 1, 3))
    assert len(whole) == 7
    for first, second in zip(whole[3:], rest, strict=True):
        assert [a.tobytes() for a in first] == [a.tobytes() for a in second]
    assert next(kept.blocks(7, 2)).vectors.tobytes() != whole[0].vectors.tobytes()
    kept.close()


def test_what_a_checkpoint_does_not_know_of_is_cut_off(kept: KeptContexts) -> None:
    first = KeptContexts(kept.folder, 6, 20, len(made(0, 20).words))
    kept.close()
    first.open()
    first.append(made(9, 20))
    first.flush()
    assert content(list(first.blocks(0, 0))) == content([made(0, 20), made(9, 20)])
    first.close()


def test_a_file_shorter_than_its_checkpoint_is_refused(kept: KeptContexts) -> None:
    kept.close()
    with pytest.raises(InputError, match="shorter than its checkpoint says"):
        KeptContexts(kept.folder, 6, 101, 10).open()


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
    monkeypatch.setattr("wordstill.distillation.kept_contexts.WORDS_BLOCK", 16)
    made_batches = [made_words(seed, 20) for seed in range(5)]
    kept = KeptWords(tmp_path / "kept", 6, layer=3)
    kept.open()
    for batch in made_batches[:3]:
        kept.append(batch)
    kept.flush()
    resumed = KeptWords(tmp_path / "kept", 6, kept.contexts, kept.words, layer=3)
    kept.append(made_batches[4])  # what no checkpoint vouches for
    kept.close()
    resumed.open()
    for batch in made_batches[3:]:
        resumed.append(batch)
    resumed.flush()
    for epoch in (0, 1):
        blocks = list(resumed.blocks(7, epoch))
        assert sentences(blocks) == sentences(made_batches)
        for block in blocks:
            assert (np.diff(block.sentences) >= 0).all()
            assert len(block.sentence_lengths) == block.sentences[-1] + 1
        for first, second in zip(blocks[3:], resumed.blocks(7, epoch, 3), strict=True):
            assert first.words.tobytes() == second.words.tobytes()
    resumed.close()
    on_disk = sum(path.stat().st_size for path in (tmp_path / "kept").iterdir())
    assert on_disk == sum(KeptWords.bytes_for(resumed.contexts, resumed.words, 6).values())


def test_vectors_beyond_half_precision_are_refused(tmp_path: Path) -> None:
    kept = KeptWords(tmp_path / "kept", 6, layer=3)
    kept.open()
    batch = made_words(0, 4)
    batch.layers[3][2, 1] = 70_000.0
    with pytest.raises(InputError, match="layer 3 are too large to be kept in half precision"):
        kept.append(batch)
    kept.close()
