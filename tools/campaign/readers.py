"""Every reader of the project, by the name of its sample, and what must hold of what it returns."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple, NoReturn

import numpy as np

from campaign.case import Wrong
from wordstill.corpus.read import Corpus
from wordstill.corpus.vocabulary import read_word_list
from wordstill.distillation.run_record import read_record
from wordstill.distillation.settings import DistillSettings, ExecutionSettings
from wordstill.errors import InputError
from wordstill.evaluation.dataset_loading import recognized_task
from wordstill.evaluation.settings import EvaluationSettings
from wordstill.evaluation.sources import student_folders
from wordstill.evaluation.space import Space
from wordstill.evaluation.tasks import all_tasks
from wordstill.explore.report_data import card_lines, read_scores, run_summary, score_table
from wordstill.formats import load
from wordstill.formats.card import readme
from wordstill.lexicons.lexicon import read_lexicon
from wordstill.vectors import WordVectors


class Reader(NamedTuple):
    """How a sample is read, and how often it is chosen."""

    read: Callable[[Path], object]
    weight: int = 10


def use(vectors: WordVectors) -> None:
    """Ask vectors what users ask them; they are whole, or reading them should have said so."""
    if vectors.matrix.shape[0] != len(vectors.words) or len(vectors.key_to_index) != len(vectors.words):
        raise Wrong("words and rows do not belong together")
    if not all(isinstance(word, str) for word in vectors.words):
        raise Wrong("a word is no text")
    if len(vectors) and vectors.vector_size:
        cosines = [cosine for _, cosine in vectors.most_similar(vectors.words[0], topn=3)]
        if not all(-1.01 < cosine < 1.01 for cosine in cosines):
            raise Wrong(f"cosines of {cosines}")
    readme(vectors)
    card_lines(vectors.card)


def _vectors(format: str, folder: Path) -> None:
    name = {"numpy": "v.npy", "projector": "vectors.tsv"}.get(format)
    path = folder / name if name else next(iter(sorted(folder.iterdir())))
    use(load(path))
    use(load(path, "folder" if format == "folder-int8" else format.removesuffix("-packed").removeprefix("code-")))


def _corpus(folder: Path) -> None:
    corpus = Corpus([folder])
    corpus.fingerprint()
    for _, text in corpus.paragraphs():
        if "\n" in text or len(text) > 1 << 20:
            raise Wrong("a paragraph with a line end in it, or too long")


def _lexicon(folder: Path) -> None:
    (path,) = folder.iterdir()
    for source in (path, f"{path}+"):
        lexicon = read_lexicon(source)
        if len(lexicon.edges) and int(lexicon.edges.max()) >= len(lexicon.words):
            raise Wrong("a pair without a word")
    read_lexicon(path, "antonyms")


def _data_set(folder: Path) -> None:
    (path,) = folder.iterdir()
    known = {"relations": "relations", "question-table": "analogy"}
    name = known.get(folder.name) or recognized_task(path)
    task = next(task for task in all_tasks() if task.name == name)
    data = task.read(path)
    space = Space("v", ["river", "sea", "the", "café"], np.random.default_rng(0).standard_normal((4, 5)))
    task.judge(space, data, EvaluationSettings(seeds=1))


def _run(folder: Path) -> None:
    run = folder / "r"
    record = read_record(run)
    if record is not None:
        record.as_json()
        run_summary(run, record)
    for place in (student_folders(run) or {}).values():
        use(WordVectors.load(place))


def _scores(folder: Path) -> None:
    score_table(read_scores(folder / "s.json"), ["v"])


class _Parser(argparse.ArgumentParser):
    """A parser that does not print and exit."""

    def error(self, message: str) -> NoReturn:
        raise InputError(" ".join(message.split()))


def _settings(folder: Path) -> None:
    """What was typed, as a shell hands it over."""
    from wordstill.cli.options import add_settings, read_settings

    parser = _Parser(add_help=False, allow_abbrev=False)
    for kind in (DistillSettings, ExecutionSettings):
        add_settings(parser, kind)
    words = (folder / "s.txt").read_bytes().decode("utf-8", "surrogateescape").split("\n")
    arguments, _ = parser.parse_known_args(words)
    read_settings(arguments, DistillSettings)
    read_settings(arguments, ExecutionSettings)


def _teacher(folder: Path) -> None:
    from wordstill.teacher.load import load_teacher

    teacher = load_teacher(folder / "t")
    pieces, lengths = teacher.pieces(["river", "the", "東京"])
    if len(lengths) != 3 or int(lengths.sum()) != len(pieces):
        raise Wrong("words and pieces do not belong together")


FORMATS = (
    *("folder", "folder-int8", "parquet", "numpy", "projector", "word2vec", "word2vec-packed", "word2vec-binary"),
    *("glove", "spacy", "static-embedding"),
)
CORPORA = ("text", "json", "gzip", "bzip2", "xz", "zstandard", "parquet", "mediawiki", "wikiextractor")
READERS: dict[str, Reader] = {
    **{name: Reader(partial(_vectors, name)) for name in FORMATS},
    **{f"corpus-{name}": Reader(_corpus) for name in CORPORA},
    "word-list": Reader(lambda folder: read_word_list(folder / "words.txt"), 5),
    **{name: Reader(_lexicon) for name in ("lexicon", "lexicon-packed", "wordnet", "wordnet-zip", "wordnet-wn")},
    **{
        name: Reader(_data_set)
        for name in ("pairs", "pairs-with-commas", "questions", "question-table", "categories", "relations")
    },
    "run": Reader(_run, 15),
    "scores": Reader(_scores),
    "settings": Reader(_settings),
    "teacher": Reader(_teacher, 6),
    "teacher-bin": Reader(_teacher, 3),
    "code-pickle": Reader(partial(_vectors, "word2vec-binary"), 2),
    "code-numpy": Reader(partial(_vectors, "numpy"), 2),
    "code-spacy": Reader(partial(_vectors, "spacy"), 2),
    "code-teacher": Reader(_teacher, 1),
    "code-teacher-map": Reader(_teacher, 1),
}
