"""Do shards on a Ray cluster: a worker per GPU, or as many as fill the cores, each with the teacher loaded.

A worker gets a shard with its words, so it needs neither the corpus nor a shared folder. Where it sees the run's folder
it writes the shard there, else it sends the files. A shard of a worker that died, or that makes no progress any more,
is given to another one. Which worker did a shard, and when it arrives, does not change a byte.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np

from wordstill import __version__
from wordstill.arrays import Array
from wordstill.distillation import ray_cluster
from wordstill.distillation.local import SHARDS, Done
from wordstill.distillation.opening import OpenRun
from wordstill.distillation.order import Order
from wordstill.distillation.preparing import load
from wordstill.distillation.reading import ShardText, shard_texts
from wordstill.distillation.shard_work import Interrupted, Pulse, ShardFolder
from wordstill.distillation.shards import Shard
from wordstill.distillation.teaching import Teaching
from wordstill.errors import InputError
from wordstill.system.progress import Progress, log
from wordstill.system.threads import numpy_on_one_thread, use_threads
from wordstill.teacher.fingerprint import fingerprint_of_teacher

# Seconds between two looks at the workers.
LOOK = 1.0
# Shards per worker that may wait on disk for an older one: they are added up in their order.
AHEAD = 8
# How long a cluster may have no worker with the teacher loaded.
READY_SECONDS = 1800.0
# A shard that ended so many workers is not given to another one.
MOST_TRIES = 3


class ShardWorker:
    """A process of the cluster that does shards (a Ray actor)."""

    def __init__(self, order: Order, version: str, state: str, token: str, every: float) -> None:
        """Load the teacher; refuse if it, or wordstill, is another one here.

        A worker that finds the file `token` in the folder `state` shares the run's folder.
        """
        if version != __version__:
            raise InputError(
                f"a worker on {os.uname().nodename} has wordstill {__version__}, and the run needs {version}; install "
                "the same version on every machine"
            )
        teacher = load(order.settings, order.chosen)
        if teacher is not None and fingerprint_of_teacher(teacher) != order.teacher:
            raise InputError(
                f"a worker on {os.uname().nodename} has another teacher under the name {order.settings.teacher}: its "
                "weights, tokenizer or configuration differ; put the same one on every machine"
            )
        use_threads(order.threads)
        self.teaching = Teaching(order, teacher, Pulse(every))
        folder = Path(state)
        self.shared = folder / "shards" if (folder / token).exists() else None
        self.words = 0

    def progress(self) -> int:
        """Return how many words of its shard are done."""
        return self.words

    def process(self) -> int:
        """Return the number of this process."""
        return os.getpid()

    def do(self, shard: Shard, text: ShardText | None) -> dict[str, Array]:
        """Do a shard; return its files, unless they are where the run wants them."""
        self.words = 0
        with ExitStack() as stack:
            place = self.shared or Path(stack.enter_context(tempfile.TemporaryDirectory()))
            folder = ShardFolder(place / shard.name)
            stack.enter_context(folder.claimed(self.teaching.pulse))
            with numpy_on_one_thread():
                if text is None:
                    self.teaching.encode_words(shard, folder, self._advance)
                else:
                    prepare = self.teaching.preparing
                    made = None if prepare is None else (one for chunk in text.chunks for one in prepare(chunk))
                    self.teaching.read_text(text, made, folder, self._advance)
            if self.shared is not None:
                return {}
            files = (path for path in sorted(folder.path.rglob("*")) if path.is_file())
            return {str(path.relative_to(folder.path)): np.fromfile(path, np.uint8) for path in files}

    def _advance(self, words: int) -> None:
        self.words += words


@dataclass
class Hired:
    """A worker as the driver sees it."""

    actor: Any
    ready: Any
    """Answers when the teacher is loaded."""
    shard: Shard | None = None
    text: ShardText | None = None
    answer: Any = None
    asked: Any = None
    words: int = 0
    moved: float = field(default_factory=time.monotonic)
    """When it was last seen to make progress."""


class Crew:
    """The workers of a run, and the shards that are under way."""

    def __init__(self, run: OpenRun, pulse: Pulse, done: Done, size: int) -> None:
        import ray

        self.run, self.pulse, self.done = run, pulse, done
        self.token = f".shared.{uuid4().hex[:12]}.tmp"
        (run.state.path / self.token).touch()
        gpus = 1 if any(node.gpus for node in ray_cluster.nodes()) else 0
        cpus = {"num_gpus": 1, "num_cpus": 1} if gpus else {"num_cpus": run.order.threads}
        self.kind = ray.remote(max_concurrency=2, max_restarts=0, **cpus)(ShardWorker)
        self.order = ray.put(run.order)
        self.tries: dict[int, int] = {}
        self.newest = 0
        self.returned: list[tuple[Shard, ShardText | None]] = []
        self.workers = [self._hire() for _ in range(size)]

    def _hire(self) -> Hired:
        every = self.run.execution.checkpoint_seconds
        actor = self.kind.remote(self.order, __version__, str(self.run.state.path.resolve()), self.token, every)
        return Hired(actor, actor.process.remote())

    def close(self) -> None:
        """End all workers."""
        import ray

        for worker in self.workers:
            with suppress(ValueError, RuntimeError):
                ray.kill(worker.actor)
        (self.run.state.path / self.token).unlink(missing_ok=True)

    def do(self, shards: Iterator[tuple[Shard, ShardText | None]], progress: Progress) -> None:
        """Have all of these shards done."""
        import ray

        left, alive = True, time.monotonic()
        while True:
            for worker in self.workers:
                if worker.shard is None and worker.ready is None and left:
                    left = self._give(worker, shards)
            waiting = {worker.answer or worker.ready: worker for worker in self.workers}
            waiting = {answer: worker for answer, worker in waiting.items() if answer is not None}
            if any(worker.ready is None for worker in self.workers):
                alive = time.monotonic()
            elif time.monotonic() - alive > READY_SECONDS:
                raise InputError(
                    f"the Ray cluster has had no worker that is ready for {READY_SECONDS:g} seconds; finished shards "
                    "are safe: go on with --resume"
                )
            if not any(worker.shard for worker in self.workers) and not left:
                return
            ready, _ = ray.wait(list(waiting), num_returns=1, timeout=LOOK)
            for answer in ready:
                self._hear(waiting[answer], progress)
            self._look(progress)
            left = left or bool(self.returned)
            if self.pulse.stop:
                raise Interrupted("stopped; finished shards are safe on disk: go on with the same command and --resume")

    def _give(self, worker: Hired, shards: Iterator[tuple[Shard, ShardText | None]]) -> bool:
        """Give the next shard to an idle worker, unless the oldest is far behind; return whether one may be left."""
        under_way = [one.shard.number for one in self.workers if one.shard is not None]
        if not self.returned and under_way and self.newest - min(under_way) >= AHEAD * len(self.workers):
            return True
        given = self.returned.pop() if self.returned else next(shards, None)
        if given is None:
            return False
        worker.shard, worker.text = given
        self.newest = max(self.newest, given[0].number)
        worker.answer = worker.actor.do.remote(*given)
        worker.words, worker.moved = 0, time.monotonic()
        return True

    def _hear(self, worker: Hired, progress: Progress) -> None:
        """Take what a worker answers: that it is ready, or a finished shard."""
        import ray

        try:
            with ray_cluster.errors_of_workers():
                files = ray.get(worker.answer or worker.ready)
        except (ray.exceptions.RayActorError, ray.exceptions.ObjectLostError) as error:
            if cause := _input_error(error):
                raise InputError(cause) from error
            self._replace(worker, progress, str(error).strip().splitlines()[0])
            return
        worker.moved = time.monotonic()
        if worker.answer is None:
            worker.ready = None
            return
        shard = worker.shard
        assert shard is not None
        progress.advance(shard.size - worker.words)
        worker.shard = worker.text = worker.answer = worker.asked = None
        worker.words = 0
        folder = ShardFolder(self.run.state.shards / shard.name)
        if files:
            _write_files(folder, files)
        self.done(shard)

    def _look(self, progress: Progress) -> None:
        """Ask the workers how far they are; one that stands still for too long is given up."""
        import ray

        for worker in list(self.workers):
            if worker.shard is None:
                continue
            worker.asked = worker.asked or worker.actor.progress.remote()
            answered, _ = ray.wait([worker.asked], timeout=0)
            if answered:
                words = worker.words
                with suppress(ray.exceptions.RayError):  # it is dead, which its shard's own answer tells
                    words = min(ray.get(worker.asked), worker.shard.size)
                worker.asked = None
                if words != worker.words:
                    progress.advance(words - worker.words)
                    worker.words, worker.moved = words, time.monotonic()
            if time.monotonic() - worker.moved > self.run.execution.hang_seconds:
                ray.kill(worker.actor)
                self._replace(worker, progress, f"no progress for {self.run.execution.hang_seconds:g} seconds")

    def _replace(self, worker: Hired, progress: Progress, reason: str) -> None:
        """Take the shard of a lost worker back, and hire another worker, which begins when there is room for it."""
        shard, text = worker.shard, worker.text
        self.workers[self.workers.index(worker)] = self._hire()
        if shard is None:
            return
        progress.advance(-worker.words)
        self.tries[shard.number] = self.tries.get(shard.number, 0) + 1
        log.warning("the worker of shard %s is lost (%s); the shard is given to another one", shard.name, reason)
        if self.tries[shard.number] >= MOST_TRIES:
            raise InputError(
                f"shard {shard.name} ended {MOST_TRIES} workers ({reason}); look at Ray's logs, and go on with --resume"
            )
        self.returned.append((shard, text))


def do_shards_on_ray(run: OpenRun, shards: Sequence[Shard], pulse: Pulse, done: Done) -> None:
    """Do these shards, given in their order, on the cluster that is connected."""
    if not shards:
        return
    size = min(len(shards), ray_cluster.workers_for(run.order.threads))
    log.info("%d workers with %d threads each", size, run.order.threads)
    crew = Crew(run, pulse, done, size)
    try:
        texts = [shard for shard in shards if shard.kind == "text"]
        with run.clock.part(SHARDS):
            if texts:
                total = sum(shard.size for shard in run.shards if shard.kind == "text")
                with Progress("distilling", total, total - sum(shard.size for shard in texts)) as progress:
                    crew.do(((text.shard, text) for text in _texts(run, texts)), progress)
            words = [shard for shard in shards if shard.kind == "vocabulary"]
            if words:
                size = len(run.order.vocabulary)
                with Progress("encoding words alone", size, size - sum(shard.size for shard in words)) as progress:
                    crew.do(((shard, None) for shard in words), progress)
    finally:
        crew.close()


def _texts(run: OpenRun, shards: Sequence[Shard]) -> Iterator[ShardText]:
    assert run.source is not None
    # The workers have all cores: what must be segmented again takes a little from them.
    segmenting = partial(ray_cluster.spread, cpus=0)
    return shard_texts(run.source, run.counted.text, run.order.vocabulary.phrases, shards, segmenting)


def _write_files(folder: ShardFolder, files: dict[str, Array]) -> None:
    """Put the files of a shard that was done elsewhere in their places, those of the checkpoint last."""
    folder.clear()
    arriving = folder.path / "arriving"
    for name, content in files.items():
        path = arriving / name if name.startswith("checkpoint/") else folder.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("wb") as file:
            file.write(content.data)
            file.flush()
            os.fsync(file.fileno())
    os.rename(arriving / "checkpoint", folder.checkpoint)
    arriving.rmdir()


def _input_error(error: BaseException) -> str:
    """Find what a worker said when it refused to begin: Ray tells it among a traceback."""
    marker = f"{InputError.__module__}.{InputError.__name__}: "
    return str(error).rpartition(marker)[2].strip() if marker in str(error) else ""
