"""Figures that the papers published, to stand beside ours: marked as theirs, with their corpus and teacher."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from importlib import resources


@dataclass(frozen=True)
class PublishedRow:
    """One row of a paper's table; the scores are those of its columns, in order, as they were printed."""

    table: str
    row: str
    corpus: str
    teacher: str
    scores: tuple[str, ...]

    @property
    def origin(self) -> str:
        """What it was made of."""
        return "; ".join(part for part in (self.corpus, self.teacher) if part)


def published_rows(table: str) -> list[PublishedRow]:
    """Return the rows of one table."""
    text = resources.files("wordstill.studies").joinpath("published.tsv").read_text(encoding="utf-8")
    rows = csv.DictReader(text.splitlines(), delimiter="\t")
    return [
        PublishedRow(row["table"], row["row"], row["corpus"], row["teacher"], tuple(row["scores"].split()))
        for row in rows
        if row["table"] == table
    ]
