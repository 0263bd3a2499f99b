"""Compare sentence splitters: F1 on UD English EWT and on news, and words a second on EWT and on Wikipedia.

    python -m venv splitters
    splitters/bin/pip install numpy blingfire nltk nupunkt pysbd segtok sentence-splitter
    splitters/bin/pip install sentencex spacy syntok
    export PYTHONPATH=src WORDSTILL_DATA=../shared/data
    splitters/bin/python benchmarks/sentence_splitters.py

A candidate that is not installed is left out. Paragraphs are rebuilt as raw text from the treebank: sentences
joined by a space unless the last token says SpaceAfter=No. A sentence counts as found when both borders are
right, compared on offsets that ignore whitespace. Prints JSON; `--disagreements A B` instead prints where two
candidates part on Wikipedia.
"""

from __future__ import annotations

import argparse
import functools
import importlib.metadata
import itertools
import json
import lzma
import os
import re
import statistics
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

Split = Callable[[str], list[str]]
NEWS = "tagging/conll2000/{}.txt"
EWT = "tagging/UD_English-EWT/en_ewt-ud-{}.conllu"
WIKIPEDIA = "corpora/wiki-en-20m.txt.xz"


def data_file(name: str) -> Path:
    """The file of that name in the first folder of WORDSTILL_DATA that has it."""
    folders = os.environ.get("WORDSTILL_DATA", "../shared/data").split(":")
    return next(path for folder in folders if (path := Path(folder) / name).exists())


def treebank_paragraphs(path: Path) -> list[list[str]]:
    """Paragraphs as lists of raw sentences; a sentence keeps the space that follows it."""
    paragraphs: list[list[str]] = []
    for block in path.read_text(encoding="utf-8").strip().split("\n\n"):
        lines = block.split("\n")
        if any(line.startswith(("# newpar", "# newdoc")) for line in lines):
            paragraphs.append([])
        text = next(line.removeprefix("# text = ") for line in lines if line.startswith("# text = "))
        paragraphs[-1].append(text if "SpaceAfter=No" in lines[-1].split("\t")[9] else text + " ")
    return paragraphs


def news_paragraphs(path: Path, sentences: int = 5) -> list[list[str]]:
    """The CoNLL-2000 newswire, its tokens put together again, every five sentences a paragraph.

    No rule of ours was made on it, so it shows what is left of a lead outside the treebank.
    """
    texts = []
    for block in path.read_text(encoding="utf-8").strip().split("\n\n"):
        text = " ".join(line.split(" ")[0] for line in block.split("\n"))
        text = re.sub(r" (?=[,;:?!%)}\]]|\.+$|'|n't\b)|(?<=[$#({\[`]) ", "", text).replace("``", '"')
        texts.append(text.replace("''", '"') + " ")
    return [texts[start : start + sentences] for start in range(0, len(texts), sentences)]


def wikipedia_paragraphs(characters: int) -> list[str]:
    """The first paragraphs of the Wikipedia sample, as many as that number of characters holds."""
    with lzma.open(data_file(WIKIPEDIA), "rt", encoding="utf-8") as lines:
        text = lines.read(characters)
    return [line for line in text.split("\n")[:-1] if line.strip()]


def spans(sentences: list[str]) -> set[tuple[int, int]]:
    """Start and end of each sentence, counted in characters that are not whitespace."""
    ends = list(itertools.accumulate(len("".join(sentence.split())) for sentence in sentences))
    return {(start, end) for start, end in itertools.pairwise([0, *ends]) if end > start}


def scores(split: Split, paragraphs: list[list[str]]) -> dict[str, float]:
    """Precision, recall and F1 of whole sentences, and the paragraphs whose text came back changed."""
    found = gold = right = changed = 0
    for sentences in paragraphs:
        truth, guess = spans(sentences), spans(split("".join(sentences).strip()))
        found, gold, right = found + len(guess), gold + len(truth), right + len(truth & guess)
        changed += max(end for _, end in truth) != max((end for _, end in guess), default=0)
    return {
        "precision": round(right / found, 4),
        "recall": round(right / gold, 4),
        "f1": round(2 * right / (found + gold), 4),
        "changed_paragraphs": changed,
    }


def words_per_second(splitters: dict[str, Split], texts: list[str], repeats: int) -> dict[str, int]:
    """Median over interleaved repeats, so that a busy moment of the machine hits every candidate alike."""
    words = sum(len(text.split()) for text in texts)
    seconds: dict[str, list[float]] = {name: [] for name in splitters}
    for _ in range(repeats):
        for name, split in splitters.items():
            start = time.perf_counter()
            for text in texts:
                split(text)
            seconds[name].append(time.perf_counter() - start)
    return {name: round(words / statistics.median(times)) for name, times in seconds.items()}


# ---- candidates: each function imports its package and returns str -> list of sentences ----


def naive() -> Split:
    return re.compile(r"(?<=[.!?])\s+").split


def wordstill_rules() -> Split:
    from wordstill.corpus.sentences import sentence_borders

    def split(text: str) -> list[str]:
        return [text[start:end] for start, end in itertools.pairwise([0, *sentence_borders(text), len(text)])]

    return split


