"""definition: what a dictionary says of a word, read by the teacher.

    u_w = sum over senses s of  w_s S("word: definition_s"),    w_s in proportion to 1/rank, 1 in all

S is the teacher's sentence vector, pooled as the teacher itself says (see `teacher/sentences.py`). At most six senses
are read, the most usual ones; a form that the dictionary lacks has the definitions of its lemma. No corpus is needed
but for the vocabulary. Words without a definition are predicted from what the teacher says of them alone, as unseen
words are.
"""

from __future__ import annotations

from dataclasses import dataclass

from wordstill.options import Options
from wordstill.students.alone import Alone
from wordstill.students.student import Needs


@dataclass(frozen=True)
class DefinitionSettings(Options):
    """Nothing is left open."""


class Definition(Alone):
    """What the teacher understands by each word's definitions."""

    name = "definition"

    @classmethod
    def needs_of(cls, settings: object, layer: int) -> Needs:
        """The definitions of each word of the vocabulary."""
        return Needs("definition", (layer,))
