"""evaluate: vectors and names of data sets in, Results out."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from wordstill.evaluation.analogy import Method
from wordstill.evaluation.dataset_loading import Loaded, load_datasets
from wordstill.evaluation.datasets import FIVE
from wordstill.evaluation.footnotes import compat_notes, coverage_notes, layer_notes
from wordstill.evaluation.intervals import Outcome, bootstrap, interval
from wordstill.evaluation.results import AVERAGE, OVERALL, Part, Result, Results
from wordstill.evaluation.sources import Subject, subjects
from wordstill.evaluation.space import Case, Space, make_space
from wordstill.evaluation.split import Split
from wordstill.evaluation.tasks import TASKS, Compat, Judged, Settings

# MUSE reads the first 200,000 words of a file, lowercased.
MUSE_WORDS = 200_000


def evaluate(
    vectors: Any,
    tasks: Sequence[str] | None = None,
    datasets: Sequence[str | Path] | None = None,
    *,
    split: Split | None = None,
    compat: Compat | None = None,
    case: Case = "auto",
    top: int | None = None,
    method: Method = "add",
    resamples: int = 1000,
    seed: int = 0,
    seeds: int = 5,
    progress: Callable[[str], None] | None = None,
) -> Results:
    """Judge vectors on data sets; each score comes with its coverage and interval.

    >>> results = evaluate("run/aggregate", datasets=["my-pairs.tsv"])
    >>> results[0].task, results[0].covered
    ('similarity', 4)

    vectors    WordVectors, gensim's KeyedVectors, a mapping of words to vectors, a path (a run folder stands
               for all its students), a list of these, or a mapping of names to these
    tasks      similarity, analogy, relations, categorization; None for all of them
    datasets   names of the registry or files of your own; None for every set that is on this machine. A set
               that is named and not here is downloaded
    split      judge only this half of every set: tune on "dev", report "test"
    compat     reproduce another harness, its defects included
    case       how a data set's words are looked up, see `Space`
    top        use only the first words of the vocabulary, for lookups and for answers
    method     how analogies are solved: "add" (3CosAdd) or "multiply" (3CosMul)
    resamples  draws of the bootstrap, seeded by `seed`; seeds: k-means runs of categorization
    """
    settings = Settings(split, compat, case, top, method, resamples, seed, seeds)
    loaded, notes = load_datasets(tasks, datasets, settings)
    results = Results(notes=[*notes, *compat_notes(settings)])
    names = []
    for subject in subjects(vectors):
        names.append(subject.name)
        space = _space(subject, settings)
        results.notes += space.notes
        found = []
        for data in loaded:
            if progress is not None:
                progress(f"{subject.name}: {data.name}")
            found.append(_result(space, data, settings))
        results += [*found, *_averages(found)]
    results.notes += [*coverage_notes(results), *layer_notes(names)]
    return results


def _space(subject: Subject, settings: Settings) -> Space:
    case, top = settings.case, settings.top
    if settings.compat == "web":
        case = "lowered"
    elif settings.compat == "muse":
        case, top = "ignore", top or MUSE_WORDS
    vectors = subject.load()
    space = make_space(subject.name, vectors, case, top)
    # What was odd about the file, for instance lines that were left out, matters to who reads the scores.
    space.notes += [f"{subject.name}: {note}" for note in getattr(vectors, "card", {}).get("notes", ())]
    return space


def _result(space: Space, data: Loaded, settings: Settings) -> Result:
    judged = TASKS[data.task].judge(space, data.data, settings)
    covered = judged.outcome.take(judged.outcome.covered)
    # Every set has its own draws, so that averages over sets are not falsely narrow or wide.
    draws = bootstrap(covered, settings.resamples, (settings.seed, zlib.crc32(data.name.encode())))
    low, high = interval(draws)
    return Result(
        vectors=space.name,
        task=data.task,
        dataset=data.name,
        metric=judged.metric,
        score=covered.score(),
        score_all=judged.all.score(),
        low=low,
        high=high,
        items=judged.items,
        covered=judged.covered,
        split=settings.split,
        compat=settings.compat,
        parts=tuple(_parts(judged)),
        outcome=judged.outcome,
        draws=draws,
    )


def _parts(judged: Judged) -> Iterable[Part]:
    for name, chosen in judged.sections.items():
        part: Outcome = judged.outcome.take(chosen)
        covered = part.take(part.covered)
        every = judged.all.take(chosen)
        yield Part(name, covered.score(), every.score(), int(chosen.sum()), len(covered.covered))


def _averages(results: list[Result]) -> Iterator[Result]:
    named = {result.dataset: result for result in results}
    if all(name in named for name in FIVE):
        yield _average(AVERAGE, "similarity", [named[name] for name in FIVE])
    if len(results) > 1:
        yield _average(OVERALL, OVERALL, results)


def _average(name: str, task: str, results: list[Result]) -> Result:
    draws = np.mean([result.draws for result in results if result.draws is not None], axis=0)
    low, high = interval(draws)
    first = results[0]
    return Result(
        vectors=first.vectors,
        task=task,
        dataset=name,
        metric="mean",
        score=float(np.mean([result.score for result in results])),
        score_all=float(np.mean([result.score_all for result in results])),
        low=low,
        high=high,
        items=sum(result.items for result in results),
        covered=sum(result.covered for result in results),
        split=first.split,
        compat=first.compat,
        draws=draws,
    )
