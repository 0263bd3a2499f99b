"""What comes before a run: its input checked, its teacher loaded, its students made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from wordstill.corpus.vocabulary import Vocabulary
from wordstill.distillation.rare_words import AloneFeatures, rare_words_wanted
from wordstill.distillation.run_folder import RunState
from wordstill.distillation.run_record import CorpusRecord
from wordstill.distillation.settings import DistillSettings
from wordstill.errors import InputError
from wordstill.lexicons.graph import lay_over
from wordstill.lexicons.lexicon import read_lexicons
from wordstill.students.registry import Chosen, choose_students, make_students
from wordstill.students.student import Brief, Student
from wordstill.system.large_tables import Tables, half_of_memory
from wordstill.system.machine import guard
from wordstill.system.progress import log
from wordstill.system.threads import use_threads
from wordstill.teacher.load import Teacher, load_teacher


def check_input(settings: DistillSettings, paths: Sequence[str | Path]) -> dict[str, Chosen]:
    """Choose the students, and refuse them where there is no text, no list of words or no teacher to learn from."""
    chosen = choose_students(settings.students, settings.student_options, settings.epochs)
    if not paths:
        for name, one in chosen.items():
            if one.needs().text:
                raise InputError(f"{name} learns from text: name some with --corpus")
        if not settings.vocabulary.forced:
            raise InputError("without a corpus the words must come from a list: name one with --vocabulary")
    if settings.teacher is None and any(one.needs().teacher for one in chosen.values()):
        raise InputError("the students of this run learn from a teacher; name one with --teacher")
    return chosen


def load(settings: DistillSettings, chosen: Mapping[str, Chosen]) -> Teacher | None:
    """Load the teacher; None if no student needs one."""
    guard()  # before torch computes
    use_threads(settings.threads)
    if settings.teacher is None or not any(one.needs().teacher for one in chosen.values()):
        return None
    teacher = load_teacher(
        settings.teacher,
        revision=settings.revision,
        device=settings.device,
        longest=settings.longest_text,
        trust_remote_code=settings.trust_remote_code,
    )
    log.debug(
        "teacher %s: %d layers, %d dimensions, texts of up to %d pieces, on %s",
        *(teacher.name, teacher.layers, teacher.width, teacher.limit, teacher.device),
    )
    return teacher


def prepare_students(
    settings: DistillSettings,
    chosen: Mapping[str, Chosen],
    vocabulary: Vocabulary,
    counted: CorpusRecord,
    teacher: Teacher | None,
    state: RunState,
) -> tuple[dict[str, Student], AloneFeatures | None]:
    """Make the students, and the features of words alone if rare words are to be predicted from them."""
    layers, width = (teacher.layers, teacher.width) if teacher is not None else (0, 0)
    layer = settings.layer
    if teacher is not None and isinstance(layer, int):
        layer = teacher.layer(layer)
    lexicon = read_lexicons(settings.lexicon)
    graph = None if lexicon is None else lay_over(lexicon, vocabulary.numbers)
    tables = Tables(state.kept / "+tables", half_of_memory())
    brief = Brief(vocabulary, width, layers, counted.words, settings.seed, tables, graph)
    students = make_students(chosen, brief, layer, layers)
    wanted = teacher is not None and rare_words_wanted(settings.rare, vocabulary, students.values())
    if graph is not None:
        log.debug(
            "the lexicon joins %s words of the vocabulary in %s pairs", f"{len(graph.rows):,}", f"{graph.pairs:,}"
        )
    log.debug("%s words in the corpus, %s words in the vocabulary", f"{counted.words:,}", f"{len(vocabulary):,}")
    return students, AloneFeatures(brief, layers) if wanted else None
