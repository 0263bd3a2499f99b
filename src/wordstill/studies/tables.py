"""The papers' main tables by one command: every row, our figure with its coverage, and the published ones below it.

  wordstill study tables --corpus wiki.txt --teacher minilm --words 5000000 --out tables
  wordstill study tables --corpus wiki.txt --teacher minilm models/gpt2 --refine-lexicon ppdb-xl.txt --out tables

Tables 3 and 6 of X2Static (Gupta and Jaggi 2021), Table 2 of the dynamic skip-gram (Wang et al. 2021), Tables 1, 2 and
5 of Context-to-Vec (Zheng et al. 2022), in OUT/tables.md, .tex and .json. A row that fails does not stop the others:
its cell says why. Runs are kept in OUT: the same command goes on after a stop, and a row that is added pays for itself
alone. The students have their defaults, for 1 to 20 million words; --set x2static.preset=paper gives the paper's own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np

from wordstill.errors import InputError
from wordstill.evaluation import EvaluationSettings, Result, evaluate
from wordstill.evaluation.datasets import DATASETS
from wordstill.evaluation.lookup import find
from wordstill.evaluation.results import AVERAGE_TITLES
from wordstill.explore.charts import Series, bar_chart
from wordstill.lexicons.lexicon import Lexicon, read_lexicons
from wordstill.options import setting
from wordstill.refinement.steps import refine
from wordstill.studies.contract import ScoredStudySettings, Study, Table
from wordstill.studies.distilled import DistilledStudySettings
from wordstill.studies.published import PublishedRow, published_rows
from wordstill.studies.table_rows import PAPER_TABLES, WORDS, PaperTable, RowKind
from wordstill.studies.table_runs import Made, make_rows
from wordstill.studies.teachers import folder_name
from wordstill.vectors import WordVectors

NEIGHBOURS = 6


@dataclass(frozen=True)
class TablesSettings(ScoredStudySettings, DistilledStudySettings):
    """What the papers' tables are told."""

    about = "the papers' main tables: every row, ours beside the published"
    several = (*DistilledStudySettings.several, "teacher")
    chosen = (*DistilledStudySettings.chosen, "context", "layer")
    writes = ("json", "png", "md", "tex")

    teacher: tuple[str, ...] = setting((), "the teachers; each has its rows", option="")
    refine_lexicon: tuple[str, ...] = setting((), "for the refined rows: files, or `wordnet`", metavar="FILE")


@dataclass(frozen=True)
class Cell:
    """One figure: a score times 100 with its coverage, or words, or why there is none."""

    score: float | None = None
    coverage: float | None = None
    text: str = ""
    failure: str = ""

    @property
    def shown(self) -> str:
        """What the table shows."""
        if self.failure or self.score is None:
            return self.failure or self.text or "-"
        share = "" if self.coverage is None else f" ({100 * self.coverage:.0f} %)"
        return f"{self.score:.1f}{share}{self.text}" if isfinite(self.score) else f"-{share}"

    def as_json(self) -> dict[str, Any]:
        """Return what the JSON holds."""
        return {name: value for name, value in vars(self).items() if value not in (None, "")}


