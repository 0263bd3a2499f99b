"""Work out what a planned run takes from what was measured: seconds on any number of workers, memory, and disk."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from wordstill.corpus.segmented_text import MOST_BYTES
from wordstill.distillation.job import WAITING_BYTES
from wordstill.distillation.kept_contexts import kept_bytes
from wordstill.distillation.order import Order
from wordstill.distillation.rare_words import AloneFeatures
from wordstill.distillation.shards import WORDS_ALONE
from wordstill.errors import InputError
from wordstill.planning.adding_up import Adding, Kind
from wordstill.planning.finishing import Finishing
from wordstill.planning.rates import Rates
from wordstill.planning.settings import PlannedRun
from wordstill.planning.simulation import (
    HOUR,
    PASS,
    ShardCost,
    Simulated,
    Work,
    Workers,
    mean_with_failures,
    simulate,
    what_binds,
)
from wordstill.planning.state_size import state_size
from wordstill.planning.teacher_speed import Speed
from wordstill.students.registry import Chosen

# A word's letters, its count and its place in the table of words.
WORD_BYTES = 200
# A word of kept text, and its share of the distinct words: 7.9 measured.
TEXT_BYTES = 8
# Of more shards than this several are simulated as one, with what their failures cost in the mean.
MOST_SHARDS = 5_000
# Failures while a shard is done: with more, it would hardly ever be finished.
MOST_FAILURES = 3.0


class Outcome(NamedTuple):
    """A run on a number of workers."""

    seconds: float
    efficiency: float
    """The seconds of one worker over those of all workers together."""
    binds: str
    """What keeps the run from being faster."""
    simulated: Simulated


@dataclass(frozen=True)
class Estimate:
    """What a planned run would take."""

    planned: PlannedRun
    order: Order
    rates: Rates
    adding: Mapping[Kind, Adding]
    finishing: Finishing

    # ---------------------------------------------------------------- time

    def on_workers(self, speed: Speed, number: int) -> Outcome:
        """Simulate the run on so many workers like this machine."""
        work = self.work(speed)
        one = simulate(work, Workers(1))
        if number == 1:
            return Outcome(one.seconds, 1.0, PASS, one)
        failures = 0.0 if self._grouped else self.planned.failures_per_hour
        workers = Workers(number, self.planned.spread, failures, self.planned.run.seed)
        found = simulate(work, workers)
        efficiency = one.seconds / found.seconds / number
        return Outcome(found.seconds, efficiency, what_binds(work, workers, found.seconds), found)

    def work(self, speed: Speed) -> Work:
        """Return what the run is made of, with a teacher of this speed."""
        rates, words, vocabulary = self.rates, self.planned.total_words, self.planned.expected_vocabulary
        teacher = rates.per_word["teacher"]
        # What is not kept of the text is segmented again.
        again = rates.counting * (1 - self.kept_text / (TEXT_BYTES * words))
        per_word = sum(rates.per_word.values()) + sum(rates.students.values()) - teacher + teacher / speed.gain + again
        starting = rates.loading + speed.preparing
        shards = self._shards("text", words, per_word, starting)
        shards += self._shards("vocabulary", vocabulary, rates.alone / speed.gain, starting)
        return Work(
            shards,
            starting=starting,
            counting=words * rates.counting,
            counting_on_driver=words * rates.counting_on_driver,
            replays=words * sum(rates.replays.values()) + self._reading_kept + rates.starting,
            finishing=self.finishing.seconds(vocabulary),
        )

    @property
    def _reading_kept(self) -> float:
        """The seconds in which what was kept for replays is read, as fast as shards are."""
        if "text" not in self.adding:
            return 0.0
        epochs = max((needs.replays for needs in self.order.needs.values()), default=0)
        return epochs * sum(self._kept().values()) * self.adding["text"].reading / self.adding["text"].bytes

    def _kept(self) -> dict[str, int]:
        """The bytes that are kept for replays, by store."""
        words = self.planned.total_words
        return kept_bytes(self.order.needs, math.ceil(words * self.rates.sentences_a_word), words, self.order.width)

    def _shards(self, kind: Kind, words: int, per_word: float, starting: float) -> list[ShardCost]:
        if kind not in self.adding:
            return []
        adding, number = self.adding[kind], self._number(kind)
        doing = per_word * words / number + adding.saving
        self._refuse_endless(doing)
        if self._grouped:
            doing = mean_with_failures(doing, starting, self.planned.failures_per_hour)
        # The sum is saved whenever as many bytes of shards wait for it.
        saving = self.sum_bytes / self.waiting_bytes * adding.saving
        together = math.ceil(number / MOST_SHARDS)
        one = ShardCost(doing, adding.reading, adding.merging + saving)
        return [ShardCost(*(together * seconds for seconds in one))] * math.ceil(number / together)

    @property
    def _grouped(self) -> bool:
        """Whether several shards are simulated as one."""
        return max(map(self._number, self.adding), default=0) > MOST_SHARDS

    def _number(self, kind: Kind) -> int:
        """The number of shards of a kind."""
        if kind == "text":
            return math.ceil(self.planned.total_words / self.planned.run.shard_words)
        return math.ceil(self.planned.expected_vocabulary / WORDS_ALONE)

    def _refuse_endless(self, seconds: float) -> None:
        if self.planned.failures_per_hour * seconds / HOUR > MOST_FAILURES:
            raise InputError(
                f"a shard takes {seconds / HOUR:,.1f} hours, and a worker that fails "
                f"{self.planned.failures_per_hour:g} times an hour hardly ever finishes one; "
                "give fewer --shard-words or fewer --failures-per-hour"
            )

    # ---------------------------------------------------------------- memory

    def states(self) -> dict[str, int]:
        """Return the bytes of each student's state over the whole vocabulary, all its layers together."""
        words, width = self.planned.expected_vocabulary, self.order.width
        return self._by_student(lambda chosen: state_size(chosen).bytes(words, width))

    def memory_of_driver(self) -> dict[str, int]:
        """Return the bytes of every large thing in the process that adds up and finishes the run."""
        size = self.planned.expected_vocabulary
        return _with_total(
            {
                **self.states(),
                "words alone": 4 * size * self._columns,
                "making vectors": 8 * size * self.order.width,
                "words and counts": WORD_BYTES * size,
                "process": self.rates.process_bytes,
            }
        )

    def memory_of_worker(self) -> dict[str, int]:
        """Return the bytes of every large thing in a process that does shards."""
        words, alone = self.planned.words_of_a_shard, min(WORDS_ALONE, self.planned.expected_vocabulary)
        width = self.order.width

        def size(chosen: Chosen) -> int:
            return state_size(chosen).of_shard(words if chosen.needs().text else alone, width)

        return _with_total(
            {
                **self._by_student(size),
                "words alone": 4 * alone * self._columns,
                "words and counts": WORD_BYTES * self.planned.expected_vocabulary,
                "process": self.rates.process_bytes,
            }
        )

    def _by_student(self, size: Callable[[Chosen], int]) -> dict[str, int]:
        sizes = dict.fromkeys(self.order.chosen, 0)
        for name in map(student_name, self.order.needs):
            sizes[name] += size(self.order.chosen[name])
        return sizes

    @property
    def _columns(self) -> int:
        """The numbers of a word that is encoded alone."""
        brief = self.order.brief(self.order.vocabulary)
        return AloneFeatures(brief, self.order.learned_layer).columns if self.order.features else 0

    # ---------------------------------------------------------------- disk

    def disk(self, most_waiting: int) -> dict[str, int]:
        """Return the bytes of all that lies on the run's disk, where so many shards wait to be added up."""
        planned, width = self.planned, self.order.width
        columns = min(planned.run.dimensions or width, width)
        largest = max((adding.bytes for adding in self.adding.values()), default=0)
        written = sum(self._number(kind) * adding.bytes for kind, adding in self.adding.items())
        saved = written > self.waiting_bytes or any(needs.replays for needs in self.order.needs.values())
        return {
            **self._kept(),
            "text": self.kept_text,
            "shards": min(written, self.waiting_bytes + most_waiting * largest),
            # An older one stays until the next is complete.
            "sum of the shards": 2 * self.sum_bytes if saved else 0,
            "vectors": 4 * columns * planned.expected_vocabulary * len(self.order.needs),
        }

    @property
    def kept_text(self) -> int:
        """The bytes of the text that are kept."""
        reads = any(needs.text for needs in self.order.needs.values())
        return round(min(MOST_BYTES, TEXT_BYTES * self.planned.total_words)) if reads else 0

    @property
    def sum_bytes(self) -> int:
        """The bytes of all states over the whole vocabulary."""
        return sum(self.states().values()) + 4 * self.planned.expected_vocabulary * self._columns

    @property
    def waiting_bytes(self) -> int:
        """The bytes of shards that wait for the sum to be saved."""
        return max(round(WAITING_BYTES), self.sum_bytes)


def student_name(name: str) -> str:
    """Return the name of a student without its layer: aggregate for aggregate/layer-06."""
    return name.partition("/")[0]


def _with_total(parts: dict[str, int]) -> dict[str, int]:
    return {**parts, "total": sum(parts.values())}
