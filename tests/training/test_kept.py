from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from wordstill.errors import InputError
from wordstill.students.student import Contexts
from wordstill.training.kept import KeptContexts


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
    monkeypatch.setattr("wordstill.training.kept.BLOCK", 16)
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
