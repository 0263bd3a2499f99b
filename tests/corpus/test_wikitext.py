"""Wiki markup to prose, construct by construct."""

from __future__ import annotations

import re
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wordstill.corpus import wikitext
from wordstill.corpus.wikipedia import REDIRECT
from wordstill.corpus.wikitext import wikitext_paragraphs
from wordstill.errors import InputError

DROPPED = frozenset({"file", "image", "category", "datei"})


def prose(markup: str) -> list[str]:
    return list(wikitext_paragraphs(markup, DROPPED))


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("'''Bold''' and ''slanted'' and '''''both'''''.", "Bold and slanted and both."),
        ("A [[link]], a [[page|shown]], a [[word]]s.", "A link, a shown, a words."),
        ("[[:Category:Birds]] and [[Alien: Resurrection]].", "Category:Birds and Alien: Resurrection."),
        ("Home[[de:Haus]] [[zh-min-nan:Chhù]][[Category:Houses|*]].", "Home."),
        ("[[wikt:house|House]] is here.", "House is here."),
        ("Seen[[File:A.jpg|thumb|left|A [[cat]] of {{nowrap|two}}.]] here.", "Seen here."),
        ("Seen[[Datei:A.jpg|Titel]][[Afbeelding:B.PNG|thumb|onderschrift]] here.", "Seen here."),
        ("[http://a.org A site], http://b.org and [http://c.org].", "A site, and."),
        ('Said<ref name="x">{{cite|title=y}}</ref> so<ref name=x /> twice<REF>z</REF>.', "Said so twice."),
        ("It is {{convert|5|km|mi}} to {{lang|fr|la mer}} ({{lang-de|das Meer}}).", "It is 5 km to la mer (das Meer)."),
        ("Ada ({{IPA|x}}; born 1815) wrote ( {{x}} , ) it .", "Ada (born 1815) wrote it."),
        ("Five&nbsp;km &mdash; far &amp; [[OS&nbsp;X|]] [[Mac&nbsp;OS]].", "Five km — far & Mac OS."),
        ("H<sub>2</sub>O<br />is <small>water</small><!-- not | this -->.", "H2O is water."),
        ("With <math>a|b</math> and <nowiki>''plain''</nowiki> words. __NOTOC__", "With and plain words."),
        ("One line\nand the next.", "One line and the next."),
        ("Open <ref>and never closed.", "Open and never closed."),
        ("Open <!-- and never closed.", "Open"),
    ],
)
def test_markup_gives_the_text_a_reader_sees(markup: str, text: str) -> None:
    assert prose(markup) == [text]


def test_headings_tables_lists_and_galleries_are_dropped_and_end_paragraphs() -> None:
    markup = """{{Infobox | name = X
| {{nested|y}} }}
First.
== Heading ==
Second.
{| class="wikitable"
! head || [[link]]
|-
| cell || {{x}}
{|
| inner
|}
|}
Third.
* item
# number
; term : definition
: indented
Fourth.
<gallery>
A.jpg|caption
</gallery>
Fifth.<blockquote>Quoted.</blockquote>Sixth.
----
Seventh.
<ul><li>point</li></ul>
[[Category:X]]
"""
    assert prose(markup) == ["First.", "Second.", "Third.", "Fourth.", "Fifth.", "Quoted.", "Sixth.", "Seventh."]


def test_a_paragraph_with_broken_markup_is_dropped_and_the_rest_kept() -> None:
    assert prose("Fine.\n\nBroken [[link.\n\nAlso fine.\n== H ==\nLast.") == ["Fine.", "Also fine.", "Last."]


@settings(max_examples=200, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            [
                "[[",
                "]]",
                "{{",
                "}}",
                "{|",
                "|}",
                "|",
                "\n",
                "==",
                "<ref>",
                "</ref>",
                "<!--",
                "-->",
                "'''",
                "a",
                " ",
                "*",
            ]
        ),
        max_size=40,
    ).map("".join)
)
def test_any_heap_of_markup_gives_clean_paragraphs(markup: str) -> None:
    for text in prose(markup):
        assert text.strip() == text != ""
        assert not any(mark in text for mark in ("[[", "]]", "{{", "}}", "|", "==", "''", "\n", "<ref", "<!--"))


@pytest.mark.parametrize("opening", ["{|\n", "<b>", "[[a|{{b|", "[http://a ", "<ref>", "{{{a|", "{{a|"])
def test_markup_left_open_thousands_of_times_costs_its_section_alone(opening: str) -> None:
    # The parser alone would need a minute to an hour for most of these.
    assert prose("First.\n== H ==\n" + opening * 50_000 + "\n== H ==\nLast.") == ["First.", "Last."]


@pytest.mark.parametrize("piece", ["(", ";", "( ", ",", " ", "'", "&nbsp;", "-->", "<a ", "=", "(;"])
def test_a_long_run_of_one_sign_does_not_keep_the_rest_from_being_read(piece: str) -> None:
    found = prose("First.\n\n" + piece * 20_000 + "\n\nLast.")
    assert (found[0], found[-1]) == ("First.", "Last.")


def test_without_the_parser_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mwparserfromhell", None)
    wikitext._parser.cache_clear()
    with pytest.raises(InputError, match=r'pip install "wordstill\[corpora\]"'):
        prose("Text.")


@pytest.mark.parametrize("marks", [":", "*#", ";:", ": ", ":\n", "* \n"])
def test_marks_of_lists_cost_the_parser_nothing_however_many(marks: str, monkeypatch: pytest.MonkeyPatch) -> None:
    given = 0
    parse = wikitext._parser()

    def counting(section: str, **options: bool) -> object:
        nonlocal given
        given += sum(section.count(mark) for mark in "*#:;")
        return parse(section, **options)

    monkeypatch.setattr(wikitext, "_parser", lambda: counting)
    text = f"Before.\n{marks * 100_000}\nAfter."
    assert prose(text) == ["Before.", "After."]
    assert given <= 1


@given(
    st.lists(st.sampled_from([":", "*", "# ", ";a", "b.", "", "{{x|", "}}", "== h ==", "[[c]]", ":: d"]), max_size=9)
)
def test_marks_are_taken_out_without_a_change_of_the_prose(lines: list[str]) -> None:
    text = "\n".join(lines)
    found = prose(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(wikitext, "MARKS_ALONE", re.compile(r"(?!)"))
        patch.setattr(wikitext, "SEVERAL_MARKS", re.compile(r"(?!)()"))
        assert prose(text) == found


@pytest.mark.parametrize("blank", [" ", "\n", "\t"])
def test_a_page_that_begins_like_a_redirect_is_looked_at_once(blank: str) -> None:
    # A pattern that tries every pair of places does not get through a megabyte of it in minutes.
    for text in (f"#REDIRECT{blank * 1_000_000}x", f"#REDIRECT{blank * 500_000}:{blank * 500_000}x", blank * 1_000_000):
        assert REDIRECT.match(text) is None
    for text in ("#REDIRECT [[a]]", "# redirect : [[a]]", "\n#weiterleitung:[[a]]", "#REDIRECT[[a]]"):
        assert REDIRECT.match(text)
