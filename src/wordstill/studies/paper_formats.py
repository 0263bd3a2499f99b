"""The tables of a study as they go into a paper: Markdown and LaTeX. Foreign text in them does no harm."""

from __future__ import annotations

from collections.abc import Iterator

from wordstill.escaping import for_latex, for_markdown
from wordstill.studies.contract import Study, Table

# How the files begin; no other file is replaced by them.
HEADS = {"md": "<!-- wordstill study -->", "tex": "% wordstill study"}


def as_markdown(study: Study) -> str:
    """Write a heading and a table for each table of a study, then its notes."""
    lines = [HEADS["md"], "", f"# {for_markdown(study.title)}", ""]
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
    lines = [HEADS["tex"], *(f"% {for_latex(note)}" for note in study.notes)]
    for table in study.every_table:
        columns = "ll" + "r" * (len(table.head) - 2)
        lines += [r"\begin{table}", r"\centering", rf"\caption{{{for_latex(table.title)}}}"]
        lines += [rf"\begin{{tabular}}{{{columns}}}", r"\toprule", _latex_row(table.head), r"\midrule"]
        lines += [_latex_row(row) for row in table.rows]
        lines += [r"\bottomrule", r"\end{tabular}", r"\end{table}", *(f"% {for_latex(note)}" for note in table.notes)]
    return "\n".join([*lines, ""])


def _latex_row(row: list[str]) -> str:
    return " & ".join(map(for_latex, row)) + r" \\"
