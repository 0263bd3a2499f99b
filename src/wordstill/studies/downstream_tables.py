"""The papers' tables of what vectors do for a model that uses them, over runs of yours and any other vectors.

  wordstill study x2static-table4 run/ baselines/skipgram
  wordstill study x2static-table5 run/ --seeds 6
  wordstill study context-to-vec-table3 run/

x2static-table4 (Gupta and Jaggi 2021): a CNN on six classification sets, macro-F1 / accuracy. x2static-table5: its mean
and standard deviation over seeds. dynamic-skipgram-table3 (Wang et al. 2021) and context-to-vec-table3 (Zheng et al.
2022): a BiLSTM-CRF on chunking, named entities and parts of speech. The published rows stand below ours, marked as the
paper's. Results are kept: a table that was stopped goes on, and a row that is added pays for itself alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np

from wordstill.evaluation import Result, Results, evaluate
from wordstill.evaluation.results import OVERALL
from wordstill.explore.charts import bar_chart
from wordstill.options import setting
from wordstill.studies.contract import ScoredStudySettings, Study, Table
from wordstill.studies.points import series
from wordstill.studies.published import published_rows

SIX = ("cr", "mr", "mpqa", "subj", "trec", "sst5")
THEIRS = "paper: "


@dataclass(frozen=True)
class DownstreamTableSettings(ScoredStudySettings):
    """What a table of trained models is told."""

    required = ("models",)
    offered = ("seeds", "finetune", "oov", "teacher_rows", "cache", "task_options")

    models: tuple[str | Path, ...] = setting((), "runs and vectors, a row each", option="")


@dataclass(frozen=True)
class ClassificationTableSettings(DownstreamTableSettings):
    """What Table 4 of X2Static is told."""

    about = "a CNN on six classification sets, beside the paper's figures (Gupta and Jaggi, Table 4)"
    datasets: tuple[str | Path, ...] = setting(SIX, "the data sets to judge on", option="")


@dataclass(frozen=True)
class SeedsTableSettings(ClassificationTableSettings):
    """What Table 5 of X2Static is told."""

    about = "the same, mean and standard deviation over seeds (Gupta and Jaggi, Table 5)"


@dataclass(frozen=True)
class DynamicSkipgramTableSettings(DownstreamTableSettings):
    """What Table 3 of the dynamic skip-gram paper is told."""

    about = "parts of speech and chunks by a BiLSTM-CRF (Wang et al., Table 3)"
    datasets: tuple[str | Path, ...] = setting(("ewt-pos", "conll2000"), "the data sets to judge on", option="")


@dataclass(frozen=True)
class ContextToVecTableSettings(DownstreamTableSettings):
    """What Table 3 of Context-to-Vec is told."""

    about = "chunks, named entities and parts of speech by a BiLSTM-CRF (Zheng et al., Table 3)"
    datasets: tuple[str | Path, ...] = setting(
        ("conll2000", "wnut17", "ewt-pos"), "the data sets to judge on", option=""
    )


def run_classification(settings: ClassificationTableSettings) -> Study:
    """Judge every row by the CNN; the paper's rows stand below."""
    notes = [
        "Macro-F1 / accuracy, times 100. The paper's macro-F1 on TREC and SST-5 is far below what its accuracy allows"
        " on six and five classes: compare accuracy there.",
    ]
    return _table("x2static-table4", settings, "classification", _f1_and_accuracy, notes, SIX)


def run_seeds(settings: SeedsTableSettings) -> Study:
    """Judge every row by CNNs of several seeds: six, unless told otherwise."""
    judging = replace(settings.evaluation, seeds=settings.evaluation.seeds or 6)
    notes = [
        f"Macro-F1 / accuracy, times 100: mean and standard deviation over {judging.seeds} seeds of the CNN. The paper"
        " also distills anew for each of its six; its text has no legible figures of this table.",
    ]
    told = replace(settings, evaluation=judging)
    return _table("x2static-table5", told, "classification", _f1_and_accuracy, notes, SIX)


def run_tagging(table: str, theirs: Sequence[str], settings: DownstreamTableSettings) -> Study:
    """Judge every row by the BiLSTM-CRF; the paper's rows stand below."""
    notes = [
        "F1 of spans and accuracy of parts of speech, times 100. Only chunking is on the paper's own data, and its"
        " section 19 (validation) is not in the shared task's files: the last tenth of the training part stands for it."
        " Their parts of speech are those of the Penn Treebank, their names those of OntoNotes; ours are UD English EWT"
        " and WNUT-17, which are harder.",
    ]
    return _table(table, settings, "tagging", _score, notes, theirs)


def _table(
    name: str,
    settings: DownstreamTableSettings,
    task: str,
    cell: Callable[[Result], str],
    notes: list[str],
    theirs: Sequence[str],
) -> Study:
    """Make the table: a row per vectors, then the paper's, each under the column of the same task."""
    results = evaluate(list(settings.models), settings=replace(settings.judging, tasks=(task,)))
    sets = list(dict.fromkeys(one.dataset for one in results if one.dataset != OVERALL))
    columns = [*sets, OVERALL] if len(sets) > 1 else sets
    vectors = list(dict.fromkeys(one.vectors for one in results))
    rows = [[one, "here", *(cell(results.find(column, one)) for column in columns)] for one in vectors]
    records = [result.as_dict() for result in results]
    ours = len(rows)
    for row in published_rows(name):
        scores = dict(zip((*theirs, OVERALL), row.scores, strict=False))
        rows.append([THEIRS + row.row, row.origin, *(scores.get(column, "") for column in columns)])
        records += [
            {"paper": row.row, "corpus": row.corpus, "teacher": row.teacher, "dataset": column, "printed": printed}
            for column, printed in scores.items()
        ]
    shown = ["average" if column == OVERALL else column for column in columns]
    bars = [series(one, [results.find(column, one) for column in columns]) for one in vectors]
    title = f"{name}: {', '.join(map(str, settings.models))}"
    head = ["vectors", "made of", *shown]
    coverage = ", ".join(f"{one} {100 * _coverage(results, one):.0f} %" for one in vectors)
    return Study(
        title=title,
        records=records,
        head=head,
        rows=rows,
        draw=partial(bar_chart, shown, bars, title=title, y_label="score × 100"),
        notes=[*notes, f"Words of the test parts with a vector of their own: {coverage}."],
        tables=[Table(title, head, rows, published=list(range(ours, len(rows))))],
    )


def _coverage(results: Results, vectors: str) -> float:
    return float(np.mean([one.coverage for one in results if one.vectors == vectors]))


def _f1_and_accuracy(result: Result) -> str:
    macro = next(part for part in result.parts if part.name == "macro-F1")
    return f"{_shown(macro.score, macro.deviation)}/{_shown(result.score, result.deviation)}"


def _score(result: Result) -> str:
    return f"{100 * result.score:.2f}"


def _shown(score: float, deviation: float | None) -> str:
    return f"{100 * score:.1f}" + ("" if deviation is None else f"±{100 * deviation:.1f}")


def run_dynamic_skipgram(settings: DynamicSkipgramTableSettings) -> Study:
    """Make Table 3 of the dynamic skip-gram paper."""
    return run_tagging("dynamic-skipgram-table3", ("ewt-pos", "conll2000"), settings)


def run_context_to_vec(settings: ContextToVecTableSettings) -> Study:
    """Make Table 3 of Context-to-Vec."""
    return run_tagging("context-to-vec-table3", ("conll2000", "wnut17", "ewt-pos"), settings)
