"""A process that does shards: the teacher reads each shard once, and every learner sees every batch.

Text is read by the teacher in batches of about the same length. Words of the vocabulary are encoded out of context, or
looked up in the teacher's table of embeddings. A run without a teacher reads the words of the text alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from functools import cached_property, partial
from typing import TypeAlias

import numpy as np

from wordstill.distillation.order import Order
from wordstill.distillation.reading import Prepared, Preparing, ShardText, buffers, word_batches
from wordstill.distillation.shard_work import Pulse, ShardFolder, ShardWork, processor_kind
from wordstill.distillation.shards import Shard
from wordstill.errors import Damaged
from wordstill.kernels.sampling import generator
from wordstill.lexicons.dictionary import Definitions, ask
from wordstill.system.progress import log
from wordstill.teacher.batch import Batch
from wordstill.teacher.encode import Grid, forward, lay_out, to_batch
from wordstill.teacher.load import Teacher
from wordstill.teacher.piece_means import piece_means, pool_sentences
from wordstill.teacher.precision import recreate
from wordstill.teacher.sentences import SentencePooling, sentence_pooling, sentence_vectors
from wordstill.teacher.single_words import spellings, words_alone, words_in_table
from wordstill.teacher.texts import make_batches

# Words that are encoded alone between two checkpoints, and words of which several texts are read.
AT_ONCE, DEFINED_AT_ONCE = 4096, 512

Advance: TypeAlias = Callable[[int], None]
BesideTeacher: TypeAlias = Callable[[Teacher, Grid, Sequence[int]], None]
_beside: ContextVar[BesideTeacher | None] = ContextVar("beside", default=None)


@contextmanager
def beside_teacher(work: BesideTeacher) -> Iterator[None]:
    """Call `work` after the teacher's pass over each batch of the runs inside: benchmarks compare the two."""
    token = _beside.set(work)
    try:
        yield
    finally:
        _beside.reset(token)


