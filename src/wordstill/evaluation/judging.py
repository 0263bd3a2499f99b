"""evaluate: vectors and names of data sets in, Results out."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from wordstill.errors import InputError
from wordstill.evaluation.averages import averages
from wordstill.evaluation.dataset_loading import LoadedDataset, load_datasets
from wordstill.evaluation.encoders import TextEncoder, open_encoder, teacher_encoder
from wordstill.evaluation.harnesses import HARNESSES
from wordstill.evaluation.intervals import bootstrap, interval, set_seed
from wordstill.evaluation.results import Result, Results
from wordstill.evaluation.settings import EvaluationSettings, settings_from
from wordstill.evaluation.sources import Source, sources
from wordstill.evaluation.space import Space, make_space
from wordstill.evaluation.tasks import find_task
from wordstill.evaluation.tasks.task import Judgement
from wordstill.system.progress import log


def evaluate(
    vectors: Any,
    tasks: Sequence[str] | None = None,
    datasets: Sequence[str | Path] | None = None,
    *,
    settings: EvaluationSettings | None = None,
    **keywords: Any,
) -> Results:
    """Judge vectors on data sets; each score comes with its coverage and interval.

    >>> results = evaluate("run/aggregate", datasets=["my-pairs.tsv"])
    >>> results[0].task, results[0].covered
    ('similarity', 4)

    vectors    WordVectors, gensim's KeyedVectors, a mapping of words to vectors, a path (a run folder stands
               for all its students), a list of these, or a mapping of names to these
    tasks      names of `wordstill.evaluation.tasks.TASKS`; None for all quick ones
    datasets   names of the registry or files of your own; None for every set that is on this machine. A set
               that is named and not here is downloaded
    settings   everything that can be chosen, as one object, instead of the other keywords, which are:

    split      judge only this half of every set: tune on "dev", report "test"
    compat     reproduce another harness, its defects included: "web" or "muse"
    case       how a data set's words are looked up: "auto", "exact" or "ignore", see `Space`
    top        use only the first words of the vocabulary, for lookups and for answers
    method     how analogies are solved: "add" (3CosAdd) or "multiply" (3CosMul)
    resamples  draws of the bootstrap, seeded by `seed`
    seeds      runs of k-means (5) and of trained models (1)

    For tasks that train a model (classification, probe, tagging), see docs/downstream.md:

    finetune, oov, teacher_rows, encoder_rows, cache, task_options

    With `teacher_rows` or `encoder_rows`, `vectors` may be an empty list.
    """
    settings = settings_from(EvaluationSettings, settings, {"tasks": tasks, "datasets": datasets, **keywords})
    loaded, notes = load_datasets(settings)
    results = Results(notes=notes + ([HARNESSES[settings.compat].foot] if settings.compat else []))
    names = []
    others = settings.teacher_rows or settings.encoder_rows
    for source in sources(vectors, allow_none=bool(others)):
        names.append(source.name)
        space = _space(source, settings)
        results.notes += space.notes
        found = []
        for dataset in loaded:
            log.info("%s: %s", source.name, dataset.name)
            judged = dataset.task.judge(space, dataset.data, settings)
            found.append(_result(source.name, dataset, judged, settings))
        results += [*found, *averages(found)]
    for teacher in settings.teacher_rows:
        results += judge_teacher(teacher, loaded, settings)
    for row in settings.encoder_rows:
        results += judge_encoder(row, loaded, settings)
    results.notes += _trained_notes(results)
    results.notes += [*_coverage_warning(results), *_layer_warnings(names)]
    return results


def _space(source: Source, settings: EvaluationSettings) -> Space:
    vectors = source.load()
    if settings.compat:
        harness = HARNESSES[settings.compat]
        space = make_space(source.name, vectors, harness.case, settings.top or harness.top)
    else:
        space = make_space(source.name, vectors, settings.case, settings.top)
    # What was odd about the file, for instance lines that were left out, matters to who reads the scores.
    space.notes += [f"{source.name}: {note}" for note in getattr(vectors, "card", {}).get("notes", ())]
    return space


def judge_teacher(teacher: str, loaded: Sequence[LoadedDataset], settings: EvaluationSettings) -> list[Result]:
    """Judge a teacher itself: frozen, and trained with the classifier where the task can do that."""
    if not any(dataset.task.judge_teacher or dataset.task.judge_encoder for dataset in loaded):
        raise InputError(
            "--teacher-rows is for sentences, probe, classification and tagging; name one of them (--tasks)"
        )
    results: list[Result] = []
    encoder: TextEncoder | None = None
    for name, trained in ((f"{teacher}, frozen", False), (f"{teacher}, fine-tuned", True)):
        found = []
        for dataset in loaded:
            task = dataset.task
            if task.judge_teacher is not None:
                log.info("%s: %s", name, dataset.name)
                judged = task.judge_teacher(teacher, trained, dataset.data, settings)
            elif task.judge_encoder is not None and not trained:
                log.info("%s: %s", name, dataset.name)
                encoder = encoder or teacher_encoder(teacher, name)
                judged = task.judge_encoder(encoder, dataset.data, settings)
            else:
                continue
            found.append(_result(name, dataset, judged, settings))
        results += [*found, *averages(found)]
    return results


def judge_encoder(row: str, loaded: Sequence[LoadedDataset], settings: EvaluationSettings) -> list[Result]:
    """Judge another encoder of texts, named as in `--encoder-rows`, on the sets that are about whole texts."""
    judges = [(dataset, judge) for dataset in loaded if (judge := dataset.task.judge_encoder) is not None]
    if not judges:
        raise InputError("--encoder-rows is for sentences and probe; name one of them (--tasks)")
    encoder = open_encoder(row)
    found = []
    for dataset, judge in judges:
        log.info("%s: %s", encoder.name, dataset.name)
        found.append(_result(encoder.name, dataset, judge(encoder, dataset.data, settings), settings))
    return [*found, *averages(found)]


def _result(name: str, dataset: LoadedDataset, judged: Judgement, settings: EvaluationSettings) -> Result:
    covered = judged.outcome.take(judged.outcome.covered)
    draws = bootstrap(covered, settings.resamples, set_seed(settings.seed, dataset.name))
    low, high = interval(draws)
    return Result(
        vectors=name,
        task=dataset.task.name,
        dataset=dataset.name,
        metric=dataset.task.measure(dataset.data) if dataset.task.measure else dataset.task.metric,
        score=covered.score(),
        score_all=judged.every.score(),
        low=low,
        high=high,
        items=judged.items,
        covered=judged.covered,
        split=settings.split,
        compat=settings.compat,
        parts=judged.parts,
        by_seed=judged.by_seed,
        outcome=judged.outcome,
        draws=draws,
    )


def _is_trained(result: Result) -> bool:
    task = find_task(result.task)
    return task is not None and not task.quick


def _trained_notes(results: Iterable[Result]) -> list[str]:
    """Say what coverage means where a model is trained."""
    names = dict.fromkeys(result.task for result in results if _is_trained(result))
    if not names:
        return []
    return [f"{', '.join(names)}: every text counts; covered: words of the test part with a vector of their own."]


def _coverage_warning(results: Iterable[Result]) -> list[str]:
    """Warn where the scores of several vectors are over different items."""
    covered: dict[str, set[int]] = {}
    for result in results:
        if not _is_trained(result):
            covered.setdefault(result.dataset, set()).add(result.covered)
    if all(len(counts) == 1 for counts in covered.values()):
        return []
    return [
        "The vectors cover different items, and a higher score on fewer items is not better: see `all`,"
        " or compare two on the items that both cover (--compare)."
    ]


def _layer_warnings(names: Iterable[str]) -> list[str]:
    """Warn where several layers of one student stand side by side."""
    layers = Counter(match[1] for name in names if (match := re.fullmatch(r"(.+)/layer-\d+", name)))
    return [
        f"{student}: the best of {count} layers is picked on these very sets, that is, on the test;"
        " choose it with --split dev and report it with --split test."
        for student, count in layers.items()
        if count > 1
    ]
