"""MediaWiki markup to paragraphs of prose.

Kept: running text, the visible text of links, templates that stand inside sentences (PROSE_TEMPLATES).
Dropped: all other templates, tables, references, formulas and other elements that are not prose, headings,
lists and indented lines, files with their captions, categories, links to other languages, bare web addresses,
and any paragraph in which markup is left because it was broken.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

from wordstill.errors import InputError

# Elements dropped with all they contain; of any other element only the tags go.
NOT_PROSE = {
    *(
        "ref",
        "references",
        "math",
        "chem",
        "ce",
        "score",
        "hiero",
        "source",
        "syntaxhighlight",
        "pre",
        "table",
    ),
    *("gallery", "imagemap", "timeline", "graph", "mapframe", "maplink", "includeonly", "inputbox"),
    *("templatestyles", "templatedata", "categorytree", "style", "script"),
}
ENDS_PARAGRAPH = {"p", "div", "blockquote", "center", "poem", "hr", "ul", "ol", "dl"}
# Templates that hold words of the sentence around them: which of their arguments to show.
PROSE_TEMPLATES = {
    **dict.fromkeys(("convert", "cvt"), ("1", "2")),
    **dict.fromkeys(("lang", "transl", "transliteration"), ("2",)),
    **dict.fromkeys(("quote", "blockquote", "cquote", "nowrap", "nobr", "small", "smaller"), ("1",)),
    **dict.fromkeys(("abbr", "tooltip", "sic", "vanchor", "visible anchor", "angbr", "flag", "nihongo"), ("1",)),
}

COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*)\b([^<>]*)>")
OPENING = re.compile(r"<(?=[a-zA-Z/!])")
HEADING = re.compile(r"^=[^\n]*=[ \t]*$", re.MULTILINE)
# The parser makes an object of every mark of a list. A line of marks alone ends a paragraph as an empty line does, and
# of several marks before a line one is enough: such lines are dropped.
MARKS_ALONE = re.compile(r"^[*#:;][*#:; \t]*$", re.MULTILINE)
SEVERAL_MARKS = re.compile(r"^([*#:;])[*#:;]+", re.MULTILINE)
BRACKET = re.compile(r"[\[\]{}]")
MAGIC_WORD = re.compile(r"__[A-Z]+__")
STYLE = re.compile(r"'{2,}")
LANGUAGE = re.compile(r"[a-z]{2,3}(?:-[a-z]+)*|simple")
MEDIA_FILE = re.compile(r"\.(?:jpe?g|png|svg|gif|tiff?|webp|og[gvm]|oga|webm|mp3|wav|midi?|pdf|djvu)$", re.IGNORECASE)
NOT_A_PARAGRAPH = tuple("*#:;|!{}")
LEFT_OVER = re.compile(r"\[\[|\]\]|\{\{|\}\}|\||==|\bhttps?://")
# What is left of "(IPA: {{IPA|..}}; born 1900)" once templates are gone.
EMPTY_BRACKETS = re.compile(r" ?\([ ,;:–—/-]{0,20}\)")
AFTER_OPENING = re.compile(r"\((?:\s*[,;:](?=[\s,;:)]))+\s*")
BEFORE_CLOSING = re.compile(r"[ ,;:]{1,20}\)")
REPEATED_COMMAS = re.compile(r",(?:\s*,)+")
BEFORE_PUNCTUATION = re.compile(r"\s+(?=[,;.](?:\s|$))")

# Markup nested deeper was left open by accident or malice, and the parser needs hours for a page of it.
DEEPEST = 80


def wikitext_paragraphs(text: str, dropped_namespaces: frozenset[str]) -> Iterator[str]:
    """The paragraphs of an article; `dropped_namespaces` are the lowercase names of files and categories."""
    text = SEVERAL_MARKS.sub(r"\1", MARKS_ALONE.sub("", _without_tags(COMMENT.sub("", text))))
    for section in HEADING.split(text):
        if _depth(section) <= DEEPEST:
            yield from _section_paragraphs(section, dropped_namespaces)


def _without_tags(text: str) -> str:
    """The text without HTML: a third of an article is references, and the parser is slow on unclosed tags."""
    parts: list[str] = []
    position = 0
    inside = ""
    last_closing: dict[str, int] = {}
    for match in TAG.finditer(text):
        closing, name, attributes = match.group(1), match.group(2).lower(), match.group(3)
        if inside:
            if closing and name == inside:
                inside, position = "", match.end()
            continue
        parts.append(text[position : match.start()])
        position = match.end()
        if name in NOT_PROSE and not closing and not attributes.endswith("/"):
            if name not in last_closing:
                last_closing[name] = text.lower().rfind(f"</{name}")
            inside = name if last_closing[name] > position - 1 else ""
        elif name in ENDS_PARAGRAPH:
            parts.append("\n\n")
        elif name == "li" and not closing:
            parts.append("\n*")
        elif name == "br":
            parts.append(" ")
    if not inside:
        parts.append(text[position:])
    # No tag begins here any more, and the parser need not search for its end.
    return OPENING.sub("< ", "".join(parts))


def _depth(text: str) -> int:
    depth = deepest = 0
    for match in BRACKET.finditer(text):
        if match.group() in "[{":
            depth += 1
            deepest = max(deepest, depth)
        else:
            depth = max(0, depth - 1)
    return deepest


def _section_paragraphs(section: str, dropped_namespaces: frozenset[str]) -> Iterator[str]:
    lines: list[str] = []
    visible = _visible(_parser()(section, skip_style_tags=True), dropped_namespaces)
    for line in [*visible.split("\n"), ""]:
        line = line.strip()
        if line and not line.startswith(NOT_A_PARAGRAPH):
            lines.append(line)  # as in MediaWiki, one newline does not end a paragraph
        elif lines:
            paragraph = _tidy(" ".join(lines))
            lines = []
            if paragraph and not LEFT_OVER.search(paragraph):
                yield paragraph


@cache
def _parser() -> Callable[..., Any]:
    try:
        from mwparserfromhell import parse
    except ImportError:
        raise InputError('A MediaWiki dump: pip install "wordstill[corpora]" to read it.') from None
    return parse


def _visible(code: Any, dropped_namespaces: frozenset[str]) -> str:
    """The text a reader of the page would see of parsed markup."""
    parts: list[str] = []
    for node in code.nodes:
        kind = type(node).__name__
        if kind == "Text":
            parts.append(str(node))
        elif kind == "Wikilink":
            parts.append(_link(node, dropped_namespaces))
        elif kind == "HTMLEntity":
            parts.append(node.normalize())
        elif kind == "ExternalLink":
            if node.brackets and node.title is not None:
                parts.append(_visible(node.title, dropped_namespaces))
        elif kind == "Template":
            name = str(node.name).strip().lower()
            shown = ("1",) if name.startswith("lang-") else PROSE_TEMPLATES.get(name, ())
            parts.append(" ".join(_visible(node.get(key).value, dropped_namespaces) for key in shown if node.has(key)))
        elif kind == "Tag" and node.wiki_markup in {"*", "#", ":", ";"}:
            parts.append(node.wiki_markup)
        elif kind == "Tag":
            parts.append("\n\n")  # a table or a rule; HTML tags are already gone
    return "".join(parts)


def _link(node: Any, dropped_namespaces: frozenset[str]) -> str:
    title = str(node.title).strip()
    prefix, colon, name = title.partition(":")
    if colon and prefix:
        prefix = prefix.strip().lower().replace("_", " ")
        if prefix in dropped_namespaces or MEDIA_FILE.search(name):
            return ""
        if node.text is None and LANGUAGE.fullmatch(title.partition(":")[0]):
            return ""
    if node.text is None:
        return _visible(node.title, dropped_namespaces).strip().lstrip(":").replace("_", " ")
    return _visible(node.text, dropped_namespaces).rpartition("|")[2]


def _tidy(text: str) -> str:
    text = STYLE.sub("", MAGIC_WORD.sub("", text))
    text = " ".join(text.split())
    text = AFTER_OPENING.sub("(", text)
    text = BEFORE_CLOSING.sub(")", text)
    text = EMPTY_BRACKETS.sub("", text)
    text = REPEATED_COMMAS.sub(",", BEFORE_PUNCTUATION.sub("", text))
    return " ".join(text.split())
