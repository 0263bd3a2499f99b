"""CoNLL-U: what is read, how it is kept with the words, and what is refused."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from wordstill.corpus.conllu import ParsedSentence, conllu_paragraphs, is_parsed, unpack, write_sentence
from wordstill.corpus.decode import Decoder
from wordstill.corpus.read import Corpus
from wordstill.corpus.segment import Segmenter, SegmentSettings
from wordstill.corpus.segmented_text import KeptText, Segmented, Segmenting
from wordstill.corpus.vocabulary import Phrases
from wordstill.errors import InputError

TEXT = """# newdoc id = a
# newpar id = a1
# text = Vámonos, it isn't 10 000.
1-2\tVámonos\t_\t_\t_\t_\t_\t_\t_\t_
1\tVamos\tir\tVERB\t_\t_\t0\troot\t_\t_
2\tnos\tnosotros\tPRON\t_\t_\t1\tobj\t_\t_
2.1\tghost\t_\t_\t_\t_\t_\t_\t0:exroot\t_
3\t10 000\t_\tNUM\t_\t_\t1\tnummod:x\t_\t_

1\tYes\t_\t_\t_\t_\t_\t_\t_\t_

# newpar
1\tNo\t_\t_\t_\t_\t0\troot\t_\t_
"""


def sentences(text: str) -> list[list[ParsedSentence]]:
    packed = list(conllu_paragraphs(io.BytesIO(text.encode("utf-8", "surrogatepass")), Path("f.conllu"), Decoder()))
    assert all(is_parsed(paragraph) for paragraph in packed)
    return [unpack(paragraph) for paragraph in packed]


def test_words_heads_and_relations_are_read_and_paragraphs_begin_where_the_file_says() -> None:
    first = ParsedSentence(["Vamos", "nos", "10_000"], [-1, 0, 0], ["root", "obj", "nummod:x"])
    assert sentences(TEXT) == [
        [first, ParsedSentence(["Yes"], [-1], ["_"])],
        [ParsedSentence(["No"], [-1], ["root"])],
    ]


def test_without_marks_every_sentence_is_a_paragraph() -> None:
    bare = "".join(line for line in TEXT.splitlines(keepends=True) if not line.startswith("#"))
    assert [len(paragraph) for paragraph in sentences(bare)] == [1, 1, 1]


parsed = some.lists(
    some.tuples(some.text(max_size=5), some.integers(-1, 20), some.text(max_size=4)), min_size=1, max_size=6
)


@given(some.lists(parsed, min_size=1, max_size=4))
def test_what_is_written_is_read_again(drawn: list[list[tuple[str, int, str]]]) -> None:
    made = []
    for rows in drawn:
        words = ["".join(word.split()) or "x" for word, _, _ in rows]
        heads = [-1 if head % len(rows) == place else head % len(rows) for place, (_, head, _) in enumerate(rows)]
        made.append(ParsedSentence(words, heads, [relation or "_" for _, _, relation in rows]))
    text = "".join(write_sentence(sentence) for sentence in made)
    try:
        found = [sentence for paragraph in sentences(text) for sentence in paragraph]
    except InputError:
        # A word or relation with a tab or newline in it is no CoNLL-U.
        assert any(set("\t\n\r") & set("".join([*one.words, *one.relations])) for one in made)
        return
    if not any(set("\t\n\r") & set("".join([*one.words, *one.relations])) for one in made):
        assert [one.heads for one in found] == [one.heads for one in made]
        plain = [word.isprintable() for one in made for word in one.words]
        ours, theirs = ([word for one in many for word in one.words] for many in (found, made))
        assert [w for w, p in zip(ours, plain, strict=True) if p] == [
            w for w, p in zip(theirs, plain, strict=True) if p
        ]


@given(some.binary(max_size=200))
def test_any_bytes_are_read_or_refused(content: bytes) -> None:
    try:
        for paragraph in conllu_paragraphs(io.BytesIO(content), Path("f.conllu"), Decoder()):
            assert unpack(paragraph)
    except InputError:
        return


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("1 word without tabs", "f.conllu, line 1 has 1 columns"),
        ("2\tword\t_\t_\t_\t_\t0\troot", "word number '2' where 1 should follow"),
        ("1\tword\t_\t_\t_\t_\tx\troot", "the head is 'x'"),
        ("1\tword\t_\t_\t_\t_\t2\troot", "word 1 of the sentence has the head 2"),
        ("1\tword\t_\t_\t_\t_\t1\troot", "word 1 of the sentence has the head 1"),
    ],
)
def test_what_is_no_conllu_is_refused_with_its_line(line: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        sentences(line + "\n")


def segmented(path: Path, settings: SegmentSettings | None = None, phrases: Phrases | None = None) -> Segmented:
    segmenter = Segmenter(settings or SegmentSettings())
    return Segmenting(segmenter, phrases or Phrases())(list(Corpus([path]).paragraphs()))


def test_parses_stay_with_their_words(tmp_path: Path) -> None:
    path = tmp_path / "texts.conllu"
    path.write_text(TEXT, encoding="utf-8")
    found = segmented(path)
    assert [found.keys[code] for code in found.codes] == ["vamos", "nos", "10_000", "yes", "no"]
    assert found.parses is not None
    assert found.parses[:, 0].tolist() == [-1, 0, 0, -1, -1]
    relations = [found.relations[number] for number in found.parses[:, 1]]
    assert relations == ["root", "obj", "nummod:x", "_", "root"]
    second = found.between(1, 2)
    assert second.parses is not None
    assert second.parses.tolist() == found.parses[4:].tolist()
    kept = KeptText(tmp_path / "kept")
    list(kept.write((one for one in [found]), 1e9))
    (again,) = kept.read()
    assert again.relations == found.relations
    np.testing.assert_array_equal(again.parses, found.parses)


def test_long_sentences_are_cut_filters_hold_and_phrases_are_not_joined(tmp_path: Path) -> None:
    path = tmp_path / "texts.conllu"
    path.write_text(TEXT, encoding="utf-8")
    cut = segmented(path, SegmentSettings(max_sentence_words=2))
    assert cut.sentences.tolist() == [2, 1, 1, 1]
    assert cut.parses is not None
    assert cut.parses[:, 0].tolist() == [-1, 0, -1, -1, -1]
    assert segmented(path, SegmentSettings(min_sentence_words=2)).sentences.tolist() == [3]
    assert segmented(path, SegmentSettings(min_sentences=2)).sentences.tolist() == [3, 1]
    assert segmented(path, SegmentSettings(min_characters=10)).sentences.tolist() == [3, 1]
    joined = segmented(path, phrases=Phrases.of(["vamos_nos"], Segmenter(), True))
    assert [joined.keys[code] for code in joined.codes][:2] == ["vamos", "nos"]


def test_text_without_parses_can_stand_beside_parsed_text(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("It flows. Yes.\n")
    (tmp_path / "b.conllu").write_text(TEXT, encoding="utf-8")
    found = segmented(tmp_path)
    assert found.parses is not None
    assert found.parses[:5].tolist() == [[-1, -1]] * 5
    assert found.parses[5:, 0].tolist() == [-1, 0, 0, -1, -1]
