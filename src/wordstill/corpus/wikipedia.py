"""Wikipedia as a corpus: MediaWiki XML dumps as they are, and the output of WikiExtractor."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO
from xml.parsers import expat

from wordstill.corpus.decode import CONTROL, Decoder, blocks, text_paragraphs
from wordstill.corpus.wikitext import wikitext_paragraphs
from wordstill.errors import InputError

LONGEST_PAGE = 1 << 26  # characters; MediaWiki itself takes no page over 2 MiB

# Media (-2), files (6) and categories (14), by the names every wiki understands besides its own.
DROPPED_KEYS = {"-2", "6", "14"}
DROPPED_NAMES = frozenset({"media", "file", "image", "category"})
# No two parts that can match the same characters stand side by side: the work grows with the page, not its square.
REDIRECT = re.compile(r"\s*#\s*\w+\s*(?::\s*)?\[\[")
DOC_TITLE = re.compile(r'<doc .*\btitle="([^"]*)".*>')


def dump_paragraphs(stream: BinaryIO, path: Path, decoder: Decoder) -> Iterator[str]:
    """The prose of a dump's articles: pages of namespace 0 in wikitext, no redirects, the last revision."""
    pages = _Pages(path)
    try:
        for block in blocks(stream):
            # XML knows no control characters, not even as accidents.
            pages.parser.Parse(CONTROL.sub(" ", decoder.decode(block)))
            yield from pages.paragraphs()
        pages.parser.Parse("", True)
    except expat.ExpatError as error:
        raise InputError(
            f"{path}, line {error.lineno} is broken XML ({expat.ErrorString(error.code)}): fetch the dump again."
        ) from None


class _Pages:
    """Collects finished articles while expat reads; the names it looks for are those of every schema."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._articles: list[str] = []
        self._namespaces: dict[str, str] = {}
        self._key = ""
        self._page: dict[str, str] | None = None
        self._element = ""
        self._characters: list[str] = []
        self._length = 0
        self.parser = expat.ParserCreate("utf-8")  # whatever the declaration says, the stream is UTF-8 by now
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._text
        self.parser.StartDoctypeDeclHandler = self._refuse_doctype

    def paragraphs(self) -> Iterator[str]:
        """The paragraphs of the articles finished since the last call."""
        articles, self._articles = self._articles, []
        own = (name for key, name in self._namespaces.items() if key in DROPPED_KEYS)
        dropped = DROPPED_NAMES.union(name.lower() for name in own)
        for article in articles:
            for paragraph in wikitext_paragraphs(article, dropped):
                yield from text_paragraphs(paragraph)

    def _refuse_doctype(self, *declaration: object) -> None:
        # Entities can only be declared here. Expat limits how far they may expand only since 2.4.1; dumps
        # declare none, so nothing is ever expanded or fetched.
        raise InputError(f"{self._path} has a DOCTYPE, which no MediaWiki dump has: it is not read.")

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        name = name.rpartition(":")[2]
        if name == "page":
            self._page = {}
        elif name == "redirect" and self._page is not None:
            self._page["redirect"] = "yes"
        elif name == "namespace":
            self._key = attributes.get("key", "")
        if name in {"title", "ns", "model", "text", "namespace"}:
            self._element, self._characters, self._length = name, [], 0

    def _text(self, characters: str) -> None:
        if self._element:
            self._characters.append(characters)
            self._length += len(characters)
            if self._length > LONGEST_PAGE:
                line = self.parser.CurrentLineNumber
                raise InputError(f"{self._path}, line {line}: a page too long for MediaWiki; fetch the dump again.")

    def _end(self, name: str) -> None:
        name = name.rpartition(":")[2]
        if name == self._element:
            text, self._element = "".join(self._characters), ""
            if name == "namespace":
                self._namespaces[self._key] = text
            elif self._page is not None:
                self._page[name] = text
        elif name == "page" and self._page is not None:
            if self._is_article(self._page):
                self._articles.append(self._page["text"])
            self._page = None

    def _is_article(self, page: dict[str, str]) -> bool:
        if "redirect" in page or REDIRECT.match(page.get("text", "")):
            return False
        if page.get("model", "wikitext") != "wikitext" or not page.get("text"):
            return False
        if "ns" in page:
            return page["ns"].strip() == "0"
        # Schemas before 0.6 do not number the namespace of a page; its title begins with the name.
        prefix, colon, _ = page.get("title", "").partition(":")
        return not (colon and prefix in self._namespaces.values())


def extracted_paragraphs(stream: BinaryIO, decoder: Decoder) -> Iterator[str]:
    """The paragraphs of WikiExtractor's `<doc ...> ... </doc>` blocks, without the title that begins each."""
    title = ""
    for block in blocks(stream):
        for line in text_paragraphs(decoder.decode(block)):
            if line.startswith("<doc ") and line.endswith(">"):
                match = DOC_TITLE.fullmatch(line)
                title = html.unescape(match.group(1)).strip() if match else ""
            elif line != "</doc>":
                text = html.unescape(line)  # WikiExtractor escapes <, > and &
                if text != title:
                    yield from text_paragraphs(text)
                title = ""
