"""What all pictures of words share: points with labels that do not overlap, and lines to labels that stand apart."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from wordstill.arrays import Array
from wordstill.explore.charts import bare_figure
from wordstill.explore.displayed_words import displayed
from wordstill.explore.labels import place_labels

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.text import Annotation

LABEL_POINTS = 7.5
LONGEST_LABEL = 30
# Free space around a label, in points; it also covers what two renderers differ in.
LABEL_MARGIN = 1.2


@dataclass
class Picture:
    """A figure, and what its reader must be told: words without a vector, labels without room."""

    figure: Figure
    notes: list[str] = field(default_factory=list)


def empty_figure(width: float, height: float, columns: int = 1) -> tuple[Figure, list[Axes]]:
    """Make a figure of one or several panels side by side, in inches; call it within `charts.style()`."""
    figure = bare_figure(width, height)
    panels = figure.subplots(1, columns, squeeze=False)[0]
    for axes in panels:
        axes.set_xticks([])
        axes.set_yticks([])
        axes.spines[:].set_visible(False)
    return figure, list(panels)


def label_points(
    axes: Axes, points: Array, words: Sequence[str], colours: Sequence[str], lines: Array | None = None
) -> int:
    """Label points of axes whose limits are final; return how many labels found no room and were left out."""
    figure = axes.figure.get_figure(root=True)
    assert figure is not None
    with warnings.catch_warnings():
        # A character that no font has is a box; `charts.save` tells which ones.
        warnings.filterwarnings("ignore", "Glyph")
        _fix_layout(figure)
        labels = [_label(axes, word, colour) for word, colour in zip(words, colours, strict=True)]
        extents = [label.get_window_extent() for label in labels]
    pixel = figure.dpi / 72.0
    margin = 2 * LABEL_MARGIN * pixel
    sizes = np.array([(extent.width + margin, extent.height + margin) for extent in extents]).reshape(-1, 2)
    anchors = axes.transData.transform(points)
    segments = None if lines is None else axes.transData.transform(lines.reshape(-1, 2)).reshape(-1, 4)
    frame = axes.get_window_extent()
    corners = place_labels(anchors, sizes, (frame.x0, frame.y0, frame.x1, frame.y1), segments)
    for label, point, anchor, corner, size in zip(labels, points, anchors, corners, sizes, strict=True):
        if np.isnan(corner[0]):
            label.remove()
            continue
        label.xy = (float(point[0]), float(point[1]))
        label.set_position(((corner + size / 2 - anchor) / pixel).tolist())
        _leader(axes, label, anchor, corner, size, pixel)
    return int(np.isnan(corners[:, 0]).sum())


def _fix_layout(figure: Figure) -> None:
    """Give titles, legend and panels their final places, and keep them there."""
    if figure.get_layout_engine() is not None:
        # One pass moves panels only part of the way where they are square.
        for _ in range(4):
            figure.draw_without_rendering()
        figure.set_layout_engine("none")


def darker(colour: str, share: float = 0.72) -> tuple[float, float, float]:
    """Darken a colour for text: some that are clear as a sign are too pale for small letters on white."""
    from matplotlib.colors import to_rgb

    red, green, blue = to_rgb(colour)
    return red * share, green * share, blue * share


def _label(axes: Axes, word: str, colour: str) -> Annotation:
    return axes.annotate(
        displayed(word, LONGEST_LABEL),
        xy=(0.0, 0.0),
        xytext=(0.0, 0.0),
        textcoords="offset points",
        ha="center",
        va="center",
        fontsize=LABEL_POINTS,
        color=darker(colour),
        annotation_clip=False,
        zorder=4,
        gid="label",
    )


def _leader(axes: Axes, label: Annotation, anchor: Array, corner: Array, size: Array, pixel: float) -> None:
    """Draw a thin line from a point to the nearest edge of a label that stands apart from it."""
    edge = np.clip(anchor, corner, corner + size)
    if np.hypot(*(edge - anchor)) < 8.0 * pixel:
        return
    ends = axes.transData.inverted().transform([anchor, edge])
    axes.plot(ends[:, 0], ends[:, 1], color=label.get_color(), linewidth=0.4, alpha=0.6, zorder=2)


def roomy_limits(axes: Axes, points: Array, share: float = 0.08) -> None:
    """Make axes a little wider than the points, so that labels have room around them."""
    low, high = points.min(axis=0), points.max(axis=0)
    room = np.maximum(high - low, 1e-6) * share
    axes.set_xlim(low[0] - room[0], high[0] + room[0])
    axes.set_ylim(low[1] - room[1], high[1] + room[1])
