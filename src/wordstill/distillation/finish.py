"""The end of a run: the vectors of each student with their cards, and the record of the run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from wordstill.corpus.vocabulary import Vocabulary
from wordstill.distillation.job import Job
from wordstill.distillation.rare_words import AloneFeatures, Completion
from wordstill.distillation.run_folder import Run, RunFolder
from wordstill.distillation.run_record import PARTS, CorpusRecord, RunRecord, StudentRecord, TeacherRecord, TimeRecord
from wordstill.distillation.settings import DistillSettings
from wordstill.io import safetensors
from wordstill.system.memory import peak_memory
from wordstill.system.progress import Progress
from wordstill.teacher.load import Teacher
from wordstill.vectors.directions import reduce_dimensions
from wordstill.vectors.subwords import fit_subwords

STUDENT_PART = "students."


def write_students(
    job: Job,
    settings: DistillSettings,
    teacher: Teacher | None,
    vocabulary: Vocabulary,
    counted: CorpusRecord,
    features: AloneFeatures | None,
) -> dict[str, StudentRecord]:
    """Write the vectors of each student into the run's state."""
    made: dict[str, StudentRecord] = {}
    completion = Completion(vocabulary, features, settings.rare) if features is not None else None
    total = len(vocabulary) * len(job.students)
    with Progress("writing vectors", total) as progress:
        for name, student in job.students.items():
            with job.clock.part(f"{STUDENT_PART}{name}"):
                vectors, projection = student.vectors(), student.projection()
            how: dict[str, Any] = {}
            if completion is not None and student.needs.text and student.needs.teacher:
                with job.clock.part("unseen"):
                    vectors, how = completion.complete(vectors)
            with job.clock.part("writing"):
                if settings.dimensions is not None and settings.dimensions < vectors.vector_size:
                    vectors = vectors.map(lambda matrix: reduce_dimensions(matrix, settings.dimensions or 0))
                    projection = {}  # it leads to the dimensions that are gone
                vectors.card = _card(settings, teacher, counted) | {"method": vectors.card}
            if settings.subwords:
                with job.clock.part("subwords"):
                    vectors.subwords = fit_subwords(vectors)
            with job.clock.part("writing"):
                vectors.save(job.state.students / name, format="folder")
                if projection:
                    safetensors.write(job.state.students / name / "projection.safetensors", projection)
            made[name] = StudentRecord(
                path=name,
                words=len(vectors),
                dimensions=vectors.vector_size,
                loss=[[words, round(loss, 6)] for words, loss in student.losses],
                unseen=how,
                subwords_bytes=vectors.subwords.bytes if vectors.subwords else 0,
            )
            progress.advance(len(vocabulary))
    return made


def finish(
    job: Job,
    folder: RunFolder,
    settings: DistillSettings,
    teacher: Teacher | None,
    counted: CorpusRecord,
    made: dict[str, StudentRecord],
) -> Run:
    """Make the record of the run, and put record and vectors in their places."""
    at = job.standing
    record = RunRecord(
        settings=settings.as_json(),
        corpus=counted,
        finished=True,
        students=made,
        tokens=at.tokens,
        truncated_words=at.dropped.truncated,
        words_without_pieces=at.dropped.invisible,
        padding=round(at.padded / max(1, at.tokens), 4),
        precision_choice=at.precision,
        peak_memory_bytes=peak_memory(),
    )
    if teacher is not None:
        known = TeacherRecord(teacher.name, teacher.layers, teacher.width, teacher.limit)
        record = replace(record, teacher=known, precision=at.precision.get("precision", teacher.precision))
    for contexts in job.kept.values():
        contexts.close()
    return folder.publish(job.state, replace(record, seconds=_time(job, list(made))))


def _time(job: Job, students: list[str]) -> TimeRecord:
    seconds = {part: round(spent, 3) for part, spent in job.clock.seconds().items()}
    return TimeRecord(
        total=round(sum(seconds.values()), 3),
        parts={part: seconds.get(part, 0.0) for part in PARTS if part != "students"},
        students={name: seconds.get(f"{STUDENT_PART}{name}", 0.0) for name in students},
    )


def _card(settings: DistillSettings, teacher: Teacher | None, counted: CorpusRecord) -> dict[str, Any]:
    """What the vectors' model card tells of their making; nothing that differs between two equal runs."""
    # Names, not paths: where a folder or a file lay on this machine is nobody's business.
    name = teacher.public_name if teacher is not None else None
    names = {"teacher": name, "lexicon": [Path(source).name for source in settings.lexicon]}
    told = ("fingerprint", "paragraphs", "sentences", "words")
    return {
        **({"teacher": name} if teacher is not None else {}),
        "corpus": {key: getattr(counted, key) for key in told},
        "settings": settings.as_json() | names,
    }
