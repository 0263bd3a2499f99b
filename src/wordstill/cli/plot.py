"""Draw pictures of words, as PNG or SVG by the ending of the name.

  wordstill plot pairs run/aggregate --relation family --out pairs.png
  wordstill plot neighbors run/aggregate run/closed --word river --out river.svg
  wordstill plot categories run/aggregate --dataset ap --out ap.png
  wordstill plot attention run/dynamic-skipgram --sentence "the river flows to the sea" --out attention.png

`wordstill plot KIND --help` tells what a picture shows and what it takes.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from wordstill.cli.words import require
from wordstill.errors import InputError
from wordstill.vectors import WordVectors

if TYPE_CHECKING:
    from wordstill.explore.labelled_points import Picture

METHODS = ("pca", "tsne", "umap")


def configure(parser: argparse.ArgumentParser) -> None:
    """One sub-command a kind of picture."""
    kinds = parser.add_subparsers(dest="kind", metavar="KIND", required=True, title="pictures")
    pairs = _kind(kinds, "pairs", _pairs, "word pairs of a relation, each joined by a line")
    pairs.add_argument("vectors", metavar="VECTORS", help="a vectors folder or file")
    relations = "a section of an analogy set (family), or a file with two words a line"
    pairs.add_argument("--relation", default="family", metavar="NAME", help=relations)
    pairs.add_argument("--limit", type=int, default=30, metavar="N", help="pairs at most (30)")
    _method(pairs, "pca")
    neighbors = _kind(kinds, "neighbors", _neighbors, "a word's nearest words in several vectors, side by side")
    neighbors.add_argument("vectors", metavar="VECTORS", nargs="+", help="vectors, or a run folder for all in it")
    neighbors.add_argument("--word", required=True, help="the word in the middle")
    neighbors.add_argument("--top", type=int, default=12, metavar="N", help="neighbours in each (12)")
    categories = _kind(kinds, "categories", _categories, "words of several categories, coloured by category")
    categories.add_argument("vectors", metavar="VECTORS", help="a vectors folder or file")
    sets = "ap, battig, esslli-nouns, esslli-verbs, or a file with a word and its category a line"
    categories.add_argument("--dataset", default="ap", metavar="NAME", help=sets)
    _method(categories, "tsne")
    attention = _kind(kinds, "attention", _attention, "how much each word of a sentence attends to those around it")
    attention.add_argument("vectors", metavar="VECTORS", help="the folder of a dynamic-skipgram as a run left it")
    attention.add_argument("--sentence", required=True, metavar="TEXT", help="the sentence")
    attention.add_argument("--teacher", metavar="T", help="the teacher it learned from (the run's own)")


def run(arguments: argparse.Namespace) -> None:
    """Draw, write, and tell what is not in the picture."""
    from wordstill.explore.charts import check_picture, save

    # Refused before any work where it could not be written in the end.
    check_picture(arguments.out)
    picture: Picture = arguments.draw(arguments)
    missing = save(picture.figure, arguments.out)
    if missing:
        picture.notes.append(f"no font here has these characters, which are drawn as boxes: {' '.join(missing)}")
    for note in picture.notes:
        print(note, file=sys.stderr)
    print(arguments.out)


def _pairs(arguments: argparse.Namespace) -> Picture:
    from wordstill.explore.picture_words import relation_pairs
    from wordstill.explore.plots import pairs_plot

    _at_least(arguments.limit, 2, "--limit")
    pairs = relation_pairs(arguments.relation)
    vectors = WordVectors.load(arguments.vectors)
    return pairs_plot(vectors, pairs, arguments.method, title=arguments.title or "", limit=arguments.limit)


def _neighbors(arguments: argparse.Namespace) -> Picture:
    from wordstill.evaluation.sources import subjects
    from wordstill.explore.plots import neighbors_plot

    _at_least(arguments.top, 1, "--top")
    spaces = {subject.name: subject.load() for subject in subjects(arguments.vectors)}
    if not any(arguments.word in vectors for vectors in spaces.values()):
        require(next(iter(spaces.values())), [arguments.word])
    return neighbors_plot(spaces, arguments.word, arguments.top)


def _categories(arguments: argparse.Namespace) -> Picture:
    from wordstill.explore.picture_words import category_words
    from wordstill.explore.plots import categories_plot

    words = category_words(arguments.dataset)
    return categories_plot(WordVectors.load(arguments.vectors), words, arguments.method, title=arguments.title or "")


def _attention(arguments: argparse.Namespace) -> Picture:
    from wordstill.explore.labelled_points import Picture
    from wordstill.explore.report_facts import run_settings
    from wordstill.studies.attention_map import attention_chart, attention_weights
    from wordstill.teacher.load import load_teacher

    teacher = arguments.teacher or run_settings(Path(arguments.vectors)).get("teacher")
    if teacher is None:
        raise InputError(f"no run.json above {arguments.vectors} names its teacher; name it with --teacher")
    words, weights = attention_weights(arguments.vectors, arguments.sentence, load_teacher(teacher))
    figure = attention_chart(words, weights)
    # Made for panels of square cells, whose sides would else be cut off.
    figure.set_layout_engine("compressed")
    return Picture(figure)


def _kind(
    kinds: argparse._SubParsersAction[argparse.ArgumentParser],
    name: str,
    draw: Callable[[argparse.Namespace], Picture],
    told: str,
) -> argparse.ArgumentParser:
    kind = kinds.add_parser(name, help=told, description=told.capitalize() + ".", allow_abbrev=False)
    kind.add_argument("--out", type=Path, required=True, metavar="FILE", help="the picture: .png or .svg")
    kind.set_defaults(draw=draw)
    return kind


def _method(parser: argparse.ArgumentParser, default: str) -> None:
    parser.add_argument("--method", choices=METHODS, default=default, help=f"how a plane is made of them ({default})")
    parser.add_argument("--title", help="a line above the picture")


def _at_least(value: int, low: int, option: str) -> None:
    if value < low:
        raise InputError(f"{option} must be at least {low}, not {value}")
