"""What the students share that need no teacher: they count words, and learn from them sentence by sentence."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np

from wordstill.arrays import Array
from wordstill.kernels.predicting import Sampling, Text
from wordstill.kernels.sampling import generator
from wordstill.options import setting
from wordstill.students.replaying import Replaying, Sampled, SampledSettings
from wordstill.students.student import Needs
from wordstill.teacher.batch import Batch

# What the students declare alike; each has its own values.
DIMENSIONS = partial(setting, help="of the vectors", low=1, high=100_000)
THREADS = partial(
    setting, help="that learn at once; with more than one, other bytes come out each time", low=1, high=256
)

Result = TypeVar("Result")


class FromWords(Replaying):
    """Keeps the words of the text; `done` begins with their number, in or out of the vocabulary."""

    @classmethod
    def needs_of(cls, settings: Any, layer: int) -> Needs:
        """Words, and the same again for each epoch."""
        return Needs("words", teacher=False, replays=settings.epochs, keeps="words")

    def learnable(self, batch: Batch) -> Array:
        """Tell which words of a batch something is learned about."""
        return batch.words >= 0

    def observe(self, batch: Batch) -> None:
        """Count words."""
        np.add.at(self.seen, batch.words[self.learnable(batch)], 1)
        self.done[0] += len(batch.words)

    def random_rows(self, rows: int) -> Array:
        """Rows of random numbers from -1/d to 1/d."""
        table = generator(self.brief.seed, 0).random((rows, self.dimensions), dtype=np.float32)
        table -= np.float32(0.5)
        table *= np.float32(2.0 / self.dimensions)
        return table


@dataclass(frozen=True)
class FromSentencesSettings(SampledSettings):
    """The options of those that go through sentences."""

    dimensions: int
    threads: int


class FromSentences(FromWords, Sampled):
    """Goes through sentences with a compiled loop, `learn_sentences`."""

    settings: FromSentencesSettings

    def learn_sentences(self, text: Text, sampling: Sampling, seed: int) -> tuple[float, int]:
        """Learn from sentences; return the sum of the losses and the number of targets."""
        raise NotImplementedError

    def learn(self, batch: Batch) -> None:
        """Go through the sentences of a block, on as many threads as asked for."""
        before = int(self.done[2])
        random = self.next_step(len(batch.words))
        starts = np.append(batch.sentence_starts, len(batch.words))
        rates = self.rate_after(before + starts[:-1])
        sampling = Sampling(self.keep, self.sampler.share, self.sampler.alias, self.settings.negatives)
        cuts = pairwise(cut_evenly(len(rates), self.settings.threads))
        texts = [Text(batch.words, starts[low : high + 1], rates[low:high]) for low, high in cuts]
        seeds = random.integers(2**63, size=len(texts), dtype=np.uint64)
        parts = [(text, sampling, seed) for text, seed in zip(texts, seeds, strict=True)]
        losses, targets = zip(*learn_at_once(self.learn_sentences, parts), strict=True)
        self.curve.add(sum(losses), sum(targets), len(batch.words))


def cut_evenly(number: int, threads: int) -> Array:
    """Return where the parts of so many things begin and end, one part per thread and none without a thing."""
    return np.linspace(0, number, min(threads, number) + 1).astype(np.int64)


def learn_at_once(learn: Callable[..., Result], parts: Sequence[tuple[Any, ...]]) -> list[Result]:
    """Call a compiled loop, which lets other threads run, with the arguments of each part, on a thread of its own."""
    if len(parts) == 1:
        return [learn(*parts[0])]
    with ThreadPoolExecutor(len(parts)) as threads:
        return list(threads.map(lambda part: learn(*part), parts))