def run(settings: TablesSettings) -> Study:
    """Distill, judge, and put the published figures below ours."""
    kinds = [kind for table in PAPER_TABLES for kind in table.rows]
    known = sorted({kind.student for kind in kinds})
    for owner in settings.distill.student_options:
        if owner not in known:
            raise InputError(f"an option is set for {owner!r}, of which no row is; there are: {', '.join(known)}")
    if len({folder_name(teacher) for teacher in settings.teacher}) < len(settings.teacher):
        raise InputError("two teachers end in the same name; rename the folder of one of them")
    made = make_rows(settings, kinds, settings.teacher)
    judge = Judge(settings)
    tables, records, notes = [], [], []
    bars: list[Series] = []
    for table in PAPER_TABLES:
        columns = judge.columns(table)
        rows = []
        for kind in table.rows:
            for teacher in [""] if kind.reads == "words" else settings.teacher:
                one = made[kind.student, kind.reads, teacher]
                cells = judge.cells(table, columns, kind, one)
                origin = "; ".join(part for part in (f"{one.words:,} words" if one.words else "", teacher) if part)
                rows.append([kind.name, f"here: {origin}" if origin else "here", *(cell.shown for cell in cells)])
                records.append(
                    {"table": table.name, "row": kind.name, "student": kind.student, "teacher": teacher or None}
                    | {"cells": dict(zip(columns, (cell.as_json() for cell in cells), strict=True))}
                )
                if table.name == "context-to-vec-table1" and any(cell.score is not None for cell in cells):
                    name = kind.name + (f", {teacher}" if teacher and len(settings.teacher) > 1 else "")
                    bars.append(Series(name, [cell.score if cell.score is not None else np.nan for cell in cells]))
            for theirs in published_rows(table.name):
                if theirs.row == kind.name:
                    shown = dict(zip((*table.columns, "average"), _printed(table, theirs), strict=False))
                    rows.append([kind.name, f"paper: {theirs.origin}", *(shown.get(name, "") for name in columns)])
                    records.append(
                        {"table": table.name, "row": kind.name, "paper": True, "corpus": theirs.corpus}
                        | {"teacher": theirs.teacher or None, "printed": list(theirs.scores)}
                    )
        tables.append(Table(table.title, ["row", "made of", *columns], rows, list(table.notes)))
        if table.name == "context-to-vec-table1":
            groups = columns
    notes += judge.notes
    notes.append(
        "Ours: score times 100, items with a missing word skipped, and the share of the items that is covered. The"
        " published figures were measured on other and far larger text, with other teachers, and by other harnesses:"
        " they stand here to be compared in kind, not by the point."
    )
    if isinstance(settings.corpus, (str, Path)) or len(settings.corpus) == 1:
        corpus = settings.corpus if isinstance(settings.corpus, (str, Path)) else settings.corpus[0]
    else:
        corpus = f"{len(settings.corpus)} files"
    title = f"The papers' tables: {corpus}, {', '.join(settings.teacher)}"
    draw = partial(bar_chart, groups, bars, title="Zheng et al. 2022, Table 1, here", y_label="score × 100")
    return Study(title, records, tables[0].head, tables[0].rows, draw, notes, tables)


