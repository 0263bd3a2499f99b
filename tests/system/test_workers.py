"""Processes that work ahead: the same results in the same order, never far ahead, gone at the end."""

from __future__ import annotations

import gc
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from small_tasks import Dying, Elsewhere, Failing, Measuring, Printing, Sleeping
from wordstill.corpus import segmented_text
from wordstill.corpus.read import Position
from wordstill.corpus.segmented_text import Chunk, chunks
from wordstill.errors import InputError
from wordstill.system import workers as ahead
from wordstill.system.workers import Worker, _send, in_order

needs_proc = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs Linux's /proc to see the processes")


@pytest.fixture(autouse=True)
def no_trace(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """No test leaves a process or a thread behind."""
    monkeypatch.chdir(tmp_path)  # workers import nothing from here, and their tasks lie elsewhere
    threads, processes = threading.active_count(), children(os.getpid())
    yield
    assert threading.active_count() <= threads
    assert children(os.getpid()) <= processes, "a zombie counts, too"
    gc.collect()  # a process that nobody waited for, or a pipe that nobody closed, is a warning now


@pytest.fixture
def nothing_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers do everything."""
    monkeypatch.setattr(ahead, "DONE_HERE", 0)
    monkeypatch.setattr(ahead, "FIRST_HERE", 0)


def some_chunks(number: int) -> Iterator[Chunk]:
    return iter([[(Position(0, place), "x" * place)] * (place % 5 + 1) for place in range(number)])


def test_paragraphs_are_gathered_into_chunks_without_loss(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(segmented_text, "CHUNK", 10)
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


@pytest.mark.parametrize(
    ("kind", "expected", "text"),
    [
        ("value", ValueError, "no luck"),
        ("input", InputError, "no luck"),
        ("own", RuntimeError, "OwnError: 1 and two"),
    ],
)
def test_an_error_in_a_worker_is_raised_here(
    nothing_here: None, kind: str, expected: type[Exception], text: str
) -> None:
    with pytest.raises(expected) as raised:
        list(in_order(Failing(kind), some_chunks(20), 2))
    assert type(raised.value) is expected
    assert str(raised.value) == text
    assert "small_tasks.py" in str(raised.value.__cause__), "where it was raised is told, too"


def test_work_that_a_worker_cannot_make_anew_is_an_error_here(nothing_here: None) -> None:
    with pytest.raises(ValueError, match="invalid literal"):
        list(in_order(Elsewhere(), some_chunks(20), 2))


def test_work_that_cannot_be_copied_starts_no_process() -> None:
    with pytest.raises(Exception, match="pickle"):
        list(in_order(lambda chunk: 1, some_chunks(20), 2))


def test_a_killed_worker_is_told_in_a_sentence(nothing_here: None) -> None:
    with pytest.raises(InputError) as raised:
        list(in_order(Dying(), some_chunks(20), 2))
    assert str(raised.value) == (
        "a process that reads the corpus ahead ended unexpectedly (exit code -9); if memory ran out, give --workers 0"
    )


def test_a_process_that_cannot_be_started_is_told_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[Worker] = []

    def start(doing: str, instead: str) -> Worker:
        if started:
            raise BlockingIOError(11, "Resource temporarily unavailable")
        started.append(Worker(doing, instead))
        return started[0]

    monkeypatch.setattr(ahead, "Worker", start)
    with pytest.raises(InputError, match=r"cannot be started \(.*unavailable\); give --workers 0"):
        list(in_order(Measuring(), some_chunks(20), 2))
    assert started[0].process.returncode is not None


def test_what_the_work_prints_goes_to_stderr_and_breaks_nothing(
    nothing_here: None, capfd: pytest.CaptureFixture[str]
) -> None:
    found = [result for _, result in in_order(Printing(), some_chunks(6), 2)]
    assert found == [(place % 5 + 1, "") for place in range(6)]
    out, err = capfd.readouterr()
    assert out == ""
    assert err.count("a stray line\n") == err.count("a stray line of C code\n") == 6


def test_work_is_done_ahead_from_any_thread() -> None:
    found: list[Any] = []
    thread = threading.Thread(target=lambda: found.extend(in_order(Measuring(), some_chunks(20), 2)))
    thread.start()
    thread.join()
    assert [chunk for chunk, _ in found] == list(some_chunks(20))


@needs_proc
@pytest.mark.parametrize("end", ["closed", "forgotten", "interrupted"])
def test_results_that_nobody_needs_any_more_leave_no_process_behind(nothing_here: None, end: str) -> None:
    before = children(os.getpid())
    results: Any = in_order(Sleeping(), some_chunks(1000), 2, ahead=10)
    next(results)
    assert len(children(os.getpid()) - before) == 2
    began = time.monotonic()
    if end == "closed":
        results.close()
    elif end == "interrupted":
        with pytest.raises(KeyboardInterrupt):
            results.throw(KeyboardInterrupt)
    del results
    assert time.monotonic() - began < 5, "the workers would sleep for minutes"
    assert children(os.getpid()) <= before


@needs_proc
def test_a_corpus_that_cannot_be_read_on_leaves_no_process_behind() -> None:
    before = children(os.getpid())

    def given() -> Iterator[Chunk]:
        yield from some_chunks(20)
        raise InputError("the corpus is broken")

    with pytest.raises(InputError, match="the corpus is broken"):
        list(in_order(Sleeping(), given(), 2, ahead=30))
    assert children(os.getpid()) <= before


def test_a_worker_ends_when_its_parent_asks_no_more() -> None:
    worker = Worker("measuring", "give --workers 0")
    _send(worker.requests, pickle.dumps(Measuring()))
    assert worker.ask([(0, "text")]) == (1, worker.process.pid)
    worker.requests.close()
    assert worker.process.wait() == 0
    worker.close()


# Not guarded by `if __name__ == "__main__"`: a worker must not run the user's script again.
SCRIPT = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # also where these tests run in the background of a shell
sys.path.append(sys.argv[1])
from small_tasks import Sleeping
from wordstill.system import workers
workers.DONE_HERE = workers.FIRST_HERE = 0
given = ([(place, "text")] * (place + 1) for place in range(1000))
results = workers.in_order(Sleeping(), given, 2)
next(results)
print("ready", flush=True)
sys.stdin.readline()
"""


def children(process: int) -> set[int]:
    """The processes that one started, as Linux lists them; not theirs, which other tests' servers start at any time."""
    found: set[int] = set()
    for entry in Path("/proc").iterdir() if Path("/proc/self/stat").exists() else ():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                continue
            if parent == process:
                found.add(int(entry.name))
    return found


@needs_proc
@pytest.mark.parametrize("end", ["killed", "interrupted", "at its end"])
def test_workers_end_with_their_parent(tmp_path: Path, end: str) -> None:
    """They are busy for minutes, and the program keeps the results until it is gone."""
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    process = subprocess.Popen(
        [sys.executable, str(script), str(Path(__file__).parents[1])],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    with process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        workers = children(process.pid)
        assert len(workers) == 2
        if end != "at its end":
            # As Ctrl-C on a terminal: every process of the group gets it.
            os.killpg(process.pid, signal.SIGKILL if end == "killed" else signal.SIGINT)
        _, told = process.communicate("\n", timeout=30)
    assert told.count("Traceback") == told.count("KeyboardInterrupt") == (end == "interrupted")
    deadline = time.monotonic() + 30
    while (left := {worker for worker in workers if alive(worker)}) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not left


def alive(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
