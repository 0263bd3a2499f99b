"""Open a run: lock its folder, count its words, load its teacher, and settle what all its processes must do alike."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Protocol

from wordstill.corpus.segmented_text import SegmentedCorpus
from wordstill.distillation.counting import Counted, Counting, InOrder, fingerprint_of, open_corpus
from wordstill.distillation.order import Order
from wordstill.distillation.other_teachers import other_students
from wordstill.distillation.preparing import draft_order, lexicon_graph, load, settle, shards_of
from wordstill.distillation.replays import reserve_disk
from wordstill.distillation.run_folder import Run, RunFolder, RunState
from wordstill.distillation.run_record import RunRecord
from wordstill.distillation.settings import DistillSettings, ExecutionSettings
from wordstill.distillation.shards import Shard
from wordstill.lexicons.graph import Graph
from wordstill.students.registry import BEST, Chosen
from wordstill.system.clock import Clock
from wordstill.system.progress import log
from wordstill.system.threads import few_full_collections, use_threads
from wordstill.system.workers import in_order, reading_workers
from wordstill.teacher.load import Teacher


@dataclass
class OpenRun:
    """A run that is ready to be worked on, or finished."""

    folder: RunFolder
    state: RunState
    execution: ExecutionSettings
    clock: Clock
    finished: Run | None = None
    """The run, if there is nothing left to do."""
    source: SegmentedCorpus | None = None
    counted: Counted = field(init=False)
    teacher: Teacher | None = None
    fast: Teacher | None = None
    """The teacher as it computes, where it was made already."""
    order: Order = field(init=False)
    shards: list[Shard] = field(default_factory=list)
    graph: Graph | None = None

    def reading(self) -> InOrder:
        """Return how text is prepared ahead of the teacher."""
        workers = self.execution.workers
        if workers is None:
            workers = reading_workers(self.teacher.device.type if self.teacher else "cpu")
        return in_processes(workers)


class Settling(Protocol):
    """What an engine says before a run is prepared."""

    def segmenting(self, workers: int | None) -> InOrder:
        """Return how words are found and counted, with so many processes where it is done on this machine."""

    def threads(self, asked: int | None) -> int | None:
        """Return the threads of each process that does shards; None: as many as torch likes here."""


def in_processes(workers: int) -> InOrder:
    """Return what does work in so many processes of this machine, in order."""
    return lambda work, given, ahead: in_order(work, given, workers, ahead)


@contextmanager
def open_run(
    paths: Sequence[str | Path],
    out: str | Path,
    settings: DistillSettings,
    execution: ExecutionSettings,
    chosen: Mapping[str, Chosen],
    *,
    engine: Settling,
    resume: bool,
    overwrite: bool = False,
    shared: bool = False,
) -> Iterator[OpenRun]:
    """Yield a run that is ready to be worked on, under a lock; with `shared`, others may do shards of it meanwhile."""
    source = open_corpus(paths, settings)
    folder, clock = RunFolder(Path(out)), Clock()
    students = [*chosen, *other_students(settings), *([BEST] if settings.makes_best else [])]
    folder.refuse(resume=resume, overwrite=overwrite, students=students)
    begin = partial(folder.begin, resume=resume, overwrite=overwrite, students=students, shared=shared)
    with folder.locked(shared=shared), few_full_collections(), ExitStack() as preparing:
        if resume and (done := folder.finished(settings, fingerprint_of(source, paths))):
            yield OpenRun(folder, folder.state, execution, clock, done)
            return
        if shared:
            preparing.enter_context(folder.state.prepared_once())
        with begin() as state:
            run = OpenRun(folder, state, execution, clock, source=source or open_corpus(paths, settings, state))
            record = _take_up(run, settings)
            if record.finished:  # it was killed while its vectors took their places
                run.finished = folder.publish(state, record)
            else:
                _prepare(run, settings, chosen, engine)
            preparing.close()
            yield run


def _take_up(run: OpenRun, settings: DistillSettings) -> RunRecord:
    return run.state.take_up(settings, fingerprint_of(run.source, ()) or "")


def _prepare(run: OpenRun, settings: DistillSettings, chosen: Mapping[str, Chosen], engine: Settling) -> None:
    """Count, load and settle."""
    clock, state, source = run.clock, run.state, run.source
    segmenting = engine.segmenting(run.execution.workers)
    with clock.part("vocabulary"):
        counting = Counting(state, source, settings, fingerprint_of(source, ()) or "", segmenting)
    with counting:
        with clock.part("loading"):
            run.teacher = load(settings, chosen)
        with clock.part("vocabulary"):
            run.counted = counting.finish()
    with clock.part("preparing"):
        order = draft_order(settings, chosen, run.counted, run.teacher, engine.threads(settings.threads))
        reserve_disk(order.needs, run.counted.corpus, order.width, state, run.execution.keep_bytes)
        run.graph = lexicon_graph(settings, run.counted.vocabulary)
        run.order, run.fast = settle(order, state, run.counted, source, run.teacher, segmenting)
        use_threads(run.order.threads)
        run.shards = shards_of(run.order, run.counted)
        run.folder.adopt(state)
        run.counted.text.path = state.text
    words, kept = run.counted.corpus.words, len(run.counted.vocabulary)
    log.debug("%s words in the corpus, %s words in the vocabulary", f"{words:,}", f"{kept:,}")
    log.debug("%d shards", len(run.shards))
