"""The papers' studies and tables, each by one command: `wordstill study NAME ..`.

A study is one file here and one line in STUDIES. Its module has a docstring (what it compares, shown by --help),
`configure(parser)`, which adds its arguments, and `run(arguments) -> Study`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

STUDIES = {
    "context-to-vec-table4": "retrofit, spectral and graph-retrofit on the same vectors, seven similarity sets",
}


@dataclass(frozen=True)
class Study:
    """What a study found.

    records  one JSON object a measurement, raw numbers
    head     the columns of the table for people, and its rows
    notes    what a reader of the table must know
    """

    title: str
    records: list[dict[str, Any]]
    head: list[str]
    rows: list[list[str]]
    notes: list[str] = field(default_factory=list)
