"""A paragraph into sentences of words: one segmentation that everything downstream shares.

Words are found once, by one regular expression; sentence borders are offsets into the same text. What counts
as a word, and why, is written down in docs/segmentation.md.
"""

from __future__ import annotations

import itertools
import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from wordstill.corpus.conllu import ParsedSentence, cut_sentence, unpack
from wordstill.corpus.sentences import sentence_borders
from wordstill.corpus.spacy_pipelines import load_pipeline
from wordstill.errors import InputError
from wordstill.options import Options, setting

LONGEST_WORD = 100
"""A longer run without a space is cut every so many characters: word2vec's and WordPiece's own limit."""
SPACY_CHARACTERS = 100_000

# Parts of one word, as in a-b-c: without a limit, megabytes of them would fill the memory of the matcher.
_MOST_PARTS = 50
# Scripts written without spaces, whose characters stand alone as words: Han and Hiragana.
_ALONE = (
    "\u3005\u3007\u3021-\u3029\u3038-\u303b\u3040-\u309f\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
_JOINERS = "\u200c\u200d"  # zero-width, but part of the spelling in Persian, in Indic scripts and in emoji


def _mark_ranges() -> str:
    """Combining marks, as the inside of a character class: Python's `re` has no name for them."""
    codes = [code for code in range(0x300, 0x1F000) if unicodedata.category(chr(code))[0] == "M"]
    groups = itertools.groupby(enumerate(codes), lambda pair: pair[1] - pair[0])
    runs = [[code for _, code in group] for _, group in groups]
    return "".join(f"{chr(run[0])}-{chr(run[-1])}" for run in runs) + "\U000e0100-\U000e01ef"


def _word_pattern(character: str, letter: str, marks: str | None) -> str:
    """The word rules over given classes: a word character, a letter, the inside of a class of marks."""
    run = f"{character}+"
    attached = ""
    if marks is not None:
        run = f"{character}+(?:[{marks}{_JOINERS}]+{character}*){{0,{_MOST_PARTS}}}"
        # Variation selectors are marks; skin tones and flag tags are not; a joiner glues two emoji into one.
        modifier = f"[{marks}\u200c\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]"
        attached = f"(?:{modifier}|\u200d(?:(?!{character})[^\\s])?){{0,{_MOST_PARTS}}}"
    inside = (
        f"['’&@](?={character})"  # don't, bank's, AT&T, name@example.com
        rf"|[-‐‑](?=(?!\d){character})|(?<!\d)[-‐‑](?=\d)"  # state-of-the-art, COVID-19, not 1914-1918
        r"|\.(?=[a-z])|(?<=\d)\.(?=\d)"  # example.com, 3.5, not end.Next
        r"|(?<=\d),(?=\d{3}(?!\d))"  # 10,000, not 1,2
    )
    address = r"""[^\s<>"“”「」（）。！？｡]*[^\s<>"“”「」（）。！？｡.,;:!?)\]}'’*]"""
    # `re` skips an alternative at once if it begins with a literal or a class, not if with a group.
    return (
        rf"https?://{address}|www\.{address}"
        rf"|Ph\.D(?!{character})\.?"
        rf"|{letter}(?:(?:\.{letter}){{1,{_MOST_PARTS}}}(?!{character})\.?"  # U.S., e.g.
        rf"|\+\+|\#(?!{character}))"  # C++, C#
        rf"|{run}(?:(?=['’&@\-‐‑.,])(?:{inside}){run}){{0,{_MOST_PARTS}}}"
        + ("|[\U0001f1e6-\U0001f1ff]{2}" if marks is not None else "")  # flags
        + rf"|\.{{2,}}|-{{2,}}|={{2,}}|\*{{2,}}|~{{2,}}|[^\s]{attached}"
    )


WORD_PATTERN: str = _word_pattern(rf"[^\W{_ALONE}]", r"[^\W\d_]", _mark_ranges())
"""A word, for Python's `re`; the text must have gone through `visible` first."""
TOKENIZER_PATTERN: str = _word_pattern(rf"[\p{{L}}\p{{N}}_&&[^{_ALONE}]]", r"[\p{L}\p{Nl}\p{No}]", r"\p{M}")
"""The same words, for the regular expressions of Hugging Face tokenizers."""

_WORDS = re.compile(WORD_PATTERN)
_ASCII_WORDS = re.compile(_word_pattern(r"\w", "[A-Za-z]", None), re.ASCII)
_CONTROLS = "\x00-\x08\x0e-\x1f\x7f-\x9f\u200b"
_HIDDEN = "\u00ad\u061c\u180e\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
_STRAY_JOINERS = f"(?<![^\\s])[{_JOINERS}]+|[{_JOINERS}]+(?![^\\s])"
_BECOMES_SPACE = re.compile(f"[{_CONTROLS}\ud800-\udfff]")
_DISAPPEARS = re.compile(f"[{_HIDDEN}]+")
_STRAY = re.compile(_STRAY_JOINERS)


def visible(text: str) -> str:
    """The text without characters that nobody sees: controls become spaces, soft hyphens and the like go."""
    if text.isprintable():
        return text
    return _STRAY.sub("", _DISAPPEARS.sub("", _BECOMES_SPACE.sub(" ", text)))


def find_words(text: str) -> list[str]:
    """Return the words of a text that has gone through `visible`; none of them is shortened."""
    return (_ASCII_WORDS if text.isascii() else _WORDS).findall(text)


def tokenizer_parts() -> dict[str, Any]:
    """`normalizer` and `pre_tokenizer` of a tokenizer.json that cuts text into the words of "unicode"."""

    def replace(pattern: str, content: str) -> dict[str, Any]:
        return {"type": "Replace", "pattern": {"Regex": pattern}, "content": content}

    steps = [replace(f"[{_CONTROLS}]", " "), replace(f"[{_HIDDEN}]+", ""), replace(_STRAY_JOINERS, "")]
    return {
        "normalizer": {"type": "Sequence", "normalizers": steps},
        "pre_tokenizer": {
            "type": "Split",
            "pattern": {"Regex": TOKENIZER_PATTERN},
            "behavior": "Removed",
            "invert": True,
        },
    }


def _corpus_setting(default: Any, help: str, **declared: Any) -> Any:
    return setting(default, help, group="corpus", **declared)


@dataclass(frozen=True)
class SegmentSettings(Options):
    """How a paragraph is cut into sentences of words and which are kept; punctuation marks are words."""

    words: str = _corpus_setting(
        "unicode",
        "how words are found: unicode, whitespace (text that is tokenized already), or spacy:PIPELINE",
        option="--word-splitter",
        keyword="word_splitter",
        metavar="HOW",
    )
    sentences: str = _corpus_setting(
        "rules",
        "how sentences are found: rules, line (one per line), or spacy (by the pipeline of --word-splitter)",
        option="--sentence-splitter",
        keyword="sentence_splitter",
        metavar="HOW",
    )
    max_sentence_words: int = _corpus_setting(1000, "cut longer sentences into ones of so many words", low=1, option="")
    min_sentences: int = _corpus_setting(0, "drop paragraphs with fewer sentences (X2Static: 3)", low=0)
    min_characters: int = _corpus_setting(0, "drop paragraphs with fewer characters (X2Static: 140)", low=0)
    min_sentence_words: int = _corpus_setting(
        1,
        "drop sentences of fewer or more words (skip-gram papers: 10 40)",
        low=1,
        option="--sentence-words",
        metavar=("LOW", "HIGH"),
        partner="max_kept_sentence_words",
    )
    max_kept_sentence_words: int | None = _corpus_setting(None, "drop sentences of more words", low=1, option="")

    def __post_init__(self) -> None:
        super().__post_init__()
        spacy = self.words.startswith("spacy:") and self.words != "spacy:"
        if self.words not in {"unicode", "whitespace"} and not spacy:
            raise InputError(f'words is "{self.words}"; use "unicode", "whitespace" or "spacy:PIPELINE".')
        if self.sentences not in {"rules", "line", "spacy"}:
            raise InputError(f'sentences is "{self.sentences}"; use "rules", "line" or "spacy".')
        if self.sentences == "spacy" and not spacy:
            raise InputError(f'sentences="spacy" needs words="spacy:PIPELINE", not "{self.words}".')
        longest = self.max_kept_sentence_words
        if longest is not None and longest < self.min_sentence_words:
            raise InputError(
                f"max_kept_sentence_words is {longest}, less than min_sentence_words "
                f"({self.min_sentence_words}): no sentence would be kept."
            )


class Segmenter:
    """Called on a paragraph, returns its sentences as lists of words; [] if it is filtered out."""

    def __init__(self, settings: SegmentSettings = SegmentSettings()) -> None:  # noqa: B008 (it is frozen)
        self.settings = settings
        self._pipeline = _spacy_pipeline(settings) if settings.words.startswith("spacy:") else None

    def __call__(self, paragraph: str) -> list[list[str]]:
        settings = self.settings
        if len(paragraph) < settings.min_characters:
            return []
        text = visible(paragraph)
        if self._pipeline is not None:
            sentences = _spacy_sentences(self._pipeline, settings.sentences, text)
        elif settings.words == "unicode":
            sentences = _unicode_sentences(text, _borders(settings.sentences, text))
        else:
            words = [(match.start(), match.group()) for match in re.finditer(r"\S+", text)]
            sentences = _assign(words, _borders(settings.sentences, text))
        if len(sentences) < settings.min_sentences:
            return []
        return list(self._kept(sentences))

    def parsed(self, paragraph: str) -> list[ParsedSentence]:
        """Return the sentences of a parsed paragraph, whose words are as its parser has them; [] if it is filtered."""
        settings, sentences = self.settings, unpack(paragraph)
        characters = sum(len(word) + 1 for sentence in sentences for word in sentence.words) - 1
        if characters < settings.min_characters or len(sentences) < settings.min_sentences:
            return []
        least, most = settings.min_sentence_words, settings.max_kept_sentence_words
        return [
            part._replace(words=["".join(visible(word).split()) or "_" for word in part.words])
            for sentence in sentences
            if least <= len(sentence.words) and (most is None or len(sentence.words) <= most)
            for part in cut_sentence(sentence, settings.max_sentence_words)
        ]

    def _kept(self, sentences: list[list[str]]) -> Iterator[list[str]]:
        size, least = self.settings.max_sentence_words, self.settings.min_sentence_words
        most = self.settings.max_kept_sentence_words
        for sentence in sentences:
            length = len(sentence)
            if length < least or (most is not None and length > most):
                continue
            if length <= size:
                yield sentence
            else:
                yield from (sentence[start : start + size] for start in range(0, length, size))


def _borders(how: str, text: str) -> list[int]:
    if how == "rules":
        return sentence_borders(text)
    return [match.end() for match in re.finditer(r"\n", text)]


def _unicode_sentences(text: str, borders: list[int]) -> list[list[str]]:
    """The words between borders. No border lies inside a word, so this is one scan of the paragraph."""
    find = (_ASCII_WORDS if text.isascii() else _WORDS).findall
    found = [find(text, start, end) for start, end in itertools.pairwise([0, *borders, len(text)])]
    return [_shortened(words) for words in found if words]


def _assign(words: list[tuple[int, str]], borders: list[int]) -> list[list[str]]:
    """Give each word, known with its start, to the sentence its start lies in."""
    starts = [start for start, _ in words]
    cuts = [0, *(bisect_left(starts, border) for border in borders), len(words)]
    found = [[word for _, word in words[first:last]] for first, last in itertools.pairwise(cuts)]
    return [_shortened(sentence) for sentence in found if sentence]


def _shortened(words: list[str]) -> list[str]:
    if max(map(len, words)) <= LONGEST_WORD:
        return words
    return [word[at : at + LONGEST_WORD] for word in words for at in range(0, len(word), LONGEST_WORD)]


def _spacy_pipeline(settings: SegmentSettings) -> Any:
    name = settings.words.removeprefix("spacy:")
    pipeline = load_pipeline(name, without=["tagger", "morphologizer", "attribute_ruler", "lemmatizer", "ner"])
    if settings.sentences == "spacy" and not {"parser", "senter", "sentencizer"} & set(pipeline.pipe_names):
        raise InputError(f'the spaCy pipeline "{name}" finds no sentences: use sentences="rules".')
    return pipeline


def _spacy_sentences(pipeline: Any, how: str, text: str) -> list[list[str]]:
    """spaCy's tokens; one that holds whitespace is cut there, since no word may hold any."""
    words: list[tuple[int, str]] = []
    borders = [] if how == "spacy" else _borders(how, text)
    for start, piece in _pieces(text):
        document = pipeline(piece) if how == "spacy" else pipeline.make_doc(piece)
        for token in document:
            found = re.finditer(r"\S+", token.text)
            words += [(start + token.idx + match.start(), match.group()) for match in found]
        if how == "spacy":
            borders += [start + span.start_char for span in document.sents]
    return _assign(words, borders)


def _pieces(text: str) -> Iterator[tuple[int, str]]:
    """The text in pieces that spaCy, which refuses long texts, takes; cut at a space where there is one."""
    start = 0
    while start < len(text):
        end = start + SPACY_CHARACTERS
        if end < len(text):
            end = text.rfind(" ", start, end) + 1 or end
        yield start, text[start:end]
        start = end
