"""The kinds of pictures, each with its settings. A new one is a class here and a line in KINDS."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from wordstill.distillation.run_record import record_above
from wordstill.errors import InputError
from wordstill.evaluation.settings import settings_from
from wordstill.evaluation.sources import Source, sources
from wordstill.explore.attention import attention_chart, attention_weights
from wordstill.explore.charts import check_picture, save
from wordstill.explore.labelled_points import Picture
from wordstill.explore.layout import Projection
from wordstill.explore.picture_words import category_words, relation_pairs
from wordstill.explore.plots import categories_plot, neighbors_plot, pairs_plot
from wordstill.options import Options, setting


@dataclass(frozen=True)
class PlotSettings(Options):
    """What a picture shows.

    about     what it shows, for the help
    required  the settings that have no default
    several   whether it shows several vectors side by side, or only one
    """

    about: ClassVar[str] = ""
    required: ClassVar[tuple[str, ...]] = ()
    several: ClassVar[bool] = False

    def draw(self, found: Sequence[Source]) -> Picture:
        """Draw it."""
        raise NotImplementedError


@dataclass(frozen=True)
class PairsPlot(PlotSettings):
    """A picture of word pairs."""

    about = "word pairs of a relation, each joined by a line, in one or several vectors"
    several = True

    relation: str = setting("family", "a section of an analogy set, or a file with two words per line")
    limit: int = setting(30, "pairs at most", low=2)
    dimensions: int = setting(2, "of the picture: a plane, or a space seen from a corner", low=2, high=3)
    projection: Projection = setting("pca", "how a plane is made of them", option="--method")
    title: str = setting("", "a line above the picture", metavar="TEXT")

    def draw(self, found: Sequence[Source]) -> Picture:
        """Draw the pairs of the relation, a panel for each of the vectors."""
        pairs = relation_pairs(self.relation)
        vectors = {source.name: source.word_vectors() for source in found}
        shown = vectors if len(vectors) > 1 else next(iter(vectors.values()))
        return pairs_plot(shown, pairs, self.projection, dimensions=self.dimensions, title=self.title, limit=self.limit)


@dataclass(frozen=True)
class NeighborsPlot(PlotSettings):
    """A picture of a word's neighbourhood."""

    about = "a word's nearest words in several vectors, side by side"
    required = ("word",)
    several = True

    word: str | None = setting(None, "the word in the middle", metavar="WORD")
    top: int = setting(12, "neighbours in each", low=1)

    def draw(self, found: Sequence[Source]) -> Picture:
        """Draw a panel for each of the vectors."""
        return neighbors_plot({source.name: source.word_vectors() for source in found}, str(self.word), self.top)


@dataclass(frozen=True)
class CategoriesPlot(PlotSettings):
    """A picture of words by category."""

    about = "words of several categories, coloured by category"

    dataset: str = setting("ap", "a set of categories, or a file with a word and its category per line")
    projection: Projection = setting("tsne", "how a plane is made of them", option="--method")
    title: str = setting("", "a line above the picture", metavar="TEXT")

    def draw(self, found: Sequence[Source]) -> Picture:
        """Draw the words of the set."""
        words = category_words(self.dataset)
        return categories_plot(found[0].word_vectors(), words, self.projection, title=self.title)


@dataclass(frozen=True)
class AttentionPlot(PlotSettings):
    """A picture of attention in a sentence."""

    about = "how much each word of a sentence attends to those around it"
    required = ("sentence",)

    sentence: str | None = setting(None, "the sentence", metavar="TEXT")
    teacher: str | None = setting(None, "the teacher it learned from (the run's own)", metavar="T")

    def draw(self, found: Sequence[Source]) -> Picture:
        """Draw the weights of a dynamic-skipgram, as a run left it."""
        from wordstill.teacher.load import load_teacher

        path = found[0].path
        if path is None:
            raise InputError("attention needs the folder of a dynamic-skipgram as a run left it; give its path")
        run = record_above(path)
        teacher = self.teacher or (run[1].settings.get("teacher") if run else None)
        if teacher is None:
            raise InputError(f"no run.json above {path} names its teacher; name it with --teacher")
        figure = attention_chart(*attention_weights(path, str(self.sentence), load_teacher(teacher)))
        # Made for panels of square cells, whose sides would else be cut off.
        figure.set_layout_engine("compressed")
        return Picture(figure)


KINDS: dict[str, type[PlotSettings]] = {
    "pairs": PairsPlot,
    "neighbors": NeighborsPlot,
    "categories": CategoriesPlot,
    "attention": AttentionPlot,
}


def plot(
    kind: str, vectors: Any, out: str | Path | None = None, *, settings: PlotSettings | None = None, **keywords: Any
) -> Picture:
    """Draw a picture of words; write it to `out`, if that is given, as PNG or SVG by its ending.

    >>> picture = plot("neighbors", "run", word="river", top=3)
    >>> len(picture.figure.axes), picture.notes
    (2, [])

    kind      pairs, neighbors, categories or attention
    vectors   what `evaluate` takes; `pairs` and `neighbors` draw a panel for each of several, the others show one
    settings  everything that can be chosen, as one object (`PairsPlot`, ...), instead of keywords
    keywords  pairs: relation, limit, dimensions, projection, title; neighbors: word, top;
              categories: dataset, projection, title; attention: sentence, teacher
    """
    if kind not in KINDS:
        raise InputError(f"there is no picture {kind!r}; choose from {', '.join(KINDS)}")
    # Refused before any work where it could not be written in the end.
    if out is not None:
        check_picture(out)
    chosen = settings_from(KINDS[kind], settings, keywords)
    for name in chosen.required:
        if getattr(chosen, name) is None:
            raise InputError(f"a picture of {kind} needs a {name}; give one")
    found = sources(vectors)
    if len(found) > 1 and not chosen.several:
        names = ", ".join(source.name for source in found)
        raise InputError(f"a picture of {kind} shows one of the vectors, not {len(found)}; choose from {names}")
    picture = chosen.draw(found)
    if out is not None and (missing := save(picture.figure, out)):
        picture.notes.append(f"no font here has these characters, which are drawn as boxes: {' '.join(missing)}")
    return picture
