"""Read wordstill's docstrings for the documentation site (a Griffe extension, named in mkdocs.yml).

In the code, an example is a doctest without a heading, and arguments are lines of a name, two spaces and an
explanation. Markdown would run both into the paragraph above, so the first becomes a block of code and the second a
list. A setting is declared as `words: int = setting(10, "how many words")`: its default and its help are shown.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any

import griffe

ARGUMENT = re.compile(r"(\w+(?:, \w+)*) {2,}(\S.*)")


class Docstrings(griffe.Extension):
    """Rewrite every docstring as Markdown before it is rendered."""

    def on_instance(self, *, obj: griffe.Object, **kwargs: Any) -> None:
        if obj.docstring:
            obj.docstring.value = "\n".join(as_markdown(obj.docstring.value.splitlines()))

    def on_attribute_instance(self, *, attr: griffe.Attribute, **kwargs: Any) -> None:
        """Show a setting with its default as its value and its help as its docstring."""
        call = attr.value
        if not isinstance(call, griffe.ExprCall) or not re.fullmatch(r"setting|_\w+", str(call.function)):
            return
        named = {
            argument.name: argument.value for argument in call.arguments if isinstance(argument, griffe.ExprKeyword)
        }
        given = [argument for argument in call.arguments if not isinstance(argument, griffe.ExprKeyword)]
        default = given[0] if given else named.get("default")
        attr.value = f"{named['factory']}()" if default is None and "factory" in named else default
        explained = given[1] if len(given) > 1 else named.get("help")
        if isinstance(explained, str) and not attr.docstring:
            attr.docstring = griffe.Docstring(str(ast.literal_eval(explained)), parent=attr)


def as_markdown(lines: list[str]) -> Iterator[str]:
    """Yield the lines with doctests fenced and lines of arguments as items of a list."""
    kind = "text"
    fenced = False
    for line in lines:
        before = kind
        if line.startswith("```"):
            fenced = not fenced
        if fenced or not line.strip():
            kind = "text"
        elif line.startswith(">>> ") or before == "example":
            kind = "example"
        elif ARGUMENT.fullmatch(line) or (before == "arguments" and line.startswith(" ")):
            kind = "arguments"
        else:
            kind = "text"
        if before == "example" and kind != "example":
            yield "```"
        if kind != before and kind != "text":
            yield ""
        if kind == "example" and before != "example":
            yield "```python"
        argument = ARGUMENT.fullmatch(line) if kind == "arguments" else None
        yield f"- `{argument[1]}`: {argument[2]}" if argument else line
    if kind == "example":
        yield "```"
