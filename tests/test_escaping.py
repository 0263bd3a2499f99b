"""Foreign text in each medium: every character is shown, and none does anything."""

from __future__ import annotations

import csv
import html.parser
import io
import json
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from wordstill.escaping import as_json, for_csv, for_html, for_latex, for_markdown, for_script, for_terminal
from wordstill.evaluation.results import Part, Result, Results
from wordstill.formats.card import readme
from wordstill.vectors import WordVectors

HOSTILE = "\x1b]0;owned\x07\x9b31m\u202eevil\r\n=cmd|' /C calc'!A0 \\input{/etc/passwd} <script>x</script> `a` [b](c)"
ANY = st.text(st.characters(codec=None), max_size=40)


@given(ANY)
@example(HOSTILE)
def test_a_terminal_gets_printable_characters_on_one_line(text: str) -> None:
    assert for_terminal(text).isprintable()
    if text.isprintable():
        assert for_terminal(text) == text


@given(ANY)
@example(HOSTILE)
@example("=1+1")
@example("  @SUM(1)")
@example("\t=1")
@example("-x")
def test_no_cell_of_a_spreadsheet_begins_like_a_formula(text: str) -> None:
    stream = io.StringIO()
    csv.writer(stream).writerow([for_csv(text), "next"])
    (cells,) = csv.reader(io.StringIO(stream.getvalue(), newline=""))
    assert cells == [for_csv(text), "next"]
    assert not cells[0].strip(" ").startswith(("=", "+", "-", "@"))
    assert cells[0].isprintable()


@given(ANY)
@example(HOSTILE)
@example("^^5cinput{x}")
def test_latex_gets_no_command_and_no_special_character_but_those_of_the_escapes(text: str) -> None:
    shown = for_latex(text)
    bare = re.sub(r"\\(?:[&%$#_{}]|text[a-z]+\{\})", "", shown)
    assert not set(bare) & set('\\&%$#_{}~^<>|"')
    assert "\n" not in shown


@given(ANY)
@example(HOSTILE)
def test_markdown_gets_one_line_without_markup(text: str) -> None:
    shown = for_markdown(text)
    assert shown.isprintable()
    assert not re.search(r"(?<!\\)(?:\\\\)*[`*_\[\]<>|#&~$!]", shown)


@given(ANY)
@example(HOSTILE)
@example("</title><script>")
@example('" onload="x')
def test_a_page_gets_text_and_no_elements(text: str) -> None:
    class Elements(html.parser.HTMLParser):
        def __init__(self) -> None:
            super().__init__()
            self.found: list[tuple[str, list[tuple[str, str | None]]]] = []

        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            self.found.append((tag, attrs))

    parser = Elements()
    parser.feed(f'<p title="{for_html(text)}">{for_html(text)}</p>')
    assert parser.found == [("p", [("title", for_terminal(text))])]
    assert "<" not in for_script([text])
    assert json.loads(for_script([text])) == [text]


@given(st.dictionaries(ANY, st.one_of(ANY, st.integers(), st.lists(ANY))))
@example({HOSTILE: HOSTILE})
def test_json_is_the_same_value_and_does_nothing_to_a_terminal(value: dict[str, object]) -> None:
    text = as_json(value)
    assert json.loads(text) == value
    assert text.replace("\n", "").isprintable()


@pytest.fixture
def results() -> Results:
    """Results whose every text was written by somebody else."""
    part = Part(HOSTILE, 0.5, 0.5, 2, 1)
    found = Results([Result(HOSTILE, "analogy", HOSTILE, "accuracy", -0.5, 0.5, 0.4, 0.6, 2, 1, parts=(part,))])
    found.notes = [f"{HOSTILE}: a note"]
    found.differences = list(found)
    return found


def test_the_tables_of_an_evaluation_show_hostile_names_and_notes_and_do_nothing(results: Results) -> None:
    assert results.table(parts=True).replace("\n", "").isprintable()
    assert results.to_json().replace("\n", "").isprintable()
    rows = list(csv.reader(io.StringIO(results.to_csv(), newline="")))
    assert all(cell == "-0.5" or not cell.startswith(("=", "+", "-", "@", "\t", "\r")) for row in rows for cell in row)
    latex = results.to_latex()
    assert r"\input" not in latex
    assert latex.replace("\n", "").isprintable()
    assert all(line.startswith(("\\", "%", "dataset &")) or line.endswith(r" \\") for line in latex.splitlines())


def test_a_model_card_shows_hostile_texts_and_does_nothing() -> None:
    import numpy as np

    card = {"title": HOSTILE, "notes": [HOSTILE], "method": {HOSTILE: HOSTILE}, "licence": HOSTILE}
    text = readme(WordVectors(["a"], np.ones((1, 2)), card=card))
    assert text.replace("\n", "").isprintable()
    assert "<script>" not in re.sub(r"^---.*?^---", "", text, flags=re.DOTALL | re.MULTILINE).replace(r"\<script", "")
