"""The order of a run: what is settled once, before the first shard, and told to every process that does shards.

Precision and threads are among it: two machines that chose for themselves would not compute the same.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from wordstill import __version__
from wordstill.arrays import Array
from wordstill.corpus.vocabulary import Vocabulary
from wordstill.distillation.kept_contexts import store_name
from wordstill.distillation.rare_words import AloneFeatures
from wordstill.distillation.settings import DistillSettings
from wordstill.distillation.shards import Shard
from wordstill.errors import InputError
from wordstill.lexicons.dictionary import Definitions
from wordstill.students.registry import Chosen, Layer, choose_students, make_students
from wordstill.students.student import Brief, Needs, Student
from wordstill.teacher.batch import Batch
from wordstill.teacher.precision import Choice

# The name of the words' features among the students of a run; no student can be called so.
ALONE = "+alone"


class Learner(Protocol):
    """What is made for a shard and merged into the whole: a student, or the features of words alone."""

    needs: Needs

    def observe(self, batch: Batch) -> Any:
        """Take in a batch."""

    def merge(self, other: Any, rows: Array) -> None:
        """Add what another one observed; `rows` are the numbers of its words here."""

    def state_dict(self) -> dict[str, Array]:
        """Return all that `load_state_dict` needs."""

    def load_state_dict(self, state: Mapping[str, Array]) -> None:
        """Go on from a state."""


@dataclass(frozen=True)
class Order:
    """All that a process must know to do a shard, besides the shard, its text and the teacher."""

    settings: DistillSettings
    vocabulary: Vocabulary
    corpus: str
    """The fingerprint of the corpus."""
    total_words: int
    teacher: str = ""
    """The fingerprint of the teacher; empty without one."""
    width: int = 0
    layers: int = 0
    """The number of the teacher's last layer."""
    layer: Layer = "last"
    """The layer to learn from, counted from 0."""
    threads: int = 1
    batch_tokens: int = 0
    features: bool = False
    """Whether every word is encoded alone, because rare words are predicted from that."""
    choice: Choice = field(default_factory=Choice)
    """How the teacher computes."""
    definitions: Definitions | None = None
    """What the dictionary says of the vocabulary's words, where a student reads it."""

    @property
    def learned_layer(self) -> int:
        """The layer that is learned from; of all layers, the last."""
        return self.layer if isinstance(self.layer, int) else self.layers

    @cached_property
    def chosen(self) -> dict[str, Chosen]:
        """The students of the run."""
        return choose_students(self.settings.learning, self.settings.student_options, self.settings.epochs)

    @cached_property
    def needs(self) -> dict[str, Needs]:
        """What each student needs, one per layer where the run has all layers."""
        brief = self.brief(Vocabulary([], np.zeros(0, dtype=np.int64)))
        return {name: student.needs for name, student in self.students(brief).items()}

    @cached_property
    def stores(self) -> dict[str, Needs]:
        """The stores of what is kept for replays, and the needs of a student that each is for."""
        named = {store_name(name, one): one for name, one in self.needs.items()}
        return {store: one for store, one in named.items() if store is not None}

    @cached_property
    def identity(self) -> dict[str, Any]:
        """What a shard must have been made with to belong to this run, by the names that a message uses."""
        return {
            "version of wordstill": __version__,
            "corpus": self.corpus,
            "teacher": self.teacher,
            "settings": _digest(self.settings.as_json()),
            "vocabulary": _digest([self.vocabulary.words, self.vocabulary.counts.tolist(), *self.vocabulary.relations]),
            "dictionary": _digest([self.definitions.owners.tolist(), self.definitions.texts])
            if self.definitions
            else "",
            "precision": self.choice.precision,
            "threads": self.threads,
            "tokens of a batch": self.batch_tokens,
        }

    def brief(self, vocabulary: Vocabulary) -> Brief:
        """Return what students over a vocabulary are told."""
        return Brief(vocabulary, self.width, self.layers, self.total_words, self.settings.seed)

    def students(self, brief: Brief) -> dict[str, Student]:
        """Make the students of the run."""
        return make_students(self.chosen, brief, self.layer, self.layers)

    def learners(self, shard: Shard, numbers: Array) -> dict[str, Learner]:
        """Make what learns from a shard, over the words of the vocabulary that have these numbers."""
        words = [self.vocabulary.words[number] for number in numbers.tolist()]
        brief = self.brief(replace(self.vocabulary, words=words, counts=self.vocabulary.counts[numbers]))
        made: dict[str, Learner] = {
            name: student
            for name, student in self.students(brief).items()
            if student.needs.text == (shard.kind == "text") or (student.needs.alone and shard.kind == "vocabulary")
        }
        if shard.kind == "vocabulary" and self.features:
            made[ALONE] = AloneFeatures(brief, self.learned_layer)
        return made

    def check(self, identity: Mapping[str, Any], where: str) -> None:
        """Refuse what was made with another teacher, corpus, version or setting."""
        other = [name for name, value in self.identity.items() if identity.get(name) != value]
        if other:
            shown = ", ".join(f"its {name}{_shown(identity.get(name), self.identity[name])}" for name in other)
            raise InputError(f"{where} differs in {shown}; all shards of a run must be made alike: remove it")

    def settled(self) -> dict[str, Any]:
        """Return what was settled, as JSON holds it."""
        return {
            "teacher": self.teacher,
            "threads": self.threads,
            "batch_tokens": self.batch_tokens,
            "choice": vars(self.choice),
        }

    def with_settled(self, found: Mapping[str, Any], where: str) -> Order:
        """Return the order as it was settled before; refuse a teacher that is another one now."""
        if found["teacher"] != self.teacher:
            raise InputError(
                f"the teacher {self.settings.teacher} is not the one that {where} was begun with: its weights, "
                "tokenizer or configuration changed; bring the old one back, or begin anew with --overwrite"
            )
        return replace(
            self, threads=found["threads"], batch_tokens=found["batch_tokens"], choice=Choice(**found["choice"])
        )


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _shown(old: Any, new: Any) -> str:
    """Values that people can read; hashes say nothing."""
    readable = all(isinstance(value, int | float) or len(str(value)) < 16 for value in (old, new))
    return f" ({old}, here {new})" if readable else ""
