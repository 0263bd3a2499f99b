"""MediaWiki dumps and WikiExtractor's output, on real dumps that gensim ships and on small made ones."""

from __future__ import annotations

import bz2
import json
from importlib.resources import files
from pathlib import Path

import pytest

from wordstill.corpus import wikipedia
from wordstill.corpus.read import Corpus, Position
from wordstill.errors import InputError

ENGLISH = "enwiki-latest-pages-articles1.xml-p000000010p000030302-shortened.bz2"
MARKUP = ("[[", "]]", "{{", "}}", "{|", "|", "==", "''", "<ref", "</", "&nbsp;", "&lt;", "thumb|", "__", "http://")


def real_dump(name: str) -> Path:
    pytest.importorskip("gensim", reason="gensim, which ships small real dumps, is not installed")
    return Path(str(files("gensim"))) / "test" / "test_data" / name


def texts(*paths: Path) -> list[str]:
    return [text for _, text in Corpus(paths).paragraphs()]


def complaint(path: Path) -> str:
    with pytest.raises(InputError) as caught:
        texts(path)
    return str(caught.value)


def page(title: str, text: str, inside: str = "<ns>0</ns>") -> str:
    text = text.replace("&", "&amp;").replace("<", "&lt;")
    revision = f'<revision><id>2</id><text xml:space="preserve">{text}</text></revision>'
    return f"<page><title>{title}</title>{inside}<id>1</id>{revision}</page>\n"


def dump(*pages: str, version: str = "0.11", prolog: str = "") -> str:
    names = "".join(
        f'<namespace key="{key}" case="first-letter">{name}</namespace>\n'
        for key, name in {0: "", 1: "Diskussion", 6: "Datei", 14: "Kategorie"}.items()
    )
    return (
        f'{prolog}<mediawiki xmlns="http://www.mediawiki.org/xml/export-{version}/" version="{version}">\n'
        f"<siteinfo><namespaces>{names}</namespaces></siteinfo>\n{''.join(pages)}</mediawiki>\n"
    )


@pytest.fixture(scope="module")
def english() -> list[str]:
    return texts(real_dump(ENGLISH))


@pytest.mark.slow
def test_a_real_dump_gives_clean_prose(english: list[str]) -> None:
    assert english[0].startswith("Anarchism is a political philosophy that advocates self-governed societies")
    assert len(english) > 4000
    assert 380_000 < sum(len(text.split()) for text in english) < 450_000
    assert [text for text in english if any(mark in text for mark in MARKUP)] == []
    assert all(text == " ".join(text.split()) for text in english)


def test_a_real_dump_of_another_language_knows_its_own_namespaces() -> None:
    found = texts(real_dump("bgwiki-latest-pages-articles-shortened.xml.bz2"))
    assert found[0].startswith("Григорианският календар (понякога наричан")
    assert [text for text in found if any(mark in text for mark in (*MARKUP, "Категория:", "Файл:"))] == []


def test_a_real_dump_full_of_tables_leaves_none_of_their_cells() -> None:
    found = texts(real_dump("enwiki-table-markup.xml.bz2"))
    assert found[0].startswith("The constructive vote of no confidence")
    assert [text for text in found if any(mark in text for mark in (*MARKUP, "colspan", "style="))] == []


@pytest.mark.slow
def test_reading_a_dump_goes_on_from_a_position(english: list[str]) -> None:
    rest = list(Corpus([real_dump(ENGLISH)]).paragraphs(Position(0, len(english) - 5)))
    assert [text for _, text in rest] == english[-5:]
    assert rest[-1][0] == Position(0, len(english))


@pytest.mark.parametrize("version", ["0.10", "0.11", "0.9"])
def test_only_articles_are_read(tmp_path: Path, version: str) -> None:
    content = dump(
        page("A", "Article [[Datei:x.jpg|thumb|Caption]] one & <b>bold</b>. [[Kategorie:B]]"),
        page("Diskussion:A", "Talk.", "<ns>1</ns>"),
        page("B", "Redirected.", '<ns>0</ns><redirect title="A" />'),
        page("C", "#WEITERLEITUNG [[A]]"),
        page("Q1", '{"type":"item"}', "<ns>0</ns><model>wikibase-item</model>"),
        page("D", "Article two."),
        version=version,
    )
    path = tmp_path / "dump.xml"
    path.write_text(content, encoding="utf-8")
    assert texts(path) == ["Article one & bold.", "Article two."]
    packed = tmp_path / "packed"
    packed.write_bytes(bz2.compress(content.encode("utf-16")))
    assert texts(packed) == ["Article one & bold.", "Article two."]


