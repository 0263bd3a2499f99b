"""What is planned, declared once: the settings of the run itself, its size, and how it is measured here.

Nothing but numpy is imported, so that the command line knows its options without waiting.
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass

from wordstill.distillation.settings import DistillSettings
from wordstill.errors import InputError
from wordstill.options import Options, setting

# Wikipedia with a minimal count of 5, as measured: 14,042 words in a million, 37,866 in five.
GROWTH, IN_A_MILLION = 0.62, 14_000
# Distinct words of Wikipedia, rare ones included, as measured: 13,530 in 100,000 words, 55,000 in a million, 126,813 in
# four. A large vocabulary has nearly all of them.
DISTINCT_GROWTH, DISTINCT_IN_A_MILLION = 0.6, 55_000


def read_count(text: str) -> int:
    """Read a whole number as people write large ones: 1e9, 750_000, 750,000."""
    try:
        number = float(text.replace(",", "").replace("_", ""))
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise InputError(f"{text!r} is no number; write it like 1e9 or 750,000")
    return int(number)


@dataclass(frozen=True)
class PlannedRun(Options):
    """A large run, and how it is measured on this machine."""

    total_words: int = setting(
        help="words of the corpus, such as 1e9", low=1, high=1e18, option="--words", metavar="N", read=read_count
    )
    vocabulary_size: int | None = setting(
        None, "words with a vector (what Wikipedia would have)", low=1, high=1e18, metavar="V", read=read_count
    )
    corpus: tuple[str, ...] = setting((), "text to measure on (made-up text)", metavar="F")
    measure: bool = setting(False, "measure int8 and compiled bfloat16 too: a minute or two more")
    seconds: float = setting(20.0, "how long to measure, about", low=1, high=3600, metavar="S")
    spread: float = setting(0.1, "how far workers differ in speed: 0.1 is a tenth, for most", low=0, high=2)
    failures_per_hour: float = setting(0.01, "how often a worker fails", low=0, high=1000, metavar="F")
    run: DistillSettings = dataclasses.field(default_factory=DistillSettings)
    """The run's own settings. Its `words` are not used: the run is larger than what is measured."""

    @property
    def expected_vocabulary(self) -> int:
        """The vocabulary that was asked for, or what Wikipedia would have."""
        return self.vocabulary_size or max(1, round(IN_A_MILLION * (self.total_words / 1e6) ** GROWTH))

    @property
    def words_of_a_shard(self) -> int:
        """The words of the vocabulary that a shard of the text has, at most."""
        size = min(self.run.shard_words, self.total_words)
        distinct: int = max(1, round(DISTINCT_IN_A_MILLION * (size / 1e6) ** DISTINCT_GROWTH))
        return min(self.expected_vocabulary, size, distinct)
