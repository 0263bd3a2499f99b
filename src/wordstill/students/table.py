"""table: the mean of the teacher's input embeddings of a word's pieces ("BERT_token" in the papers' tables).

    u_w = mean over the pieces p of w of  E_p

E is the teacher's table of input embeddings, before positions and normalisation. The teacher need not run.
"""

from __future__ import annotations

from dataclasses import dataclass

from wordstill.students.alone import Alone
from wordstill.students.student import TABLE, Task


@dataclass(frozen=True)
class TableSettings:
    """Nothing is left open."""


class Table(Alone):
    """What the teacher's input table says of each word."""

    reads = "table"
    name = "table"

    def __init__(self, task: Task, settings: TableSettings) -> None:
        super().__init__(task, settings)
        self.layers = (TABLE,)
