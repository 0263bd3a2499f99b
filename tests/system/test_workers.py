"""Processes that work ahead: the same results in the same order, never far ahead, gone at the end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from wordstill.corpus.read import Position
from wordstill.system import workers as ahead
from wordstill.system.workers import Chunk, chunks, in_order


@dataclass(frozen=True)
class Measuring:
    """Tells who did the work."""

    def __call__(self, chunk: Chunk) -> tuple[int, int]:
        return len(chunk), os.getpid()


@dataclass(frozen=True)
class Failing:
    def __call__(self, chunk: Chunk) -> int:
        raise ValueError("no luck")


def some_chunks(number: int) -> Iterator[Chunk]:
    return iter([[(Position(0, place), "x" * place)] * (place % 5 + 1) for place in range(number)])


def test_paragraphs_are_gathered_into_chunks_without_loss(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ahead, "CHUNK", 10)
    given = [(Position(0, number), "x" * (number % 7)) for number in range(100)]
    made = list(chunks(given))
    assert [one for chunk in made for one in chunk] == given
    assert all(10 <= sum(len(text) for _, text in chunk) < 17 for chunk in made[:-1])


@pytest.mark.parametrize("number", [0, 3, 12, 13, 40])
def test_results_come_in_order_whoever_works(number: int) -> None:
    alone = list(in_order(Measuring(), some_chunks(number), 0))
    shared = list(in_order(Measuring(), some_chunks(number), 2))
    assert [(chunk, size) for chunk, (size, _) in alone] == [(chunk, size) for chunk, (size, _) in shared]
    assert {process for _, (_, process) in alone} <= {os.getpid()}
    elsewhere = {process for _, (_, process) in shared[ahead.DONE_HERE :]}
    assert os.getpid() not in elsewhere
    assert bool(elsewhere) == (number > ahead.DONE_HERE)


def test_only_a_bounded_stretch_is_read_ahead() -> None:
    taken = 0

    def counted() -> Iterator[Chunk]:
        nonlocal taken
        for chunk in some_chunks(1000):
            taken += 1
            yield chunk

    results = in_order(Measuring(), counted(), 2, ahead=5)
    for number in range(1, 40):
        next(results)
        assert taken <= max(ahead.DONE_HERE + 1, number + 5 + 2 * 2 + 1)
    results.close()  # type: ignore[attr-defined]


def test_an_error_in_a_worker_is_raised_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ahead, "DONE_HERE", 0)
    monkeypatch.setattr(ahead, "FIRST_HERE", 0)
    with pytest.raises(ValueError, match="no luck"):
        list(in_order(Failing(), some_chunks(20), 2))


SCRIPT = """
import time
from wordstill.system import workers as ahead
from wordstill.corpus.read import Position
from wordstill.corpus.segment import Segmenter
from wordstill.corpus.segmented_text import Segmenting
from wordstill.corpus.vocabulary import Phrases
ahead.DONE_HERE = 1
given = ([(Position(0, n), "One two three. " * 50)] for n in range(10**9))
results = ahead.in_order(Segmenting(Segmenter(), Phrases()), given, 2)
for _ in range(5): next(results)
print("ready", flush=True)
time.sleep(60)
"""


def children(process: int) -> set[int]:
    """The processes below one, as Linux lists them."""
    found: set[int] = set()
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                continue
            if parent == process:
                found |= {int(entry.name)} | children(int(entry.name))
    return found


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs Linux's /proc to see the processes")
def test_workers_end_with_a_killed_parent(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    # Not guarded by `if __name__ == "__main__"`: a worker must not run the user's script again.
    script.write_text(SCRIPT)
    process = subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    workers = children(process.pid)
    assert len(workers) >= 2
    process.send_signal(signal.SIGKILL)
    process.stdout.close()
    process.wait()
    deadline = time.monotonic() + 30
    while (left := {worker for worker in workers if alive(worker)}) and time.monotonic() < deadline:
        time.sleep(0.2)
    assert not left


def alive(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
