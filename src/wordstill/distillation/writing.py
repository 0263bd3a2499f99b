"""Write vectors into the state of a run: those of each student, completed, at the width asked for, with their card."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from wordstill.arrays import Array
from wordstill.distillation.job import Job
from wordstill.distillation.rare_words import Completion
from wordstill.distillation.run_record import CorpusRecord, StudentRecord
from wordstill.distillation.settings import DistillSettings
from wordstill.io import safetensors
from wordstill.system.progress import Progress
from wordstill.teacher.load import Teacher
from wordstill.vectors import WordVectors
from wordstill.vectors.directions import reduce_dimensions
from wordstill.vectors.pieces import fit_pieces
from wordstill.vectors.subwords import fit_subwords

STUDENT_PART = "students."


@dataclass
class Writer:
    """Writes vectors into the state of a run, and keeps the record of each."""

    job: Job
    teacher: Teacher | None
    counted: CorpusRecord
    made: dict[str, StudentRecord] = field(default_factory=dict)

    def write(
        self,
        name: str,
        vectors: WordVectors,
        projection: Mapping[str, Array] | None = None,
        losses: Sequence[tuple[int, float]] = (),
        unseen: Mapping[str, Any] | None = None,
        *,
        pieces: bool = False,
    ) -> None:
        """Write vectors under a student's name; what their card says becomes its `method`.

        pieces  whether they are made for texts, whose unknown words shall fall apart into pieces
        """
        settings, clock = self.job.order.settings, self.job.clock
        folder = self.job.state.students / name
        with clock.part("writing"):
            method, projection, subwords = vectors.card, dict(projection or {}), vectors.subwords
            if settings.dimensions is not None and settings.dimensions < vectors.vector_size:
                vectors = vectors.map(lambda matrix: reduce_dimensions(matrix, settings.dimensions or 0))
                projection, subwords = {}, None  # they lead to the dimensions that are gone
            card = _card(settings, self.teacher, self.counted) | {"method": method}
            vectors = WordVectors(vectors.words, vectors.matrix, vectors.counts, card)
        # A text of a single sentence tells no word from another: closed then has zeros, which have no spelling.
        if settings.subwords and bool(np.any(vectors.matrix)):
            with clock.part("subwords"):
                vectors.subwords = subwords or fit_subwords(vectors)
                vectors.pieces = fit_pieces(vectors) if pieces else None
        with clock.part("writing"):
            vectors.save(folder, format="folder")
            if projection:
                safetensors.write(folder / "projection.safetensors", projection)
        self.made[name] = StudentRecord(
            path=name,
            words=len(vectors),
            dimensions=vectors.vector_size,
            loss=[[words, round(loss, 6)] for words, loss in losses],
            unseen=dict(unseen or {}),
            subwords_bytes=vectors.subwords.bytes if vectors.subwords else 0,
        )


def write_students(writer: Writer, keep: Mapping[str, str]) -> dict[str, WordVectors]:
    """Write the vectors of each student; return those to keep, at full width, by the names that `keep` gives them."""
    job = writer.job
    vocabulary, rare = job.order.vocabulary, job.order.settings.rare
    completion = Completion(vocabulary, job.features, rare) if job.features is not None else None
    kept: dict[str, WordVectors] = {}
    with Progress("writing vectors", len(vocabulary) * len(job.students)) as progress:
        for name, student in job.students.items():
            with job.clock.part(f"{STUDENT_PART}{name}"):
                vectors, projection = student.vectors(), student.projection()
            how: dict[str, Any] = {}
            if completion is not None and student.needs.gaps:
                with job.clock.part("unseen"):
                    vectors, how = completion.complete(vectors, rests_on_counts=student.needs.text)
            writer.write(name, vectors, projection, student.losses, how, pieces=student.needs.shown == "pooled")
            if name in keep:
                kept[keep[name]] = vectors
            progress.advance(len(vocabulary))
    return kept


def _card(settings: DistillSettings, teacher: Teacher | None, counted: CorpusRecord) -> dict[str, Any]:
    """What the vectors' model card tells of their making; nothing that differs between two equal runs."""
    # Names, not paths: where a folder or a file lay on this machine is nobody's business.
    name = teacher.public_name if teacher is not None else None
    files = {kind: [Path(source).name for source in getattr(settings, kind)] for kind in ("lexicon", "dictionary")}
    told = ("fingerprint", "paragraphs", "sentences", "words")
    return {
        **({"teacher": name} if teacher is not None else {}),
        "corpus": {key: getattr(counted, key) for key in told},
        "settings": settings.as_json() | {"teacher": name, **files},
    }
