"""The end of a run: its record, and all that was made in its place."""

from __future__ import annotations

from dataclasses import asdict, replace

from wordstill.distillation.job import Job
from wordstill.distillation.local import SHARDS
from wordstill.distillation.run_folder import Run, RunFolder
from wordstill.distillation.run_record import PARTS, BestRecord, RunRecord, TeacherRecord, TimeRecord
from wordstill.distillation.writing import STUDENT_PART, Writer
from wordstill.system.memory import peak_memory


def finish(writer: Writer, best: BestRecord | None, folder: RunFolder, *, local: bool) -> Run:
    """Make the record of the run, and put record and vectors in their places.

    local  whether this process did all shards itself, so that what they took is what the run took
    """
    job, teacher = writer.job, writer.teacher
    at, order = job.standing, job.order
    record = RunRecord(
        settings=order.settings.as_json(),
        corpus=writer.counted,
        finished=True,
        students=writer.made,
        best=best,
        tokens=at.tokens,
        truncated_words=at.dropped.truncated,
        words_without_pieces=at.dropped.invisible,
        padding=round(at.padded / max(1, at.tokens), 4),
        peak_memory_bytes=peak_memory(),
        shards=len(job.shards),
        processors=at.processors,
        # Shards that other processes did took their time while this one waited for them.
        elapsed_seconds=0.0 if local else round(sum(job.clock.seconds().values()) - job.in_shards, 3),
    )
    if teacher is not None:
        known = TeacherRecord(teacher.name, teacher.layers, teacher.width, teacher.limit, order.teacher)
        record = replace(record, teacher=known, precision=order.choice.precision, precision_choice=asdict(order.choice))
    return folder.publish(job.state, replace(record, seconds=_time(job)))


def _time(job: Job) -> TimeRecord:
    spent_by_part = job.clock.seconds()
    spent_by_part.pop(SHARDS, None)  # what shards took is in their own clocks
    seconds = {part: round(spent, 3) for part, spent in spent_by_part.items()}
    return TimeRecord(
        total=round(sum(seconds.values()), 3),
        parts={part: seconds.get(part, 0.0) for part in PARTS if part != "students"},
        students={name: seconds.get(f"{STUDENT_PART}{name}", 0.0) for name in job.students},
    )
