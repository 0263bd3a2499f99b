from __future__ import annotations

import dataclasses
import doctest
import importlib.util
import itertools
import json
import os
import re
import sys
import unicodedata
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordstill.corpus.segment import LONGEST_WORD, WORD_PATTERN, Segmenter, SegmentSettings, tokenizer_parts, visible
from wordstill.corpus.sentences import sentence_borders
from wordstill.errors import InputError

ROOT = Path(__file__).parents[2]
segment = Segmenter()


def words(text: str, settings: SegmentSettings | None = None) -> list[str]:
    return [word for sentence in Segmenter(settings or SegmentSettings())(text) for word in sentence]


# Text that is dense in everything the rules look at, next to arbitrary text.
INVISIBLE = ["\u200d", "\u200c", "\u00ad", "\u200b", "\x00", "\ud800", "\xa0"]
PIECES = ["U.S.", "www.", "http://", "Dr", "The", "it", "Ph.D", "👩", "🇩", "\ufe0f", "\u0301", "\u0915\u093f"]
CHARACTERS = "aZé1_.!?…。！-'’\"”(),&@/:#+*=~ \n\t東カあم"
dense = st.lists(st.sampled_from([*CHARACTERS, *PIECES, *INVISIBLE]), max_size=40).map("".join)
texts = dense | st.text(max_size=60)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The U.S. economy", ["The", "U.S.", "economy"]),
        ("grew 3.5 % to 10,000", ["grew", "3.5", "%", "to", "10,000"]),
        ("1,2,3 and 12,34", ["1", ",", "2", ",", "3", "and", "12", ",", "34"]),
        ("cats, e.g. lions", ["cats", ",", "e.g.", "lions"]),
        ("a Ph.D. student", ["a", "Ph.D.", "student"]),
        ("don't, don’t, bank's, dogs'", ["don't", ",", "don’t", ",", "bank's", ",", "dogs", "'"]),
        ("a state-of-the-art F-16", ["a", "state-of-the-art", "F-16"]),
        ("1914-1918 or 1914–1918", ["1914", "-", "1918", "or", "1914", "–", "1918"]),
        ("C++ and C# at AT&T", ["C++", "and", "C#", "at", "AT&T"]),
        ("see https://a.org/b?c=d_(e), ok", ["see", "https://a.org/b?c=d_(e", ")", ",", "ok"]),
        ("www.example.com.", ["www.example.com", "."]),
        ("me@example.com, Node.js", ["me@example.com", ",", "Node.js"]),
        ("wait... what…", ["wait", "...", "what", "…"]),
        ("really?!", ["really", "?", "!"]),
        ("'quoted' \"text\"", ["'", "quoted", "'", '"', "text", '"']),
        ("New_York -- ====", ["New_York", "--", "===="]),
        ("$5 #tag @user", ["$", "5", "#", "tag", "@", "user"]),
        ("👍🏽👩\u200d💻🇩🇪🇫🇷1️⃣", ["👍🏽", "👩\u200d💻", "🇩🇪", "🇫🇷", "1️⃣"]),
        ("東京タワー", ["東", "京", "タワー"]),
        ("cafe\u0301 हिन्दी", ["cafe\u0301", "हिन्दी"]),
        ("می\u200cخواهم", ["می\u200cخواهم"]),
        ("co\u00adoperate \ufeffx", ["cooperate", "x"]),
        ("zero\u200bwidth a\x00b", ["zero", "width", "a", "b"]),
        ("lone \ud800 surrogate", ["lone", "surrogate"]),
    ],
)
def test_words_are_cut_as_documented(text: str, expected: list[str]) -> None:
    assert words(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Dr. Smith met J. R. Ewing. They left.", ["Dr. Smith met J. R. Ewing.", "They left."]),
        ("It grew 3.5 % in the U.S. Army. It", ["It grew 3.5 % in the U.S. Army.", "It"]),
        ("He left the U.S. The rest stayed.", ["He left the U.S.", "The rest stayed."]),
        ('He said "No." Then he left.', ['He said "No."', "Then he left."]),
        ('"Really?" he asked. "Yes!"', ['"Really?" he asked.', '"Yes!"']),
        ("Cats, e.g. Lions, sleep... and eat.", ["Cats, e.g. Lions, sleep... and eat."]),
        ("See No. 5 on pp. 3-4. No. Never.", ["See No. 5 on pp. 3-4.", "No.", "Never."]),
        ("it works. try it! you will see", ["it works.", "try it!", "you will see"]),
        ("The end.Then more", ["The end.", "Then more"]),
        ("Acme Inc. Holdings and Foo Ltd. The rest", ["Acme Inc. Holdings and Foo Ltd.", "The rest"]),
        ("1. First point. 2. Second", ["1. First point.", "2. Second"]),
        ("今日は。元気？「はい。」と", ["今日は。", "元気？", "「はい。」", "と"]),
        ("यह है। वह है।", ["यह है।", "वह है।"]),
    ],
)
def test_sentences_end_as_documented(text: str, expected: list[str]) -> None:
    borders = [0, *sentence_borders(text), len(text)]
    assert [text[start:end].strip() for start, end in itertools.pairwise(borders)] == expected


