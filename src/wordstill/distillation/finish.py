"""The end of a run: the vectors of each student with their cards, and run.json."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from wordstill import __version__
from wordstill.corpus.vocabulary import Vocabulary
from wordstill.distillation.job import Job
from wordstill.distillation.rare_words import ALONE, Completion, WordsAlone
from wordstill.distillation.run_folder import RunFolder
from wordstill.distillation.settings import DistillSettings
from wordstill.errors import InputError
from wordstill.io import safetensors
from wordstill.refinement.pca import reduce_dimensions
from wordstill.system.memory import peak_memory
from wordstill.teacher.load import Teacher
from wordstill.vectors import WordVectors, subwords

# The parts of a run whose seconds run.json tells, besides those of each student.
PARTS = ("preparing", "read", "teacher", "pooling", "keeping", "alone", "unseen", "subwords")


class Run(NamedTuple):
    """A finished run: its folder, and what its run.json says."""

    folder: Path
    record: dict[str, Any]

    def vectors(self, student: str) -> WordVectors:
        """The vectors of one student, memory-mapped."""
        if student not in self.record["students"]:
            raise InputError(
                f"the run in {self.folder} has no {student!r}; it has: {', '.join(self.record['students'])}"
            )
        return WordVectors.load(self.folder / self.record["students"][student]["path"])


def finish(
    job: Job,
    folder: RunFolder,
    settings: DistillSettings,
    teacher: Teacher,
    vocabulary: Vocabulary,
    counted: dict[str, Any],
) -> Run:
    """Write the vectors of each student, then run.json: a run is finished when run.json says so."""
    at = job.standing
    made: dict[str, Any] = {}
    alone = job.students.get(ALONE)
    completion = Completion(vocabulary, alone, settings.rare) if isinstance(alone, WordsAlone) else None
    students = {name: student for name, student in job.students.items() if name != ALONE}
    for name, student in students.items():
        vectors = student.vectors()
        how: dict[str, Any] = {}
        if completion is not None and student.reads == "corpus":
            with job.clock("unseen"):
                vectors, how = completion.complete(vectors)
        projection = student.projection()
        if settings.dimensions is not None and settings.dimensions < vectors.vector_size:
            vectors = vectors.map(lambda matrix: reduce_dimensions(matrix, settings.dimensions or 0))
            projection = {}  # it leads to the dimensions that are gone
        vectors.card = card(settings, teacher, counted) | {"method": vectors.card}
        if settings.subwords:
            with job.clock("subwords"):
                vectors.subwords = subwords.fit(vectors)
        vectors.save(folder.path / name)
        if projection:
            safetensors.write(folder.path / name / "projection.safetensors", projection)
        made[name] = {
            "path": name,
            "words": len(vectors),
            "dimensions": vectors.vector_size,
            "loss": [[words, round(loss, 6)] for words, loss in student.losses],
            **({"unseen": how} if how else {}),
            **({"subwords_bytes": vectors.subwords.bytes} if vectors.subwords else {}),
        }
    seconds = at.seconds
    total = job.total_seconds()
    record = {
        "version": __version__,
        "finished": True,
        "settings": settings.as_json(),
        "teacher": {
            "name": teacher.name,
            "layers": teacher.layers,
            "width": teacher.width,
            "limit": teacher.limit,
        },
        "corpus": counted,
        "tokens": at.tokens,
        "truncated_words": at.dropped.truncated,
        "words_without_pieces": at.dropped.invisible,
        "padding": round(at.padded / max(1, at.tokens), 4),
        "precision": at.precision.get("precision", teacher.precision),
        "precision_choice": at.precision,
        "seconds": {
            "total": round(total, 3),
            "vocabulary": round(counted["seconds"], 3),
            **{part: round(seconds.get(part, 0.0), 3) for part in PARTS},
            "students": {name: round(seconds.get(f"students.{name}", 0.0), 3) for name in students},
            "checkpoint": round(seconds.get("checkpoint", 0.0), 3),
        },
        "words_per_second": round(counted["words"] / total, 1),
        "tokens_per_second": {
            "run": round(at.tokens / total, 1),
            "teacher_alone": round(at.tokens / max(1e-9, seconds.get("teacher", 0.0)), 1),
        },
        "peak_memory_bytes": peak_memory(),
        "students": made,
    }
    folder.write_record(record)
    job.clean()
    return Run(folder.path, record)


def card(settings: DistillSettings, teacher: Teacher, counted: dict[str, Any]) -> dict[str, Any]:
    """What the vectors' model card tells of their making; nothing that differs between two equal runs."""
    # Names, not paths: where a folder or a file lay on this machine is nobody's business.
    names = {"teacher": teacher.public_name, "lexicon": [Path(source).name for source in settings.lexicon]}
    return {
        "teacher": teacher.public_name,
        "corpus": {key: counted[key] for key in ("fingerprint", "paragraphs", "sentences", "words")},
        "settings": settings.as_json() | names,
    }
