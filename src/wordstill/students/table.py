"""table: the mean of the teacher's input embeddings of a word's pieces ("BERT_token" in the papers' tables).

    u_w = mean over the pieces p of w of  E_p

E is the teacher's table of input embeddings, before positions and normalisation. The teacher need not run.
"""

from __future__ import annotations

from dataclasses import dataclass

from wordstill.options import Options
from wordstill.students.alone import Alone
from wordstill.students.student import Needs
from wordstill.teacher.batch import TABLE


@dataclass(frozen=True)
class TableSettings(Options):
    """Nothing is left open."""


class Table(Alone):
    """What the teacher's input table says of each word."""

    name = "table"

    @classmethod
    def needs_of(cls, settings: object, layer: int) -> Needs:
        """The teacher's input embedding of each word of the vocabulary."""
        return Needs("table", (TABLE,))
