"""The pass over the vocabulary: every word out of context, encoded alone or looked up in the table of embeddings.

The students that learn from nothing else see the words, and rare words are predicted from them (see `rare_words`).
"""

from __future__ import annotations

from itertools import product

import numpy as np

from wordstill.corpus.vocabulary import Vocabulary
from wordstill.distillation.job import Job
from wordstill.distillation.rare_words import AloneFeatures
from wordstill.distillation.settings import DistillSettings
from wordstill.system.progress import Progress
from wordstill.teacher.load import Teacher
from wordstill.teacher.single_words import spellings, words_alone, words_in_table

# Words that are encoded between two checkpoints.
AT_ONCE = 4096


def encode_vocabulary(
    job: Job,
    vocabulary: Vocabulary,
    teacher: Teacher,
    fast: Teacher,
    settings: DistillSettings,
    features: AloneFeatures | None,
) -> None:
    """Show every word of the vocabulary out of context to the students that ask for it, and keep its features.

    Words alone are encoded by `fast`, the teacher as it computed in the pass over the text; input embeddings are the
    teacher's own.
    """
    alone = [name for name, student in job.students.items() if student.needs.shown == "alone"]
    table = [name for name, student in job.students.items() if student.needs.shown == "table"]
    if not alone and not table and features is None:
        return
    at = job.standing
    layers = {layer for name in alone for layer in job.students[name].needs.layers}
    layers |= set(features.layers) if features is not None else set()
    words = spellings(vocabulary)
    with Progress("encoding words alone", len(words), at.shown) as progress:
        while at.shown < len(words):
            part = slice(at.shown, at.shown + AT_ONCE)
            numbers = np.arange(len(words), dtype=np.int32)[part]
            if layers:
                with job.clock.part("alone"):
                    tokens = settings.batch_tokens or fast.usual_batch
                    batches = words_alone(fast, numbers, words[part], sorted(layers), tokens, settings.pooling)
                    if features is not None:
                        for batch in batches:
                            features.observe(batch)
                for name, batch in product(alone, batches):
                    with job.teaching(name):
                        job.students[name].observe(batch)
            for name in table:
                with job.teaching(name):
                    job.students[name].observe(words_in_table(teacher, numbers, words[part]))
            at.shown += len(numbers)
            progress.advance(len(numbers))
            job.rest()