class Judge:
    """Scores vectors once per data set, however many tables ask for them."""

    def __init__(self, settings: TablesSettings) -> None:
        self.judging: EvaluationSettings = settings.judging
        self.own = tuple(settings.datasets)
        self.lexicon: Lexicon | None = read_lexicons(settings.refine_lexicon) if settings.refine_lexicon else None
        self.notes: list[str] = []
        self.absent: set[str] = set()
        self.results: dict[tuple[Any, str | None, tuple[Any, ...]], dict[str, Result]] = {}
        self.refined: dict[Path, WordVectors] = {}

    def columns(self, table: PaperTable) -> list[str]:
        """Return the columns of a table: its own, or the data sets that the study was told."""
        if table.columns == WORDS:
            return list(WORDS)
        names = [Path(str(name).rpartition(":")[2]).stem for name in self.own] if self.own else list(table.columns)
        absent = [name for name in names if not self.own and find(DATASETS[name]) is None]
        if set(absent) - self.absent:
            self.absent |= set(absent)
            self.notes.append(f"Not on this machine and left empty: {', '.join(absent)} (wordstill data get NAME).")
        return [*names, "average"] if table.average or (self.own and len(names) > 1) else names

    def cells(self, table: PaperTable, columns: Sequence[str], kind: RowKind, made: Made) -> list[Cell]:
        """Return the figures of one row; whatever goes wrong is told in its first cell."""
        try:
            if made.failure:
                raise InputError(made.failure)
            if table.columns == WORDS:
                return [_neighbours(WordVectors.load(made.last), word) for word in columns]
            if kind.layer != "last":
                scores = self._crosswise(made, columns, per_set=kind.layer == "per set")
            else:
                vectors: Any = self._refined(made.last) if kind.refined else made.last
                found = self._scores((made.last, kind.refined), vectors, None, columns)
                scores = {name: Cell(100 * one.score, one.coverage) for name, one in found.items()}
        except Exception as error:  # whatever it is, the other rows do not depend on it
            return [Cell(failure=str(error) or type(error).__name__), *[Cell() for _ in columns[1:]]]
        if "average" in columns:
            values = [scores[name].score for name in columns if name in scores]
            whole = len(values) == len(columns) - 1
            scores["average"] = Cell(float(np.mean([one for one in values if one is not None])) if whole else None)
        return [scores.get(name, Cell()) for name in columns]

    def _refined(self, path: Path) -> WordVectors:
        if self.lexicon is None:
            raise InputError("this row needs a lexicon; give one with --refine-lexicon")
        if path not in self.refined:
            self.refined[path] = refine(WordVectors.load(path), "graph-retrofit", self.lexicon)
        return self.refined[path]

    def _scores(self, key: Any, vectors: Any, split: str | None, columns: Sequence[str]) -> dict[str, Result]:
        """Judge vectors on the data sets of these columns that are here."""
        sets = self.own or tuple(name for name in columns if name != "average" and name not in self.absent)
        if not sets:
            return {}
        where = (key, split, tuple(sets))
        if where not in self.results:
            told = replace(self.judging, datasets=sets, split=split or self.judging.split, resamples=0)
            found = evaluate({"row": vectors}, settings=told)
            self.results[where] = {one.dataset: one for one in found if one.dataset not in AVERAGE_TITLES}
        return self.results[where]

    def _crosswise(self, made: Made, columns: Sequence[str], *, per_set: bool) -> dict[str, Cell]:
        """Choose a layer on one half of the items and score it on the other, both ways round."""
        if self.judging.split is not None:
            raise InputError("a layer is chosen on one half of the items and scored on the other; leave out --split")
        halves = {
            split: {layer: self._scores((path, False), path, split, columns) for layer, path in made.layers.items()}
            for split in ("dev", "test")
        }
        names = list(next(iter(halves["dev"].values())))
        cells: dict[str, Cell] = {}
        for name in names:
            scores, layers, items, covered = [], [], 0, 0
            for chosen_on, scored_on in (("dev", "test"), ("test", "dev")):
                asked = [name] if per_set else names
                layer = _best_layer(halves[chosen_on], asked)
                result = halves[scored_on][layer][name]
                scores.append(100 * result.score)
                layers.append(layer.removeprefix("layer-").lstrip("0") or "0")
                items, covered = items + result.items, covered + result.covered
            told = f", layer {'/'.join(dict.fromkeys(layers))}"
            cells[name] = Cell(float(np.mean(scores)), covered / items if items else 0.0, told)
        return cells


def _best_layer(scores: Mapping[str, Mapping[str, Result]], names: Sequence[str]) -> str:
    """Return the layer with the best mean over these sets; a score that is none counts as the worst."""

    def mean(layer: str) -> float:
        value = float(np.mean([scores[layer][name].score for name in names]))
        return value if isfinite(value) else -2.0

    return max(scores, key=mean)


def _neighbours(vectors: WordVectors, word: str) -> Cell:
    if word not in vectors:
        return Cell(failure=f"no vector for {word}")
    return Cell(text=", ".join(neighbour for neighbour, _ in vectors.most_similar(word, topn=NEIGHBOURS)))


def _printed(table: PaperTable, row: PublishedRow) -> Iterator[str]:
    """Return a paper's figures as the table shows them: times 100, and words apart."""
    for printed in row.scores:
        if table.columns == WORDS:
            yield printed.replace(",", ", ")
        elif table.fraction and printed != "-":
            score, _, layer = printed.partition("(")
            yield f"{100 * float(score):.1f}" + (f", layer {layer.rstrip(')')}" if layer else "")
        else:
            yield printed
