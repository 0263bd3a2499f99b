"""Further passes over what was kept of the teacher's pass, for the students that learn more than once."""

from __future__ import annotations

from collections.abc import Mapping

from wordstill.distillation.job import Job
from wordstill.distillation.kept_contexts import kept_bytes, store_name
from wordstill.distillation.run_folder import RunState
from wordstill.distillation.run_record import CorpusRecord
from wordstill.errors import InputError
from wordstill.students.student import Student
from wordstill.system.progress import Progress, log


def reserve_disk(
    students: Mapping[str, Student], counted: CorpusRecord, width: int, state: RunState, allowed: float
) -> None:
    """Tell what will be kept on disk for further passes, and refuse to begin if it is more than allowed."""
    needs = {name: student.needs for name, student in students.items()}
    needed = kept_bytes(needs, counted.sentences, counted.words, width)
    for store, size in needed.items():
        what = f"{store} keeps its contexts on disk while it learns"
        if store not in students:
            sharing = [name for name, one in needs.items() if store_name(name, one) == store]
            what = f"word vectors are kept on disk for {' and '.join(sharing)}"
        log.debug("%s: %s MB in %s", what, f"{size / 1e6:,.0f}", state.kept / store)
    total = sum(needed.values())
    if total > allowed:
        raise InputError(
            f"further epochs and starts from a closed form need {total / 1e9:,.3g} GB on disk for this corpus, and "
            f"--keep-bytes allows {allowed / 1e9:,.3g} GB; allow more, read fewer --words, or choose preset=paper "
            "(one epoch from a random start)"
        )


def replay(job: Job, seed: int, words: int) -> None:
    """Show each student with replays the contexts, or words, that were kept for it, as often as it asks."""
    for name, student in job.students.items():
        replays = student.needs.replays
        if not replays:
            continue
        at = job.standing.replayed.setdefault(name, [0, 0])
        with Progress(f"training {name}", words * replays, words * at[0]) as progress:
            while at[0] < replays:
                for block in job.kept_for(name).blocks(seed, at[0], at[1]):
                    with job.teaching(name):
                        student.replay(block)
                    at[1] += 1
                    progress.advance(len(block.words))
                    job.rest()
                at[0], at[1] = at[0] + 1, 0
