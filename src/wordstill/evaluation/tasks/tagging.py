"""Tagging: does a BiLSTM-CRF on top of the vectors find chunks, names and parts of speech? (Context-to-Vec, Table 3)"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import partial
from typing import TypeAlias

import numpy as np

from wordstill.evaluation.downstream.columns import TaggedSentences, halve, read_column_file, read_column_files
from wordstill.evaluation.downstream.kept import Keeper, keeping_folder
from wordstill.evaluation.downstream.settings import TaggingSettings, TeacherSettings
from wordstill.evaluation.downstream.spans import span_counts
from wordstill.evaluation.downstream.words import WordTable, look_up
from wordstill.evaluation.settings import EvaluationSettings
from wordstill.evaluation.space import Space
from wordstill.evaluation.tasks.classification import seeds_of
from wordstill.evaluation.tasks.task import Judgement, Task
from wordstill.system.progress import Progress

Counts: TypeAlias = list[tuple[int, int, int]]
"""Of each sentence: how much is right, how much was predicted, how much is there."""


def judge(space: Space, data: TaggedSentences, settings: EvaluationSettings) -> Judgement:
    """Judge a space by the tags that BiLSTM-CRFs on top of it predict."""
    from wordstill.evaluation.downstream.scores import tag_judgement

    own = settings.of_task(TaggingSettings)
    table = look_up(space, [part.words for part in data.parts], settings.oov, whole=False, origin=own.origin)
    texts = [[part.words, part.tags] for part in data.parts]
    runs = []
    for seed in seeds_of(settings):
        kept = Keeper(
            keeping_folder(settings.cache),
            ["tagger 2", table.matrix, table.rows, texts, asdict(own), settings.finetune, seed],
        )
        total = len(data.train) * own.epochs
        with Progress(f"{space.name}, seed {seed}", total, unit="sentences") as progress:
            test = partial(_test, table, data, own, settings.finetune, seed, progress.advance)
            runs.append(kept("test", test))
    return tag_judgement([np.array(run) for run in runs], data.has_spans, table.coverage())


def _test(
    table: WordTable,
    data: TaggedSentences,
    own: TaggingSettings,
    finetune: bool,
    seed: int,
    advance: Callable[[int], None],
) -> Counts:
    """Train, and count what the epoch that is best on the validation part says of the test part."""
    from wordstill.evaluation.downstream.tagger import (
        Sentences,
        Spellings,
        in_scheme,
        make_tagger,
        predict_tags,
        train_tagger,
        trained_parameters,
    )
    from wordstill.evaluation.downstream.training import one_thread

    spans = data.has_spans
    spellings = Spellings(data.train.words, [*data.validation.words, *data.test.words])
    ready = [
        Sentences(rows, [spellings.of(words) for words in part.words])
        for rows, part in zip(table.rows, data.parts, strict=True)
    ]
    gold = [in_scheme(tags, own) if spans else list(tags) for tags in data.train.tags]
    names = sorted({tag for tags in gold for tag in tags})
    numbers = {name: number for number, name in enumerate(names)}
    best, kept = -1.0, {}
    with one_thread():
        model = make_tagger(table.matrix, spellings, names, own, constrained=spans, finetune=finetune, seed=seed)
        coded = [np.array([numbers[tag] for tag in tags]) for tags in gold]
        for trained in train_tagger(model, ready[0], coded, own, seed, advance):
            score = f_score(_counts(data.validation.tags, predict_tags(trained, ready[1]), names, spans))
            if score > best:
                best, kept = score, trained_parameters(trained)
        model.load_state_dict(kept, strict=False)
        return _counts(data.test.tags, predict_tags(model, ready[2]), names, spans)


def _counts(
    gold: Sequence[Sequence[str]], predicted: Sequence[Sequence[int]], names: Sequence[str], spans: bool
) -> Counts:
    return count_right(gold, [[names[number] for number in one] for one in predicted], spans)


def count_right(gold: Sequence[Sequence[str]], predicted: Sequence[Sequence[str]], spans: bool) -> Counts:
    """Count per sentence what is right, predicted and there: spans, or words."""
    if spans:
        return [span_counts(true, found) for true, found in zip(gold, predicted, strict=True)]
    return [
        (sum(map(str.__eq__, true, found)), len(found), len(true)) for true, found in zip(gold, predicted, strict=True)
    ]


def f_score(counts: Counts) -> float:
    """Return F1 over all sentences; over words that is the accuracy."""
    right, predicted, true = np.sum(counts, axis=0)
    return float(2 * right / max(1, predicted + true))


def judge_teacher(teacher: str, trained: bool, data: TaggedSentences, settings: EvaluationSettings) -> Judgement:
    """Judge a teacher by the tags that a linear layer on top of it predicts."""
    from wordstill.evaluation.downstream.contextual import tags_of_words
    from wordstill.evaluation.downstream.scores import tag_judgement

    words = sum(map(len, data.test.words))
    runs = []
    for seed in seeds_of(settings):
        found = tags_of_words(teacher, trained, data, settings.of_task(TeacherSettings), seed, settings.cache)
        runs.append(np.array(count_right(data.test.tags, found, data.has_spans)))
    return tag_judgement(runs, data.has_spans, (words, words))


TASK = Task(
    name="tagging",
    title="Tagging",
    metric="f1",
    about="F1 of spans, or accuracy of tags, of a BiLSTM-CRF that reads the vectors and the characters of words",
    missing="zeros, or what the vectors say of it themselves",
    read=read_column_file,
    read_files=read_column_files,
    halve=halve,
    judge=judge,
    judge_teacher=judge_teacher,
    recognizes=lambda line, fields: False,  # a user names it: tagging:FILE or tagging:FOLDER
    quick=False,
    measure=lambda data: "f1" if data.has_spans else "accuracy",
)
