"""asked: what the teacher makes of a question about the word.

    u_w = mean over questions q of  S(q with w in it),   such as "what does w mean?"

S is the teacher's sentence vector, pooled as the teacher itself says (see `teacher/sentences.py`). A sentence model was
trained on whole texts; a word by itself is none, and its vector as `alone` has it tells less of its meaning than that
of a short question. No corpus is needed but for the vocabulary. The questions are a setting (`--question`), so that
they can be in the language of the words.
"""

from __future__ import annotations

from dataclasses import dataclass

from wordstill.options import Options
from wordstill.students.alone import Alone
from wordstill.students.student import Needs


@dataclass(frozen=True)
class AskedSettings(Options):
    """Nothing is left open."""


class Asked(Alone):
    """What the teacher understands by questions about each word."""

    name = "asked"

    @classmethod
    def needs_of(cls, settings: object, layer: int) -> Needs:
        """The questions about each word of the vocabulary."""
        return Needs("asked", (layer,))
