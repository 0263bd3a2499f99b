"""The papers' studies and tables, each by one command: `wordstill study NAME ..`.

A study is one file here and one line in STUDIES. Its module has a docstring (what it compares, shown by --help),
`configure(parser)`, which adds its arguments, and `run(arguments) -> Study`. Studies that distill share `distilled`
(their arguments and runs) and `points` (scores along a line, as a table and a chart).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure

STUDIES = {
    "window-size": "window students with windows of 1, 2, 5 and 8 words (Wang et al., Figure 4)",
    "attention": "dynamic-skipgram with and without attention over training (Wang et al., Figure 5)",
    "attention-map": "the attention of each word of a sentence to its neighbors (Wang et al., Figure 7)",
    "teachers": "several teachers on the same words (Wang et al., Table 1)",
    "corpus-size": "quality against corpus size (Gupta and Jaggi, Figure 1)",
    "context-to-vec-table4": "retrofit, spectral and graph-retrofit on the same vectors, seven similarity sets",
}


@dataclass(frozen=True)
class Study:
    """What a study found.

    records  one JSON object a measurement, raw numbers
    head     the columns of the table for people, and its rows
    draw     makes the chart; called only when a picture is asked for
    notes    what a reader of the table must know
    """

    title: str
    records: list[dict[str, Any]]
    head: list[str]
    rows: list[list[str]]
    draw: Callable[[], Figure]
    notes: list[str] = field(default_factory=list)
