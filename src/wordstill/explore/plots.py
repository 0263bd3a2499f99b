"""Drawing words: pairs of a relation, a word's neighbourhood in several vectors, clusters of categories."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import compress
from typing import Any

import numpy as np

from wordstill.arrays import Array, unit
from wordstill.errors import InputError
from wordstill.evaluation.space import make_space
from wordstill.evaluation.tasks.categorization import Categories
from wordstill.explore.box import draw_box
from wordstill.explore.charts import COLOURS, MARKERS, style
from wordstill.explore.displayed_words import displayed, unknown_word
from wordstill.explore.labelled_points import Picture, empty_figure, label_points, roomy_limits
from wordstill.explore.layout import Projection, places
from wordstill.vectors import WordVectors

LINE_COLOUR = "#999999"


def pairs_plot(
    vectors: WordVectors | Mapping[str, WordVectors],
    pairs: Sequence[tuple[str, str]],
    projection: Projection = "pca",
    *,
    dimensions: int = 2,
    title: str = "",
    limit: int = 30,
) -> Picture:
    """Draw word pairs joined by lines: a relation that the vectors hold shows as lines of one direction.

    Several vectors have a panel each, with the pairs that all of them have. Three dimensions are drawn in a box, seen
    from one corner; words farther away have smaller signs.
    """
    named = vectors if isinstance(vectors, Mapping) else {title: vectors}
    spaces = {name: make_space("vectors", one) for name, one in named.items()}
    found = {name: space.find(word for pair in pairs for word in pair) for name, space in spaces.items()}
    known = np.all([rows.reshape(-1, 2) >= 0 for rows in found.values()], axis=(0, 2))
    notes = _missing([" ".join(pair) for pair in compress(pairs, ~known)], "pairs")
    chosen = list(compress(pairs, known))
    if len(chosen) > limit:
        notes.append(f"{len(chosen)} pairs have vectors; the first {limit} are shown (--limit)")
        chosen = chosen[:limit]
    if len(chosen) < 2:
        raise InputError(f"only {len(chosen)} of the {len(pairs)} pairs have vectors for both words; two are needed")
    rows = {name: one.reshape(-1, 2)[known][:limit].ravel() for name, one in found.items()}
    with style():
        inches = 4.5 + 0.06 * len(chosen)
        figure, panels = empty_figure(inches * 1.25 * len(named), inches, len(named))
        if len(named) > 1 and title:
            figure.suptitle(title)
        labelled = []
        for axes, (name, space) in zip(panels, spaces.items(), strict=True):
            points = places(space.unit(rows[name]), projection, dimensions)
            sizes = np.full(len(points), 16.0)
            if dimensions == 3:
                points, sizes = draw_box(axes, points)
            else:
                roomy_limits(axes, points)
            axes.set_title(displayed(name) if len(named) > 1 else title)
            lines = points.reshape(-1, 4)
            for left, bottom, right, top in lines:
                axes.plot((left, right), (bottom, top), color=LINE_COLOUR, linewidth=0.8, zorder=1)
            for side in (0, 1):
                x, y = points[side::2].T
                axes.scatter(x, y, s=sizes[side::2], color=COLOURS[side], marker=MARKERS[side], linewidths=0, zorder=3)
            labelled.append((axes, points, lines))
        words = [word for pair in chosen for word in pair]
        colours = [COLOURS[side % 2] for side in range(len(words))]
        # Labels last: titles decide how much room there is.
        crowded = sum(label_points(axes, points, words, colours, lines) for axes, points, lines in labelled)
    return Picture(figure, notes + _crowded(crowded))


def neighbors_plot(spaces: Mapping[str, WordVectors], word: str, count: int = 12) -> Picture:
    """Draw a word in the middle of its neighbours, a panel per space; the farther out, the lower the cosine.

    Where a neighbour stands around the word follows the main directions among the neighbours. Words in orange are
    neighbours in this space only.
    """
    near: dict[str, list[tuple[str, float]]] = {}
    notes = []
    for name, vectors in spaces.items():
        if word in vectors and vectors.norms[vectors.key_to_index[word]] > 0:
            near[name] = vectors.most_similar(word, topn=count)
        else:
            notes.append(f"{name} has no vector for {displayed(word)}")
    if not near:
        raise unknown_word(next(iter(spaces.values())), word)
    counted = Counter(neighbor for listed in near.values() for neighbor, _ in listed)
    reach = max(0.1, 1.0 - min((cosine for listed in near.values() for _, cosine in listed), default=0.0)) * 1.12
    with style():
        figure, panels = empty_figure(4.2 * len(near), 4.6, len(near))
        labelled = []
        for axes, (name, listed) in zip(panels, near.items(), strict=True):
            points = _around(spaces[name], word, listed)
            _rings(axes, reach)
            axes.set_title(displayed(name))
            axes.scatter(0, 0, s=36, color="black", marker="*", zorder=3)
            alone = np.array([counted[neighbor] == 1 and len(near) > 1 for neighbor, _ in listed], dtype=bool)
            for side, (chosen, told) in enumerate(((~alone, "near in several"), (alone, "only here"))):
                x, y = points[chosen].T
                axes.scatter(x, y, s=16, color=COLOURS[side], marker=MARKERS[side], label=told, zorder=3)
            colours = ["black", *(COLOURS[1] if one else COLOURS[0] for one in alone)]
            labelled.append((axes, points, [word, *(neighbor for neighbor, _ in listed)], colours))
        if len(near) > 1:
            figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower left", ncols=2, fontsize=7.5)
        # Labels last: titles and the legend decide how much room there is.
        left_out = sum(
            label_points(axes, np.vstack([[0.0, 0.0], points]), words, colours)
            for axes, points, words, colours in labelled
        )
    return Picture(figure, notes + _crowded(left_out))


def categories_plot(
    vectors: WordVectors, categories: Categories, projection: Projection = "tsne", *, title: str = ""
) -> Picture:
    """Draw words by category, each with a colour and a sign; words of one category should stand together."""
    space = make_space("vectors", vectors)
    rows = space.find(categories.words)
    known = rows >= 0
    notes = _missing(list(compress(categories.words, ~known)), "words")
    if known.sum() < 3:
        raise InputError(f"only {known.sum()} of the {len(known)} words have a vector; at least three are needed")
    words, labels = list(compress(categories.words, known)), np.array(list(compress(categories.labels, known)))
    points = places(space.unit(rows[known]), projection)
    names = list(dict.fromkeys(labels.tolist()))
    looks = {name: _look(number) for number, name in enumerate(names)}
    with style():
        inches = max(4.5, 0.55 * np.sqrt(len(words)))
        figure, (axes,) = empty_figure(min(20.0, inches * 1.3), min(16.0, inches))
        roomy_limits(axes, points, 0.06)
        axes.set_title(title)
        for name in names:
            colour, marker, face = looks[name]
            chosen = labels == name
            axes.scatter(points[chosen, 0], points[chosen, 1], s=18, marker=marker, facecolors=face,
                         edgecolors=colour, linewidths=0.8, label=displayed(name), zorder=3)  # fmt: skip
        figure.legend(loc="outside lower center", ncols=max(1, min(len(names), int(figure.get_figwidth() / 1.6))),
                      fontsize=7.5, handletextpad=0.1)  # fmt: skip
        crowded = label_points(axes, points, words, [looks[label][0] for label in labels])
    return Picture(figure, notes + _crowded(crowded))


def _look(number: int) -> tuple[str, str, str]:
    """Return colour, sign and filling of a category; 98 of them differ."""
    colour = COLOURS[number % len(COLOURS)]
    marker = MARKERS[(number + number // len(COLOURS)) % len(MARKERS)]
    return colour, marker, colour if number // (len(COLOURS) * len(MARKERS)) % 2 == 0 else "none"


def _around(vectors: WordVectors, word: str, listed: list[tuple[str, float]]) -> Array:
    """Place neighbours 1 - cosine from the middle, in the direction that two principal components give."""
    centre = unit(vectors[word])
    away = np.stack([unit(vectors[neighbor]) for neighbor, _ in listed]) - centre
    plane = places(away, "pca") if len(away) > 1 else np.array([[1.0, 0.0]])
    angle = np.arctan2(plane[:, 1], plane[:, 0])
    # Evenly around, in the order of those directions: all would else be on one side.
    order = np.argsort(angle, kind="stable")
    angle[order] = np.linspace(0.0, 2 * np.pi, len(angle), endpoint=False)
    radius = np.array([max(0.0, 1.0 - cosine) for _, cosine in listed])
    return np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)


def _rings(axes: Any, reach: float) -> None:
    """Draw circles of equal cosine, each with its number."""
    from matplotlib.patches import Circle

    axes.set_xlim(-reach, reach)
    axes.set_ylim(-reach, reach)
    axes.set_aspect("equal")
    step = next(step for step in (0.02, 0.05, 0.1, 0.2, 0.5) if reach / step <= 5 or step == 0.5)
    for distance in np.arange(step, reach, step):
        axes.add_patch(Circle((0, 0), distance, fill=False, color="#DDDDDD", linewidth=0.7, zorder=0))
        axes.annotate(f"{1 - distance:.2f}", (0, -distance), fontsize=6, color="#999999", ha="center", va="center",
                      bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.5}, zorder=1)  # fmt: skip


def _missing(words: list[str], what: str) -> list[str]:
    if not words:
        return []
    listed = ", ".join(displayed(word) for word in words[:5]) + (", ..." if len(words) > 5 else "")
    return [f"{len(words)} {what} without a vector left out: {listed}"]


def _crowded(count: int) -> list[str]:
    return [f"{count} labels found no room and were left out; their points are there"] if count else []
