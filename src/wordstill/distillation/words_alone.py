"""The words of the vocabulary, shown out of context to the students that learn from nothing else."""

from __future__ import annotations

from itertools import product

import numpy as np

from wordstill.corpus.vocabulary import Vocabulary
from wordstill.distillation.job import Job
from wordstill.distillation.settings import DistillSettings
from wordstill.system.progress import Progress
from wordstill.teacher.load import Teacher
from wordstill.teacher.single_words import spellings, words_alone, words_in_table

# Words that are shown between two checkpoints.
AT_ONCE = 4096


def show(
    job: Job, vocabulary: Vocabulary, model: Teacher, fast: Teacher, settings: DistillSettings, *, quiet: bool
) -> None:
    """Show every word of the vocabulary out of context to the students that learn from nothing else.

    Words alone are encoded by `fast`, the teacher as it computed in the pass; input embeddings are the model's own.
    """
    alone = [name for name, student in job.students.items() if student.reads == "alone"]
    table = [name for name, student in job.students.items() if student.reads == "table"]
    if not alone and not table:
        return
    at = job.standing
    layers = sorted({layer for name in alone for layer in job.students[name].layers})
    words = spellings(vocabulary)
    with Progress("showing words", len(words), at.shown, quiet=quiet) as progress:
        while at.shown < len(words):
            part = slice(at.shown, at.shown + AT_ONCE)
            numbers = np.arange(len(words), dtype=np.int32)[part]
            if alone:
                with job.clock("alone"):
                    tokens = settings.batch_tokens or fast.usual_batch
                    batches = words_alone(fast, numbers, words[part], layers, tokens, settings.pooling)
                for name, batch in product(alone, batches):
                    job.show(name, batch)
            for name in table:
                job.show(name, words_in_table(model, numbers, words[part]))
            at.shown += len(numbers)
            progress.advance(len(numbers))
            job.rest()
