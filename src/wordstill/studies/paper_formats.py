"""The tables of a study for readers: Markdown, LaTeX and a page. Foreign text in them does no harm."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from wordstill import __version__
from wordstill.escaping import for_latex, for_markdown, for_terminal
from wordstill.explore.page import ONLY_PAGES, page
from wordstill.io.files import Ours, only_marked
from wordstill.studies.contract import Study, Table

MARKDOWN_HEAD, LATEX_HEAD = "<!-- wordstill study -->", "% wordstill study"
SCRIPTS = ("base.js", "study.js")


def as_markdown(study: Study) -> str:
    """Write a heading and a table for each table of a study, then its notes."""
    lines = [MARKDOWN_HEAD, "", f"# {for_markdown(study.title)}", ""]
    for table in study.every_table:
        if table.title != study.title:
            lines += [f"## {for_markdown(table.title)}", ""]
        lines += [*_markdown_rows(table), "", *(f"{for_markdown(note)}\n" for note in table.notes)]
    return "\n".join([*lines, *(f"{for_markdown(note)}\n" for note in study.notes)])


def _markdown_rows(table: Table) -> Iterator[str]:
    for number, row in enumerate([table.head, *table.rows]):
        yield f"| {' | '.join(map(for_markdown, row))} |"
        if not number:
            yield "|" + "---|" * len(row)


def as_latex(study: Study) -> str:
    """Write a `table` with booktabs rules for each table of a study; its notes are comments."""
    lines = [LATEX_HEAD, *(f"% {for_latex(note)}" for note in study.notes)]
    for table in study.every_table:
        columns = "ll" + "r" * (len(table.head) - 2)
        lines += [r"\begin{table}", r"\centering", rf"\caption{{{for_latex(table.title)}}}"]
        lines += [rf"\begin{{tabular}}{{{columns}}}", r"\toprule", _latex_row(table.head), r"\midrule"]
        lines += [_latex_row(row) for row in table.rows]
        lines += [r"\bottomrule", r"\end{tabular}", r"\end{table}", *(f"% {for_latex(note)}" for note in table.notes)]
    return "\n".join([*lines, ""])


def _latex_row(row: list[str]) -> str:
    return " & ".join(map(for_latex, row)) + r" \\"


def as_page(study: Study) -> str:
    """Write a page in the style of the report, with tables that fold and sort, and published rows marked."""
    shown = [
        {
            "title": for_terminal(table.title),
            "head": list(map(for_terminal, table.head)),
            "rows": [list(map(for_terminal, row)) for row in table.rows],
            "notes": list(map(for_terminal, table.notes)),
            "published": table.published,
        }
        for table in study.every_table
    ]
    told = {"title": for_terminal(study.title), "version": __version__, "notes": list(map(for_terminal, study.notes))}
    return page("study.html", SCRIPTS, {**told, "tables": shown}).decode("utf-8")


class PaperFormat(NamedTuple):
    """A form of the tables: its name, how it is written, and which files it may replace."""

    name: str
    write: Callable[[Study], str]
    ours: Ours


# By the ending of the file, which is also the name of the option.
PAPER_FORMATS = {
    "md": PaperFormat("Markdown", as_markdown, only_marked(re.escape(MARKDOWN_HEAD.encode("ascii")))),
    "tex": PaperFormat("LaTeX", as_latex, only_marked(re.escape(LATEX_HEAD.encode("ascii")))),
    "html": PaperFormat("a page", as_page, ONLY_PAGES),
}
