"""Work on a corpus ahead of whoever needs the results: in other processes, in order, a bounded stretch ahead."""

from __future__ import annotations

import atexit
import os
import pickle
import signal
import struct
import subprocess
import sys
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from itertools import chain, islice
from queue import SimpleQueue
from typing import Any, BinaryIO, TypeVar

from wordstill.errors import InputError
from wordstill.system.children import python_command, python_environment
from wordstill.system.machine import usable_cores

Given = TypeVar("Given")
Result = TypeVar("Result")
# A short corpus is done before a process would have started: so many chunks, and the first of a longer one.
DONE_HERE, FIRST_HERE = 3, 1
MOST_WORKERS, FEW_CORES = 8, 4
# What a worker process runs.
SERVE = "import sys; from wordstill.system.workers import serve; serve(int(sys.argv[1]))"
# A message between the processes is a pickle behind its number of bytes.
LENGTH = struct.Struct("<Q")


def counting_workers() -> int:
    """Return how many processes count words: counting has the machine for itself."""
    cores = usable_cores()
    return min(MOST_WORKERS, cores) if cores > 1 else 0


def reading_workers(device: str) -> int:
    """Return how many processes read ahead of a teacher on this device.

    None beside a CPU with few cores: the teacher's threads wait for each other, and a process that takes a little of
    one core takes it from all of them. What is left to do is little, and is done between two batches.
    """
    cores = usable_cores()
    return min(MOST_WORKERS // 2, cores - 1) if device != "cpu" or cores > FEW_CORES else 0


def in_order(
    work: Callable[[Given], Result], given: Iterator[Given], workers: int, ahead: int = 0
) -> Iterator[tuple[Given, Result]]:
    """Yield each chunk with its result, in the order given; up to `ahead` chunks (and a few more) are done in advance.

    `work` is copied to each process once. Without workers everything is done here: the results are the same.
    """
    if not workers:
        yield from ((chunk, work(chunk)) for chunk in given)
        return
    first = list(islice(given, DONE_HERE + 1))
    if len(first) <= DONE_HERE:
        yield from ((chunk, work(chunk)) for chunk in first)
        return
    pool = Pool(work, workers)
    rest = chain(first[FIRST_HERE:], given)
    waiting: deque[tuple[Given, Future[Result]]] = deque()

    def submit() -> None:
        while len(waiting) <= ahead + 2 * workers and (chunk := next(rest, None)) is not None:
            waiting.append((chunk, pool.submit(chunk)))

    try:
        submit()
        yield from ((chunk, work(chunk)) for chunk in first[:FIRST_HERE])
        while waiting:
            done, result = waiting.popleft()
            yield done, result.result()
            submit()
    finally:
        pool.close()


class Pool:
    """Processes that all do the same work, each of them driven by a thread of this process.

    Unlike those of the standard library, they do not run the user's script again, and import nothing from the current
    folder (see `children`).

    doing, instead  what an error says of a process that cannot be started, or that ended: what it was doing, and what
                    to do about it
    """

    def __init__(
        self,
        work: Callable[[Any], Any],
        workers: int,
        doing: str = "reads the corpus ahead",
        instead: str = "give --workers 0",
    ) -> None:
        self._doing, self._instead = doing, instead
        self._tasks: SimpleQueue[tuple[Any, Future[Any]] | None] = SimpleQueue()
        self.workers: list[Worker] = []
        self._threads: list[threading.Thread] = []
        copy = pickle.dumps(work, pickle.HIGHEST_PROTOCOL)
        # At the end of a program that keeps its results, the threads must end while there still is an interpreter.
        atexit.register(self.close)
        try:
            for _ in range(workers):
                self._start(copy)
        except BaseException as error:
            self.close()
            if not isinstance(error, OSError | RuntimeError):
                raise
            raise InputError(f"a process that {doing} cannot be started ({error}); {instead}") from None

    def submit(self, given: Any) -> Future[Any]:
        """Let the next idle worker do the work on what is given."""
        future: Future[Any] = Future()
        self._tasks.put((given, future))
        return future

    def close(self) -> None:
        """End all processes and threads at once; what is not done will never be."""
        atexit.unregister(self.close)
        for worker in self.workers:
            worker.kill()
        for _ in self._threads:
            self._tasks.put(None)
        for thread in self._threads:
            thread.join()
        for worker in self.workers:
            worker.close()

    def _start(self, work: bytes) -> None:
        """Start a process, and the thread that drives it."""
        worker = Worker(self._doing, self._instead)
        self.workers.append(worker)
        # A daemon: an interpreter waits for other threads, and only then calls what `atexit` knows.
        thread = threading.Thread(target=self._drive, args=(worker, work), daemon=True)
        thread.start()
        self._threads.append(thread)

    def _drive(self, worker: Worker, work: bytes) -> None:
        """Hand tasks to a worker until there are no more, or until one fails: nobody wants the later ones then."""
        with suppress(OSError):  # a worker that is gone is found out with its first task
            _send(worker.requests, work)
        while (task := self._tasks.get()) is not None:
            given, future = task
            try:
                future.set_result(worker.ask(given))
            except BaseException as error:
                future.set_exception(error)
                return


class Worker:
    """A process that does the work, as its parent sees it."""

    def __init__(self, doing: str, instead: str) -> None:
        self._doing, self._instead = doing, instead
        with _interrupts_blocked():
            self.process = subprocess.Popen(
                python_command(SERVE, str(os.getpid())),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env=python_environment(TOKENIZERS_PARALLELISM="false"),  # the processes are what runs side by side
            )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.requests: BinaryIO = self.process.stdin  # type: ignore[assignment]
        self.answers: BinaryIO = self.process.stdout  # type: ignore[assignment]

    def ask(self, given: Any) -> Any:
        """Return the result of the work on what is given, or raise what the work raised."""
        request, answer = pickle.dumps(given, pickle.HIGHEST_PROTOCOL), None
        with suppress(OSError):
            _send(self.requests, request)
            answer = _receive(self.answers)
        if answer is None:
            raise InputError(
                f"a process that {self._doing} ended unexpectedly (exit code {self.process.wait()}); "
                f"if memory ran out, {self._instead}"
            )
        result, error, trace = pickle.loads(answer)  # noqa: S301 (from our own process)
        if error is not None:
            raise error from RuntimeError(f"in a worker process:\n{trace}")
        return result

    def kill(self) -> None:
        """Kill the process."""
        self.process.kill()

    def close(self) -> None:
        """Wait for the end of a process that was killed, and close the pipes."""
        self.process.wait()
        for pipe in (self.requests, self.answers):
            with suppress(OSError):  # what is left to be sent cannot be sent any more
                pipe.close()


@contextmanager
def _interrupts_blocked() -> Iterator[None]:
    """Let Ctrl-C not reach a process that is started here: it is for the parent, which ends the others.

    A session of its own would do that, too, but Linux shares the processor out among sessions first: however nice it
    is, a process in another session takes a core from the teacher.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def serve(parent: int) -> None:
    """Do the work that the parent process asks for, until it asks no more. This is what a worker process runs."""
    requests, answers = _take_pipes()
    if hasattr(os, "nice"):
        os.nice(5)  # whoever waits for the results leaves a core idle; whoever computes meanwhile needs them all
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    work = None
    while (request := _receive(requests)) is not None:
        if work is None:
            work = _unpickle_work(request)
            continue
        answer = _answer(work, request)
        with suppress(BrokenPipeError):  # the parent is gone, and so there is no next request
            _send(answers, answer)


def _take_pipes() -> tuple[BinaryIO, BinaryIO]:
    """Return the pipes from and to the parent, and let nobody else read or print there."""
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(2 if sys.stderr else nothing, 1)
    os.close(nothing)
    return requests, answers


def _unpickle_work(message: bytes) -> Callable[[Any], Any]:
    """Return the work; if it cannot be made here, return what raises the reason when it is asked for a result."""
    try:
        work: Callable[[Any], Any] = pickle.loads(message)  # noqa: S301 (from our own process)
    except Exception as error:
        reason = error

        def work(given: Any) -> Any:
            raise reason

    return work


def _answer(work: Callable[[Any], Any], request: bytes) -> bytes:
    """Return a pickled result, None, None; or None, the error that the work raised, and its traceback."""
    try:
        result = work(pickle.loads(request))  # noqa: S301 (from our own process)
        return pickle.dumps((result, None, None), pickle.HIGHEST_PROTOCOL)
    except Exception as error:
        return _pickle_error(error)


def _pickle_error(error: Exception) -> bytes:
    trace = "".join(traceback.format_exception(type(error), error, error.__traceback__))
    try:
        answer = pickle.dumps((None, error, trace))
        pickle.loads(answer)  # noqa: S301 (our own)
    except Exception:  # an error of a kind that does not travel
        answer = pickle.dumps((None, RuntimeError(f"{type(error).__name__}: {error}"), trace))
    return answer


def _end_with(parent: int) -> None:
    """End when the process that needs the results is gone, however it went."""
    while os.getppid() == parent:
        time.sleep(1.0)
    os._exit(1)


def _send(pipe: BinaryIO, message: bytes) -> None:
    pipe.write(LENGTH.pack(len(message)))
    pipe.write(message)
    pipe.flush()


def _receive(pipe: BinaryIO) -> bytes | None:
    """Return the next message; None if the other side is gone."""
    head = pipe.read(LENGTH.size)
    if len(head) < LENGTH.size:
        return None
    (size,) = LENGTH.unpack(head)
    message = pipe.read(size)
    return message if len(message) == size else None