@given(texts)
def test_every_visible_character_lands_in_exactly_one_word_in_order(text: str) -> None:
    assert "".join(words(text)) == "".join(visible(text).split())


@given(texts)
def test_only_spaces_and_invisible_characters_are_left_out(text: str) -> None:
    lost = re.sub(r"\s", "", text)
    for word in words(text):
        for character in word:
            before, _, lost = lost.partition(character)
            assert all(unicodedata.category(gone) in {"Cc", "Cf", "Cs"} for gone in before)
    assert all(unicodedata.category(gone) in {"Cc", "Cf", "Cs"} for gone in lost)


@given(texts, st.sampled_from(["unicode", "whitespace"]), st.sampled_from(["rules", "line"]))
def test_no_word_is_empty_or_holds_whitespace_or_control_characters(text: str, how: str, borders: str) -> None:
    for word in words(text, SegmentSettings(words=how, sentences=borders)):
        assert word
        assert not any(letter.isspace() or unicodedata.category(letter) in {"Cc", "Cs"} for letter in word)


@given(texts)
def test_no_sentence_border_cuts_a_word(text: str) -> None:
    assert words(text) == re.findall(WORD_PATTERN, visible(text))


@given(texts)
def test_words_survive_being_written_with_spaces_between_them(text: str) -> None:
    found = words(re.sub("[\u200c\u200d]", "", text))  # a joiner at the end of a word would be a stray one
    assert words(" ".join(found), SegmentSettings(words="whitespace")) == found


@pytest.fixture(scope="module")
def tokenizer() -> object:
    tokenizers = pytest.importorskip("tokenizers")
    model = {"type": "WordLevel", "vocab": {"[UNK]": 0}, "unk_token": "[UNK]"}
    return tokenizers.Tokenizer.from_str(json.dumps({"version": "1.0", "model": model, **tokenizer_parts()}))


@given(text=texts.map(lambda text: text.encode("utf-8", "ignore").decode()))
def test_a_tokenizer_json_cuts_the_same_words(tokenizer: object, text: str) -> None:
    # Characters that one of the two Unicode tables does not know yet may differ.
    known = "".join(character for character in text if unicodedata.category(character) != "Cn")
    normal = tokenizer.normalizer.normalize_str(known)
    assert [word for word, _ in tokenizer.pre_tokenizer.pre_tokenize_str(normal)] == words(known)


@pytest.mark.slow
def test_a_tokenizer_json_agrees_on_the_class_of_every_character(tokenizer: object) -> None:
    differing = []
    for code in range(sys.maxunicode + 1):
        if unicodedata.category(chr(code)) not in {"Cn", "Cs"}:
            text = f"x{chr(code)}y"
            pieces = tokenizer.pre_tokenizer.pre_tokenize_str(tokenizer.normalizer.normalize_str(text))
            if [word for word, _ in pieces] != re.findall(WORD_PATTERN, visible(text)):
                differing.append(f"{code:x}")
    assert differing == []


def test_a_ten_megabyte_line_becomes_bounded_sentences_of_bounded_words() -> None:
    for text in ["word " * 400_000, "a" * 2_000_000, "a-" * 1_000_000, "http://" * 300_000]:
        sentences = segment(text)
        assert max(map(len, sentences)) <= 1000
        assert max(len(word) for sentence in sentences for word in sentence) <= LONGEST_WORD
        assert "".join(itertools.chain(*sentences)) == text.replace(" ", "")


def test_a_long_sentence_is_cut_into_consecutive_ones() -> None:
    cut = Segmenter(SegmentSettings(max_sentence_words=2))
    assert cut("a b c d e. F g") == [["a", "b"], ["c", "d"], ["e", "."], ["F", "g"]]