def test_old_schemas_without_numbered_namespaces_go_by_title(tmp_path: Path) -> None:
    path = tmp_path / "dump.xml"
    pages = (page("A: B", "Article.", ""), page("Diskussion:A", "Talk.", ""))
    path.write_text(dump(*pages, version="0.3", prolog='<?xml version="1.0" encoding="utf-8"?>\n'))
    assert texts(path) == ["Article."]


def test_the_last_revision_of_a_history_counts(tmp_path: Path) -> None:
    path = tmp_path / "history.xml"
    path.write_text(dump(page("A", "Old.").replace("</page>", "<revision><text>New.</text></revision></page>")))
    assert texts(path) == ["New."]


def test_bad_bytes_in_a_dump_are_replaced(tmp_path: Path) -> None:
    path = tmp_path / "dump.xml"
    path.write_bytes(dump(page("A", "One @ two.")).encode().replace(b"@", b"\xff\x00"))
    corpus = Corpus([path])
    assert [text for _, text in corpus.paragraphs()] == ["One \ufffd two."]
    assert corpus.replaced_bytes == 1


def test_entities_cannot_be_declared(tmp_path: Path) -> None:
    path = tmp_path / "bomb.xml"
    entities = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 12))
    doctype = f'<!DOCTYPE mediawiki [<!ENTITY e0 "boom">{entities}]>'
    path.write_text(dump(page("A", "x").replace(">x<", ">&e11;<"), prolog=doctype))
    assert "DOCTYPE" in complaint(path)
    path.write_text(dump(page("A", "x"), prolog='<!DOCTYPE mediawiki SYSTEM "file:///etc/passwd">'))
    assert "DOCTYPE" in complaint(path)


def test_broken_xml_and_other_xml_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "dump.xml"
    whole = dump(page("A", "One."), page("B", "Two."))
    path.write_text(whole[:-40])
    assert "is broken XML" in complaint(path)
    path.write_text(whole.replace("</page>", "</pag>"))
    assert f"{path}, line " in complaint(path)
    path.write_text("<rss><channel/></rss>")
    assert "no MediaWiki dump" in complaint(path)
    path.write_text(whole)
    monkeypatch.setattr(wikipedia, "LONGEST_PAGE", 3)
    assert "too long" in complaint(path)


def test_wikiextractor_blocks_lose_their_frame_and_title(tmp_path: Path) -> None:
    blocks = (
        '<doc id="1" url="https://a.org/?curid=1" title="A &quot;B&quot; C">\nA "B" C\n\nIs x &lt; y &amp; z?\n</doc>\n'
        '<doc id="2" revid="3" url="u" title="D">\nD\n\nD is a letter.\nD\n\n</doc>\n'
    )
    (tmp_path / "AA").mkdir()
    (tmp_path / "AA" / "wiki_00").write_text(blocks)
    (tmp_path / "AA" / "wiki_01.bz2").write_bytes(bz2.compress(blocks.encode()))
    assert texts(tmp_path) == ["Is x < y & z?", "D is a letter.", "D"] * 2


def test_wikiextractor_json_is_unescaped_and_other_json_is_not(tmp_path: Path) -> None:
    record = {"id": "1", "revid": "2", "url": "u", "title": "T", "text": "AT&amp;T.\nx &lt; y"}
    (tmp_path / "wiki_00").write_text(json.dumps(record) + "\n")
    assert texts(tmp_path / "wiki_00") == ["AT&T.", "x < y"]
    (tmp_path / "other.jsonl").write_text(json.dumps({"text": "AT&amp;T."}) + "\n")
    assert texts(tmp_path / "other.jsonl") == ["AT&amp;T."]
