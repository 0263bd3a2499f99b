"""Foreign text as people see it: one function per medium, used wherever words, names, notes, cards and paths are shown.

Whoever wrote a model card, a data set or a file's name may have put into it what a terminal obeys, what LaTeX or a
spreadsheet runs, or what a page takes for markup. Each function returns text that shows the characters and does no
more.
"""

from __future__ import annotations

import html
import json
import re
from typing import Any

# What a spreadsheet takes for the beginning of a formula.
_FORMULA = tuple("=+-@\t\r\n")
_MARKDOWN = re.compile(r"([\\`*_\[\]<>|#&~$!])")
_LATEX = {
    **{letter: "\\" + letter for letter in "&%$#_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
}


def for_terminal(text: str) -> str:
    """Write whatever is not printable as an escape: control characters, line ends, marks that turn the direction."""
    return text if text.isprintable() else "".join(map(_escape, text))


def for_latex(text: str) -> str:
    """Write text that LaTeX sets as it is, on one line, in a table or in a comment."""
    return "".join(_LATEX.get(letter, letter) for letter in for_terminal(text))


def for_csv(text: str) -> str:
    """Write a cell that no spreadsheet takes for a formula: an apostrophe comes before what could be one.

    Quotes and commas are left to the writer of the file.
    """
    shown = for_terminal(text)
    return f"'{shown}" if text.lstrip(" ").startswith(_FORMULA) else shown


def for_markdown(text: str) -> str:
    """Write one line that Markdown shows as it is."""
    return _MARKDOWN.sub(r"\\\1", for_terminal(" ".join(text.split())))


def for_html(text: str) -> str:
    """Write text for the inside of an element or of an attribute in quotes."""
    return html.escape(for_terminal(text))


def for_script(value: Any) -> str:
    """Write JSON for a script element: no `<`, so that nothing in it can end the element or begin a comment."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")


def as_json(value: Any, default: Any = None) -> str:
    """Write JSON for people and programs alike: the same value, with escapes for what a terminal would obey."""
    text = json.dumps(value, indent=2, ensure_ascii=False, default=default)
    return text if text.replace("\n", "").isprintable() else "".join(map(_json_escape, text))


def _escape(letter: str) -> str:
    return letter if letter.isprintable() else repr(letter)[1:-1]


def _json_escape(letter: str) -> str:
    # Outside of its strings JSON has no other character that is not printable than the line ends.
    return letter if letter.isprintable() or letter == "\n" else json.dumps(letter)[1:-1]
