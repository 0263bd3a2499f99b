"""Work on a corpus ahead of whoever needs the results: in other processes, in order, a bounded stretch ahead."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice
from typing import Any, TypeAlias, TypeVar

from wordstill.corpus.read import Position
from wordstill.system.machine import usable_cores

Chunk: TypeAlias = list[tuple[Position, str]]
Given = TypeVar("Given")
Result = TypeVar("Result")
# Characters that are worked on at once.
CHUNK = 1 << 19
# A short corpus is done before a process would have started: so many chunks, and the first of a longer one.
DONE_HERE, FIRST_HERE = 3, 1
MOST_WORKERS, FEW_CORES = 8, 4


def chunks(paragraphs: Iterable[tuple[Position, str]]) -> Iterator[Chunk]:
    """Paragraphs in stretches of about CHUNK characters."""
    chunk: Chunk = []
    size = 0
    for position, text in paragraphs:
        chunk.append((position, text))
        size += len(text)
        if size >= CHUNK:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk


def counting_workers() -> int:
    """Counting has the machine for itself."""
    cores = usable_cores()
    return min(MOST_WORKERS, cores) if cores > 1 else 0


def reading_workers(device: str) -> int:
    """Beside a teacher on a CPU with few cores none: its threads wait for each other, and a process that takes a little
    of one core takes it from all of them. What is left to do is little, and is done between two batches.
    """
    cores = usable_cores()
    return min(MOST_WORKERS // 2, cores - 1) if device != "cpu" or cores > FEW_CORES else 0


def in_order(
    work: Callable[[Given], Result], given: Iterator[Given], workers: int, ahead: int = 0
) -> Iterator[tuple[Given, Result]]:
    """Each chunk with its result, in the order given; up to `ahead` chunks (and a few more) are done in advance.

    `work` is copied to each process once. Without workers everything is done here: the results are the same.
    """
    if not workers:
        yield from ((chunk, work(chunk)) for chunk in given)
        return
    first = list(islice(given, DONE_HERE + 1))
    if len(first) <= DONE_HERE:
        yield from ((chunk, work(chunk)) for chunk in first)
        return
    # Unlike the standard library's, these processes do not run the user's script again.
    from loky import ProcessPoolExecutor

    pool = ProcessPoolExecutor(max_workers=workers, initializer=_begin, initargs=(work, os.getpid()))
    rest = chain(first[FIRST_HERE:], given)
    waiting: deque[tuple[Given, Any]] = deque()

    def submit() -> None:
        while len(waiting) <= ahead + 2 * workers and (chunk := next(rest, None)) is not None:
            waiting.append((chunk, pool.submit(_do, chunk)))

    try:
        submit()
        yield from ((chunk, work(chunk)) for chunk in first[:FIRST_HERE])
        while waiting:
            done, result = waiting.popleft()
            yield done, result.result()
            submit()
    finally:
        pool.shutdown(wait=True, kill_workers=True)


_work: Callable[[Any], Any]


def _begin(work: Callable[[Any], Any], parent: int) -> None:
    global _work
    _work = work
    # Ctrl-C is for the process that was started by hand; it ends the others.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.environ["TOKENIZERS_PARALLELISM"] = "false"  # the processes are what runs side by side
    if hasattr(os, "nice"):
        os.nice(5)  # whoever waits for the results leaves a core idle; whoever computes meanwhile needs them all
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: int) -> None:
    """End when the process that needs the results is gone, however it went."""
    while os.getppid() == parent:
        time.sleep(1.0)
    os._exit(1)


def _do(chunk: Any) -> Any:
    return _work(chunk)