def test_paragraph_filters_count_sentences_and_characters() -> None:
    text = "One two three. Four five six."
    assert Segmenter(SegmentSettings(min_sentences=3))(text) == []
    assert len(Segmenter(SegmentSettings(min_sentences=2))(text)) == 2
    assert Segmenter(SegmentSettings(min_characters=len(text) + 1))(text) == []
    assert len(Segmenter(SegmentSettings(min_characters=len(text)))(text)) == 2


def test_sentence_filters_drop_short_and_long_sentences_before_any_cutting() -> None:
    settings = SegmentSettings(min_sentence_words=3, max_kept_sentence_words=4, max_sentence_words=3)
    text = "Go. One two three. One two three four five."
    assert Segmenter(settings)(text) == [["One", "two", "three"], ["."]]


def test_a_line_is_a_sentence_when_asked_for() -> None:
    lines = Segmenter(SegmentSettings(sentences="line", words="whitespace"))
    assert lines("Mr. A came. He\r\n\nleft .") == [["Mr.", "A", "came.", "He"], ["left", "."]]


def test_a_border_inside_a_whitespace_word_leaves_the_word_whole() -> None:
    assert Segmenter(SegmentSettings(words="whitespace"))("一。二 三") == [["一。二"], ["三"]]


def test_empty_and_blank_paragraphs_have_no_sentences() -> None:
    assert segment("") == segment(" \n\t\u200b\u00ad") == []


def test_settings_round_trip_through_json() -> None:
    settings = SegmentSettings(words="spacy:blank:en", min_sentences=3, max_kept_sentence_words=40)
    assert SegmentSettings(**json.loads(json.dumps(dataclasses.asdict(settings)))) == settings


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"words": "nltk"}, "words is"),
        ({"words": "spacy:"}, "words is"),
        ({"sentences": "punkt"}, "sentences is"),
        ({"sentences": "spacy"}, "needs words="),
        ({"max_sentence_words": 0}, "at least 1"),
        ({"min_characters": -1}, "at least 0"),
        ({"min_sentence_words": 10, "max_kept_sentence_words": 9}, "no sentence would be kept"),
    ],
)
def test_unusable_settings_are_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        SegmentSettings(**options)


def test_without_spacy_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "spacy", None)
    with pytest.raises(InputError, match=r'pip install "wordstill\[spacy\]"'):
        Segmenter(SegmentSettings(words="spacy:en_core_web_sm"))


@pytest.fixture
def spacy() -> ModuleType:
    return pytest.importorskip("spacy")


def test_spacy_finds_words_and_borders(spacy: ModuleType) -> None:
    text = "Dr. Smith doesn't go.  He stays."
    tokens = ["Dr.", "Smith", "does", "n't", "go", "."]
    assert Segmenter(SegmentSettings(words="spacy:blank:en"))(text) == [tokens, ["He", "stays", "."]]
    own = SegmentSettings(words="spacy:blank:en", sentences="spacy")
    assert Segmenter(own)(text) == [tokens, ["He", "stays", "."]]


def test_spacy_takes_a_paragraph_longer_than_its_limit(spacy: ModuleType) -> None:
    settings = SegmentSettings(words="spacy:blank:en", sentences="spacy")
    assert words("word " * 300_000, settings) == ["word"] * 300_000


@pytest.mark.parametrize("pipeline", ["no_such_pipeline", "blank:zz"])
def test_an_unknown_spacy_pipeline_is_refused(spacy: ModuleType, pipeline: str) -> None:
    with pytest.raises(InputError, match=pipeline.removeprefix("blank:")):
        Segmenter(SegmentSettings(words=f"spacy:{pipeline}"))


def test_sentence_f1_on_the_english_web_treebank_stays_above_its_floor() -> None:
    folders = os.environ.get("WORDSTILL_DATA", str(ROOT.parent / "shared/data")).split(":")
    name = "tagging/UD_English-EWT/en_ewt-ud-test.conllu"
    found = [path for folder in folders if (path := Path(folder) / name).exists()]
    if not found:
        pytest.skip(f"{name} is not in WORDSTILL_DATA")
    spec = importlib.util.spec_from_file_location("splitters", ROOT / "benchmarks/sentence_splitters.py")
    benchmark = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(benchmark)
    scores = benchmark.scores(benchmark.wordstill_words(), benchmark.treebank_paragraphs(found[0]))
    assert scores["f1"] > 0.84
    assert scores["changed_paragraphs"] == 0


def test_the_examples_of_the_documentation_are_true() -> None:
    assert doctest.testfile(str(ROOT / "docs/segmentation.md"), module_relative=False).failed == 0
