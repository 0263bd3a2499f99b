"""Further passes over what was kept of the teacher's pass, for the students that learn more than once."""

from __future__ import annotations

from collections.abc import Mapping

from wordstill.distillation.job import Job
from wordstill.distillation.kept_contexts import kept_bytes, store_name
from wordstill.distillation.run_folder import RunState
from wordstill.distillation.run_record import CorpusRecord
from wordstill.errors import InputError
from wordstill.students.student import Needs
from wordstill.system.progress import Progress, log


def reserve_disk(
    needs: Mapping[str, Needs], counted: CorpusRecord, width: int, state: RunState, allowed: float
) -> None:
    """Tell what will be kept on disk for the replays, and refuse to begin if it is more than allowed."""
    needed = kept_bytes(needs, counted.sentences, counted.words, width)
    for store, size in needed.items():
        what = f"{store} keeps its contexts on disk while it learns"
        if store not in needs:
            sharing = [name for name, one in needs.items() if store_name(name, one) == store]
            what = f"word vectors are kept on disk for {' and '.join(sharing)}"
        log.debug("%s: %s MB in %s", what, f"{size / 1e6:,.0f}", state.shards)
    total = sum(needed.values())
    if total > allowed:
        raise InputError(
            f"students that learn by gradient descent need {total / 1e9:,.3g} GB on disk for this corpus, and "
            f"--keep-bytes allows {allowed / 1e9:,.3g} GB; allow more, or read fewer --words"
        )


def replay(job: Job) -> None:
    """Show each student with replays the contexts, or words, that were kept for it, as often as it asks."""
    words = job.order.total_words
    for name, student in job.students.items():
        replays = student.needs.replays
        if not replays:
            continue
        if name not in job.standing.replayed:
            job.standing.replayed[name] = [0, 0]
            if len(job.standing.replayed) == 1:
                job.save()  # what the replays begin with: no shard need be added up again
        at = job.standing.replayed[name]
        with Progress(f"training {name}", words * replays, words * at[0]) as progress:
            while at[0] < replays:
                for block in job.kept_for(name, at[0], at[1]):
                    with job.learning(name):
                        student.replay(block)
                    at[1] += 1
                    progress.advance(len(block.words))
                    job.rest()
                at[0], at[1] = at[0] + 1, 0