def wordstill_words() -> Split:
    """Sentences and words together, as a corpus is read; the others only find sentences."""
    from wordstill.corpus.segment import Segmenter

    segment = Segmenter()
    return lambda text: ["".join(words) for words in segment(text)]


def blingfire() -> Split:
    import blingfire as package

    return lambda text: package.text_to_sentences(text).split("\n")


def nltk() -> Split:
    """Punkt without its downloaded model: it learns its abbreviations from the raw training split instead."""
    from nltk.tokenize.punkt import PunktSentenceTokenizer

    raw = "\n".join("".join(sentences) for sentences in treebank_paragraphs(data_file(EWT.format("train"))))
    return PunktSentenceTokenizer(raw).tokenize


def nupunkt() -> Split:
    import nupunkt as package

    return package.sent_tokenize


def pysbd() -> Split:
    import pysbd as package

    return package.Segmenter(language="en", clean=False).segment


def segtok() -> Split:
    from segtok.segmenter import split_single

    return lambda text: [sentence for sentence in split_single(text) if sentence]


def sentence_splitter() -> Split:
    from sentence_splitter import SentenceSplitter

    return SentenceSplitter(language="en").split


def sentencex() -> Split:
    from sentencex import segment

    return functools.partial(_second_argument, segment, "en")


def _second_argument(function: Callable[..., Any], language: str, text: str) -> list[str]:
    return list(function(language, text))


def spacy() -> Split:
    import spacy as package

    pipeline = package.blank("en")
    pipeline.add_pipe("sentencizer")
    pipeline.max_length = 10**9
    return lambda text: [span.text for span in pipeline(text).sents]


def syntok() -> Split:
    from syntok import segmenter

    def split(text: str) -> list[str]:
        return [
            "".join(token.spacing + token.value for token in sentence)
            for paragraph in segmenter.analyze(text)
            for sentence in paragraph
        ]

    return split


CANDIDATES: dict[str, tuple[str | None, Callable[[], Split]]] = {
    "naive regex": (None, naive),
    "wordstill rules": ("wordstill", wordstill_rules),
    "wordstill rules + words": ("wordstill", wordstill_words),
    "blingfire": ("blingfire", blingfire),
    "nltk punkt, trained": ("nltk", nltk),
    "nupunkt": ("nupunkt", nupunkt),
    "pysbd": ("pysbd", pysbd),
    "segtok": ("segtok", segtok),
    "sentence-splitter": ("sentence-splitter", sentence_splitter),
    "sentencex": ("sentencex", sentencex),
    "spacy sentencizer": ("spacy", spacy),
    "syntok": ("syntok", syntok),
}


def installed(names: list[str]) -> dict[str, Split]:
    splitters = {}
    for name in names:
        try:
            splitters[name] = CANDIDATES[name][1]()
        except ImportError as error:
            print(f"{name} is left out: {error}", file=sys.stderr)
    return splitters


def version(package: str | None) -> str | None:
    try:
        return importlib.metadata.version(package) if package else None
    except importlib.metadata.PackageNotFoundError:
        return "source tree"


def disagreements(first: Split, second: Split, texts: list[str]) -> Iterator[tuple[str, str]]:
    """What each makes of the text around the first border they do not share, paragraph by paragraph."""
    for text in texts:
        here, there = spans(first(text)), spans(second(text))
        if here != there:
            border = min({end for _, end in here} ^ {end for _, end in there})
            mark = "first" if border in {end for _, end in here} else "second"
            cut = [at for at, character in enumerate(text) if not character.isspace()][border]
            yield mark, f"{text[max(0, cut - 60) : cut]}|| {text[cut : cut + 40]}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--split", default="test", choices=["train", "dev", "test"])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--characters", type=int, default=1_000_000, help="of Wikipedia, for the speed")
    parser.add_argument("--only", nargs="*", default=list(CANDIDATES), choices=list(CANDIDATES))
    parser.add_argument("--disagreements", nargs=2, metavar=("A", "B"), choices=list(CANDIDATES))
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    wikipedia = wikipedia_paragraphs(options.characters)
    if options.disagreements:
        pair = installed(options.disagreements)
        found = disagreements(*(pair[name] for name in options.disagreements), wikipedia)
        for who, text in itertools.islice(found, 15):
            print(f"only the {who} splits: {text}")
        return
    paragraphs = treebank_paragraphs(data_file(EWT.format(options.split)))
    news = news_paragraphs(data_file(NEWS.format("test")))
    splitters = installed(options.only)
    texts = ["".join(sentences).strip() for sentences in paragraphs]
    speed_ewt = words_per_second(splitters, texts, options.repeats)
    speed_wikipedia = words_per_second(splitters, wikipedia, options.repeats)
    rows = [
        {
            "splitter": name,
            "version": version(CANDIDATES[name][0]),
            **scores(split, paragraphs),
            "f1_news": scores(split, news)["f1"],
            "words_per_second_ewt": speed_ewt[name],
            "words_per_second_wikipedia": speed_wikipedia[name],
        }
        for name, split in splitters.items()
    ]
    print(json.dumps(sorted(rows, key=lambda row: -row["f1"]), indent=1))


if __name__ == "__main__":
    main()
