"""All studies by name, and the call that runs one. A new study is one file and one line in STUDIES."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

from wordstill.errors import InputError
from wordstill.evaluation.dataset_loading import load_datasets
from wordstill.options import build, declared_fields
from wordstill.studies import (
    attention,
    attention_map,
    context_to_vec_table4,
    corpus_size,
    downstream_tables,
    tables,
    teachers,
    window_size,
    words_seen,
)
from wordstill.studies.contract import ScoredStudySettings, Study, StudySettings


class Kind(NamedTuple):
    """A study: what it is told, and what runs it."""

    settings: type[StudySettings]
    run: Callable[[Any], Study]


STUDIES: dict[str, Kind] = {
    "window-size": Kind(window_size.WindowSizeSettings, window_size.run),
    "attention": Kind(attention.AttentionSettings, attention.run),
    "attention-map": Kind(attention_map.AttentionMapSettings, attention_map.run),
    "teachers": Kind(teachers.TeachersSettings, teachers.run),
    "corpus-size": Kind(corpus_size.CorpusSizeSettings, corpus_size.run),
    "words-seen": Kind(words_seen.WordsSeenSettings, words_seen.run),
    "tables": Kind(tables.TablesSettings, tables.run),
    "context-to-vec-table4": Kind(context_to_vec_table4.Table4Settings, context_to_vec_table4.run),
    "x2static-table4": Kind(downstream_tables.ClassificationTableSettings, downstream_tables.run_classification),
    "x2static-table5": Kind(downstream_tables.SeedsTableSettings, downstream_tables.run_seeds),
    "dynamic-skipgram-table3": Kind(
        downstream_tables.DynamicSkipgramTableSettings, downstream_tables.run_dynamic_skipgram
    ),
    "context-to-vec-table3": Kind(downstream_tables.ContextToVecTableSettings, downstream_tables.run_context_to_vec),
}


def study(name: str, settings: StudySettings | None = None, **keywords: Any) -> Study:
    """Run one of the papers' studies, and return what it found: its measurements, a table and a chart.

    >>> found = study("window-size", teacher="minilm", corpus="texts.txt", windows=[1, 2],
    ...               datasets=["my-pairs.tsv"], out="studies")
    >>> found.head[:3], len(found.rows)
    (['student', 'window', 'my-pairs'], 4)

    name      a name of `wordstill.studies.STUDIES`
    settings  everything that can be chosen, as one object (`WindowSizeSettings`, ...), instead of keywords
    keywords  the study's own settings, and any of `DistillSettings`, `ExecutionSettings` and `EvaluationSettings`:
              teacher="minilm", min_count=2, split="dev"

    Studies that distill keep their runs in `out`. A run that is there is used again, or gone on with.
    """
    if settings is None:
        settings = study_settings(name, **keywords)
    elif keywords:
        raise InputError(f"{next(iter(keywords))} is given beside `settings`; say it there (dataclasses.replace)")
    kind = _kind(name)
    if not isinstance(settings, kind.settings):
        raise InputError(f"the study {name} takes {kind.settings.__name__}, not {type(settings).__name__}")
    for needed in kind.settings.required:
        if not getattr(settings, needed, True):
            raise InputError(f"the study {name} needs to know its {needed!r}; give it")
    if isinstance(settings, ScoredStudySettings) and settings.datasets:
        load_datasets(settings.judging)  # what is missing is missed before hours of work
    return kind.run(settings)


def study_settings(name: str, **keywords: Any) -> StudySettings:
    """Make the settings of a study of keywords: its own, and of those left any that its `distill`, ... have.

    A list is taken as a tuple, and None as if it were not given.
    """
    kind = _kind(name).settings
    given = {key: value for key, value in keywords.items() if value is not None}
    given = {key: tuple(value) if isinstance(value, list) else value for key, value in given.items()}
    own = {item.name: given.pop(item.name) for item in declared_fields(kind) if item.name in given}
    return replace(build(kind, given), **own)


def _kind(name: str) -> Kind:
    if name not in STUDIES:
        raise InputError(f"there is no study {name!r}; choose from {', '.join(STUDIES)}")
    return STUDIES[name]