class Teaching:
    """The order of a run and the loaded teacher: all that a process needs to do any shard of it."""

    def __init__(self, order: Order, teacher: Teacher | None, pulse: Pulse, fast: Teacher | None = None) -> None:
        """`fast` is the teacher as it computes in this run, where it was made already."""
        self.order, self.teacher, self.pulse, self._fast = order, teacher, pulse, fast

    @property
    def fast(self) -> Teacher | None:
        """The teacher as it computes in this run."""
        if self._fast is None and self.teacher is not None:
            self._fast = recreate(self.teacher, self.order.choice)
        return self._fast

    @cached_property
    def processor(self) -> str:
        """The kind of processor that computes here: the GPU's name, or the CPU's with its instructions."""
        if self.teacher is None or self.teacher.device.type != "cuda":
            return processor_kind()
        import torch

        return torch.cuda.get_device_name(self.teacher.device)

    @property
    def preparing(self) -> Preparing | None:
        """What is done to words before the teacher reads them; None where it does not read the text."""
        if self.teacher is None or not any(one.teacher and one.text for one in self.order.needs.values()):
            return None
        return Preparing(self.order.vocabulary, self.teacher.pieces, self.order.settings.context, self.teacher.limit)

    def read_text(
        self, text: ShardText, paragraphs: Iterable[Prepared] | None, folder: ShardFolder, advance: Advance
    ) -> ShardWork:
        """Do a shard of text. `paragraphs` is its text as the teacher reads it, None without a teacher."""
        work = self._take_up(text.shard, text.numbers(self.order.vocabulary), folder)
        advance(work.record.words)
        if work.record.done:  # by a process that was waited for
            work.close()
            return work
        try:
            if paragraphs is None:
                self._read_words(work, text, advance)
            else:
                self._read(work, paragraphs, advance)
            work.finish()
        finally:
            work.close()
        return work

    def encode_words(self, shard: Shard, folder: ShardFolder, advance: Advance) -> ShardWork:
        """Do a shard of the vocabulary: every word out of context."""
        numbers = np.arange(shard.first, shard.first + shard.size, dtype=np.int32)
        work = self._take_up(shard, numbers, folder)
        advance(min(work.record.buffers * self.at_once, shard.size))
        if work.record.done:
            work.close()
            return work
        try:
            self._encode(work, advance)
            work.finish()
        finally:
            work.close()
        return work

    def _take_up(self, shard: Shard, numbers: np.ndarray, folder: ShardFolder) -> ShardWork:
        """Go on with a shard where it stands; one that is damaged is begun again."""
        take_up = partial(ShardWork, self.order, shard, numbers, folder, self.pulse, self.processor)
        try:
            return take_up()
        except Damaged as error:
            log.warning("%s; shard %s is done again", error, shard.name)
            folder.clear()
            return take_up()

    def _read(self, work: ShardWork, paragraphs: Iterable[Prepared], advance: Advance) -> None:
        fast, order, settings, beside = self.fast, self.order, self.order.settings, _beside.get()
        assert fast is not None
        at, clock = work.record, work.clock
        needs = [learner.needs for learner in work.learners.values()]
        layers = sorted({layer for one in needs for layer in one.layers})
        by_piece = sorted({layer for one in needs if one.shown == "pieces" for layer in one.layers})
        by_teacher = sorted({layer for one in needs if one.shown == "pooled" for layer in one.layers})
        special = len(fast.pieces.prefix) + len(fast.pieces.suffix)
        made = buffers(paragraphs, settings.buffer_tokens)
        number = -1
        while True:
            with clock.part("read"):
                buffer = next(made, None)
                number += 1
                if buffer is None:
                    return
                if number < at.buffers:  # done before this process took the shard up
                    continue
                random = generator(settings.seed, 3, work.shard.number, number)
                batches = make_batches(buffer.texts, order.batch_tokens, special, random)
            for texts in batches[at.batches :]:
                with clock.part("read"):
                    grid = lay_out(fast, texts)
                with clock.part("teacher"):
                    hidden = forward(fast, grid, layers)
                if beside is not None:
                    beside(fast, grid, layers)
                with clock.part("pooling"):
                    batch = to_batch(texts, grid, hidden, settings.pooling)
                    if by_piece:
                        states = {layer: hidden[layer] for layer in by_piece}
                        means = piece_means(fast, texts, grid, states, batch, settings.context)
                        batch = replace(batch, pieces=means)
                    if by_teacher:
                        states = {layer: hidden[layer] for layer in by_teacher}
                        own = pool_sentences(fast, texts, grid, states, batch, settings.context, self.pooling)
                        batch = replace(batch, pooled=own)
                at.tokens += int(grid.mask.sum())
                at.padded += grid.mask.size
                work.observe(batch)
                advance(len(batch.words))
                work.rest()
            at.dropped += buffer.dropped
            at.buffers, at.batches = at.buffers + 1, 0

    def _read_words(self, work: ShardWork, text: ShardText, advance: Advance) -> None:
        for number, batch in enumerate(word_batches(text, self.order.vocabulary)):
            if number >= work.record.batches:
                work.observe(batch)
                advance(len(batch.words))
                work.rest()

    def _encode(self, work: ShardWork, advance: Advance) -> None:
        teacher, fast = self.teacher, self.fast
        assert teacher is not None
        assert fast is not None
        at, needs = work.record, [learner.needs for learner in work.learners.values()]
        layers = sorted({layer for one in needs if one.shown == "alone" or one.alone for layer in one.layers})
        table = any(one.shown == "table" for one in needs)
        words = self.spelled[work.shard.first : work.shard.first + work.shard.size]
        defined, asked = (
            sorted({layer for one in needs if one.shown == shown for layer in one.layers})
            for shown in ("definition", "asked")
        )
        while at.buffers * self.at_once < len(words):
            part = slice(at.buffers * self.at_once, (at.buffers + 1) * self.at_once)
            numbers = work.numbers[part]
            if layers:
                with work.clock.part("alone"):
                    batches = words_alone(
                        fast, numbers, words[part], layers, self.order.batch_tokens, self.order.settings.pooling
                    )
                for batch in batches:
                    work.observe(batch, "alone")
            if table:
                work.observe(words_in_table(teacher, numbers, words[part]), "table")
            if asked:
                with work.clock.part("alone"):
                    batch = self._read_about(fast, numbers, ask(self.order.settings.questions, words[part]), asked)
                work.observe(batch, "asked")
            if defined:
                assert self.order.definitions is not None
                found = self.order.definitions.between(int(numbers[0]), int(numbers[-1]) + 1)
                with work.clock.part("dictionary"):
                    batch = self._read_about(fast, numbers, found, defined)
                work.observe(batch, "definition")
            at.buffers += 1
            advance(len(numbers))
            work.rest()

    def _read_about(self, fast: Teacher, numbers: np.ndarray, found: Definitions, layers: Sequence[int]) -> Batch:
        """What the teacher understands by what is said of these words; those of which nothing is said are left out."""
        tokens, size = self.order.batch_tokens, len(found.covered)
        read = {
            layer: sentence_vectors(fast, found.texts, self.pooling, tokens=tokens, layer=layer) for layer in layers
        }
        return Batch(
            words=numbers[found.covered],
            sentences=np.arange(size, dtype=np.int32),
            positions=np.zeros(size, dtype=np.int32),
            layers={layer: found.means(vectors) for layer, vectors in read.items()},
        )

    @property
    def at_once(self) -> int:
        """Words of the vocabulary that are encoded between two checkpoints."""
        several = any(one.shown in ("definition", "asked") for one in self.order.needs.values())
        return DEFINED_AT_ONCE if several else AT_ONCE

    @cached_property
    def pooling(self) -> SentencePooling:
        """How the teacher makes one vector of a sentence."""
        assert self.teacher is not None
        return sentence_pooling(self.teacher)

    @cached_property
    def spelled(self) -> list[str]:
        """The words of the vocabulary as the teacher shall read them."""
        return spellings(self.order.vocabulary)
