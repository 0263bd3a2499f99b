"""The main job on one page: corpus -> shards -> teacher -> students -> vectors -> the best of them.

    from wordstill import distill
    run = distill("texts.txt", teacher="minilm", out="run", dictionary=("wordnet",))
    run.vectors("best").most_similar("river")

or `wordstill distill --teacher minilm --corpus texts.txt --dictionary wordnet --out run`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from wordstill.distillation.best import views_of, write_best
from wordstill.distillation.counting import corpus_paths
from wordstill.distillation.engines import LOCAL, Engine, engine_for
from wordstill.distillation.finish import finish
from wordstill.distillation.job import Job, stopped_gently
from wordstill.distillation.local import SHARDS
from wordstill.distillation.opening import open_run
from wordstill.distillation.other_teachers import inner_settings, write_others
from wordstill.distillation.preparing import check_input
from wordstill.distillation.replays import replay
from wordstill.distillation.run_folder import Run
from wordstill.distillation.settings import DistillSettings, ExecutionSettings, read_keywords
from wordstill.distillation.shard_work import Pulse
from wordstill.distillation.writing import Writer, write_students
from wordstill.system.threads import numpy_on_one_thread


def distill(
    corpus: str | Path | Sequence[str | Path] = (),
    *,
    out: str | Path,
    teacher: str | None = None,
    students: Sequence[str] | None = None,
    settings: DistillSettings | None = None,
    resume: bool = False,
    overwrite: bool = False,
    **options: Any,
) -> Run:
    """Distill a teacher over a corpus into the vectors of each student, in the folder `out`.

    >>> run = distill("texts.txt", teacher="minilm", students=["closed"], out="run-example")
    >>> run.vectors("closed").vector_size
    384

    corpus     files and folders of text; "-" is standard input. Without a corpus there are only students that need
               none, and the words come from a list (`forced`)
    out        the run's folder
    teacher    a model folder, a Hub name, or "minilm"; None if no student needs a teacher
    students   their names; ["paper=x2static"] gives a student a name of its own. None: the best that can be had
    settings   everything that can be chosen, as one object, instead of `teacher`, `students` and `options`
    resume     go on with the run in `out`, if there is one
    overwrite  replace the run in `out`; it stays until the new one is finished
    options    any setting of `DistillSettings` or `ExecutionSettings` by its name: min_count=3, workers=0

    Nothing is printed: `wordstill.progress_shown()` shows progress, the logger `wordstill` has messages.
    """
    settings, execution = read_keywords(settings, teacher, students, options)
    paths = corpus_paths(corpus)
    check_input(settings, paths)
    with engine_for(execution.on) as engine:
        return carry_out(paths, Path(out), settings, execution, engine, resume=resume, overwrite=overwrite)


def carry_out(
    paths: Sequence[str | Path],
    out: Path,
    settings: DistillSettings,
    execution: ExecutionSettings,
    engine: Engine,
    *,
    resume: bool,
    overwrite: bool = False,
) -> Run:
    """Carry out a run on an engine, and those of its other teachers inside it."""
    chosen = check_input(settings, paths)
    with open_run(paths, out, settings, execution, chosen, engine=engine, resume=resume, overwrite=overwrite) as run:
        if run.finished:
            return run.finished
        pulse = Pulse(execution.checkpoint_seconds)
        with stopped_gently(pulse, str(out)):
            with numpy_on_one_thread():
                job = Job(run.state, run.order, run.shards, run.graph, pulse, run.clock)
                missing = job.missing()
                job.fold()
                engine.do_shards(run, missing, pulse, job.finished)
            with run.clock.part(SHARDS):  # like shards, their runs have clocks of their own
                others = {
                    label: carry_out([], run.state.others / label, inner, execution, engine, resume=True)
                    for label, inner in inner_settings(settings, run.order.vocabulary).items()
                }
            with numpy_on_one_thread():
                replay(job)
            writer = Writer(job, run.teacher, run.counted.corpus)
            views = write_students(writer, views_of(run.order))
            best = write_best(writer, views | write_others(writer, others))
            return finish(writer, best, run.folder, local=execution.on == LOCAL.name)
