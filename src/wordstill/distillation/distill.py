"""The main job on one page: corpus -> teacher -> students -> vectors.

    from wordstill import distill
    run = distill("texts.txt", teacher="minilm", students=["aggregate", "closed"], out="run")
    run.vectors("closed").most_similar("river")

or `wordstill distill --teacher minilm --corpus texts.txt --student aggregate,closed --out run`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from wordstill.distillation.counting import Counting, corpus_paths, fingerprint_of, open_corpus
from wordstill.distillation.finish import finish, write_students
from wordstill.distillation.job import Job
from wordstill.distillation.preparing import check_input, load, prepare_students
from wordstill.distillation.replays import replay, reserve_disk
from wordstill.distillation.run_folder import Run, RunFolder
from wordstill.distillation.settings import DistillSettings, read_keywords
from wordstill.distillation.teacher_pass import read_text
from wordstill.distillation.words_alone import encode_vocabulary
from wordstill.system.clock import Clock
from wordstill.system.threads import few_full_collections, numpy_on_one_thread


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
    students   their names; ["paper=x2static"] gives a student a name of its own
    settings   everything that can be chosen, as one object, instead of `teacher`, `students` and `options`
    resume     go on with the run in `out`, if there is one
    overwrite  replace the run in `out`; it stays until the new one is finished
    options    any setting of `DistillSettings` or `ExecutionSettings` by its name: min_count=3, workers=0

    Nothing is printed: `wordstill.progress_shown()` shows progress, the logger `wordstill` has messages.
    """
    settings, execution = read_keywords(settings, teacher, students, options)
    paths = corpus_paths(corpus)
    chosen = check_input(settings, paths)
    source = open_corpus(paths, settings)
    folder = RunFolder(Path(out))
    folder.refuse(resume=resume, overwrite=overwrite, students=list(chosen))
    clock = Clock()
    with folder.locked(), few_full_collections():
        if resume and (done := folder.finished(settings, fingerprint_of(source, paths))):
            return done
        with folder.begin(resume=resume, overwrite=overwrite, students=list(chosen)) as state:
            source = source or open_corpus(paths, settings, state)
            fingerprint = fingerprint_of(source, ()) or ""
            before = state.take_up(settings, fingerprint)
            if before.finished:  # it was killed while its vectors took their places
                return folder.publish(state, before)
            with clock.part("vocabulary"):
                counting = Counting(state, source, settings, fingerprint, execution.workers)
            with counting:
                with clock.part("loading"):
                    model = load(settings, chosen)
                with clock.part("vocabulary"):
                    vocabulary, counted, text = counting.finish()
            with clock.part("preparing"):
                learners, features = prepare_students(settings, chosen, vocabulary, counted, model, state)
                width = model.width if model else 0
                reserve_disk(learners, counted, width, state, execution.keep_bytes)
                folder.adopt(state)
                text.path = state.text
                job = Job(state, learners, width, execution.checkpoint_seconds, clock, features)
            with job.guarded():
                with numpy_on_one_thread():
                    fast = model
                    if source is not None:
                        fast = read_text(job, source, text, vocabulary, model, settings, counted, execution.workers)
                    state.text.unlink(missing_ok=True)
                    if model is not None:
                        encode_vocabulary(job, vocabulary, model, fast or model, settings, features)
                    replay(job, settings.seed, counted.words)
                made = write_students(job, settings, model, vocabulary, counted, features)
                return finish(job, folder, settings, model, counted, made)
