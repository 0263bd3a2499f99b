"""Charts as matplotlib figures: lines, bars, heat maps; in colours that everyone can tell apart, and in grey.

    from wordstill.explore.charts import Series, line_chart, save
    save(line_chart([1, 2, 5], [Series("aggregate", [60.1, 62.0, 63.5])], x_label="window"), "chart.png")

Figures are made without pyplot: there is no global state, no window, and no display is needed.
"""

from __future__ import annotations

import importlib.util
import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec

import numpy as np

from wordstill.arrays import Array
from wordstill.errors import InputError
from wordstill.io.files import check_replaceable, only_marked, replacing

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Okabe and Ito's colours, which differ for colour-blind readers too; the yellow is too pale for lines on white.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
HATCHES = ("", "///", "...", "\\\\\\", "xxx", "---", "+++")
DPI = 300
WIDTH, HEIGHT = 6.0, 3.8  # inches

# Fonts that are tried, where they are installed, for characters that the first one lacks.
_FONTS = ("DejaVu Sans", "Noto Sans", "Noto Sans CJK JP", "Noto Sans CJK SC", "Hiragino Sans", "Microsoft YaHei",
          "Noto Sans Arabic", "Noto Sans Hebrew", "Noto Sans Devanagari", "Segoe UI", "Arial Unicode MS")  # fmt: skip

# What `save` writes into a picture, and how it is found there: by it wordstill knows its own pictures.
_MARKS = {"png": {"Software": "wordstill"}, "svg": {"Creator": "wordstill", "Date": None}}
ONLY_PICTURES = only_marked(
    rb"(?s)\A\x89PNG.*tEXtSoftware\0wordstill|<dc:creator>\s*<cc:Agent>\s*<dc:title>wordstill</dc:title>"
)

Parameters = ParamSpec("Parameters")


@dataclass(frozen=True)
class Series:
    """One line, or one bar of every group; `low` and `high` are the ends of an interval. NaN: nothing there."""

    name: str
    values: Sequence[float]
    low: Sequence[float] | None = None
    high: Sequence[float] | None = None


def check_picture(path: str | Path) -> str:
    """Return the kind of a picture by its name; refuse, before hours of work, what cannot be drawn or replaced.

    A picture that is there is replaced only where it has wordstill's mark.
    """
    need_matplotlib()
    kind = Path(path).suffix.lower().lstrip(".")
    if kind not in ("png", "svg"):
        raise InputError(f"{path} is neither .png nor .svg; name the picture with one of these endings")
    check_replaceable(Path(path), ONLY_PICTURES)
    return kind


def need_matplotlib() -> None:
    """Refuse where nothing can be drawn."""
    if importlib.util.find_spec("matplotlib") is None:
        raise InputError("drawing needs matplotlib: pip install 'wordstill[plot]'")


@contextmanager
def style() -> Iterator[None]:
    """Set the look of all charts. A dollar sign in a word is a dollar sign, not mathematics."""
    need_matplotlib()
    import matplotlib as mpl
    from matplotlib import font_manager

    installed = set(font_manager.get_font_names())
    look: Any = {
        "font.family": [name for name in _FONTS if name in installed],
        "font.size": 9,
        "axes.titlesize": 10,
        "axes.titlelocation": "left",
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.axisbelow": True,
        "axes.grid": False,
        "grid.color": "#DDDDDD",
        "grid.linewidth": 0.6,
        "legend.frameon": False,
        "text.parse_math": False,
        "svg.fonttype": "none",
        "svg.hashsalt": "wordstill",
    }
    with mpl.rc_context(look):
        yield


def _styled(draw: Callable[Parameters, Figure]) -> Callable[Parameters, Figure]:
    @wraps(draw)
    def styled(*arguments: Parameters.args, **options: Parameters.kwargs) -> Figure:
        with style():
            return draw(*arguments, **options)

    return styled


def bare_figure(width: float, height: float) -> Figure:
    """Make a figure without axes, in inches; call it within `style()`."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), dpi=DPI, layout="constrained")
    FigureCanvasAgg(figure)
    return figure


@_styled
def line_chart(
    x: Sequence[float],
    series: Sequence[Series],
    *,
    title: str = "",
    x_label: str = "",
    y_label: str = "",
    log_x: bool = False,
    tick_labels: Sequence[str] | None = None,
) -> Figure:
    """Draw a line per series over `x`, its intervals as whiskers, its name beside its last point.

    Every point of `x` has a tick (`tick_labels`: its text); `log_x` spaces them by their ratios.
    """
    figure = bare_figure(WIDTH, HEIGHT)
    axes = figure.add_subplot()
    ends = []
    at = np.asarray(x, dtype=float)
    for number, one in enumerate(series):
        colour, marker = COLOURS[number % len(COLOURS)], MARKERS[number % len(MARKERS)]
        dash = "-" if number < len(COLOURS) else "--"
        # Side by side by a hair, or whiskers would hide each other.
        share = 0.008 * (number - (len(series) - 1) / 2)
        aside = at * (at[-1] / at[0]) ** share if log_x else at + share * (at[-1] - at[0])
        axes.errorbar(
            aside,
            np.asarray(one.values, dtype=float),
            yerr=_whiskers(one),
            color=colour,
            marker=marker,
            linestyle=dash,
            linewidth=1.5,
            markersize=5,
            elinewidth=0.8,
            capsize=2,
        )
        known = [value for value in one.values if np.isfinite(value)]
        if known:
            ends.append((known[-1], one.name, colour))
    if log_x:
        axes.set_xscale("log")
    axes.set_xticks(list(x), list(tick_labels) if tick_labels is not None else [f"{value:,.15g}" for value in x])
    axes.minorticks_off()
    axes.grid(axis="y")
    _label_ends(axes, ends)
    axes.set(title=title, xlabel=x_label, ylabel=y_label)
    return figure


def _whiskers(series: Series) -> Array | None:
    """Return how far an interval reaches below and above the values."""
    if series.low is None or series.high is None:
        return None
    values, low, high = (np.asarray(part, dtype=float) for part in (series.values, series.low, series.high))
    ends: Array = np.maximum(np.stack([values - low, high - values]), 0.0)
    return ends


def _label_ends(axes: Axes, ends: Sequence[tuple[float, str, str]]) -> None:
    """Write each line's name to the right of its end, moved up or down until no two overlap."""
    low, high = axes.get_ylim()
    gap = 0.055 * (high - low)
    places = spaced_apart([value for value, _, _ in ends], gap)
    for (value, name, colour), place in zip(ends, places, strict=True):
        axes.annotate(
            name,
            xy=(1.0, value),
            xytext=(1.02, place),
            xycoords=axes.get_yaxis_transform(),
            textcoords=axes.get_yaxis_transform(),
            color=colour,
            va="center",
            annotation_clip=False,
        )


def spaced_apart(values: Sequence[float], gap: float) -> list[float]:
    """Move values as little as a few rounds can until each is at least `gap` away from the next."""
    order = np.argsort(values, kind="stable")
    placed = np.asarray(values, dtype=float)[order]
    for _ in range(100):
        short = gap - np.diff(placed)
        if not (short > gap * 1e-3).any():
            break
        moved = np.maximum(short, 0.0) / 2
        placed[:-1] -= moved
        placed[1:] += moved
    result = np.empty(len(placed))
    result[order] = placed
    return list(result.tolist())


@_styled
def bar_chart(
    groups: Sequence[str],
    series: Sequence[Series],
    *,
    title: str = "",
    x_label: str = "",
    y_label: str = "",
) -> Figure:
    """Draw groups of bars side by side, a bar per series, with intervals as whiskers and values on top."""
    inches = min(14.0, max(WIDTH, 0.6 + 0.22 * len(groups) * (len(series) + 1)))
    figure = bare_figure(inches, HEIGHT)
    axes = figure.add_subplot()
    places = np.arange(len(groups))
    width = 0.8 / max(1, len(series))
    for number, one in enumerate(series):
        values = np.asarray(one.values, dtype=float)
        at = places + (number - (len(series) - 1) / 2) * width
        colour, hatch = COLOURS[number % len(COLOURS)], HATCHES[number % len(HATCHES)]
        axes.bar(at, values, width * 0.94, label=one.name, color=colour, hatch=hatch, edgecolor="white", linewidth=0)
        tops = values
        ends = _whiskers(one)
        if ends is not None:
            axes.errorbar(at, values, yerr=ends, fmt="none", ecolor="#333333", elinewidth=0.8, capsize=1.5)
            tops = values + np.nan_to_num(ends[1])
        for place, value, top in zip(at, values, tops, strict=True):
            if np.isfinite(value):
                above = max(top, 0.0)
                axes.annotate(f"{value:.0f}", (place, above), (0, 1.5), textcoords="offset points", ha="center",
                              va="bottom", fontsize=6)  # fmt: skip
    crowded = max((len(name) for name in groups), default=0) * len(groups) > 11 * inches
    axes.set_xticks(places, groups, rotation=30 if crowded else 0, ha="right" if crowded else "center")
    axes.tick_params(axis="x", length=0)
    axes.axhline(0.0, color="#333333", linewidth=0.8)
    axes.grid(axis="y")
    if len(series) > 1:
        # As many columns as fit, at a twelfth of an inch a letter and half an inch for the sample.
        widest = 0.6 + max(len(one.name) for one in series) / 12
        figure.legend(loc="outside lower center", ncols=max(1, min(len(series), int(inches / widest))))
    axes.set(title=title, xlabel=x_label, ylabel=y_label)
    return figure


@_styled
def heat_map(
    rows: Sequence[str],
    columns: Sequence[str],
    values: Array,
    *,
    title: str = "",
    x_label: str = "",
    y_label: str = "",
    value_label: str = "",
    limits: tuple[float, float] | None = None,
) -> Figure:
    """Draw a matrix as shades, darker for more, NaN left white; with the numbers in the cells unless there are many."""
    shades = np.ma.masked_invalid(np.asarray(values, dtype=float))
    cell = 0.5
    figure = bare_figure(min(14.0, max(4.0, 2.2 + cell * len(columns))), min(14.0, max(2.6, 1.4 + cell * len(rows))))
    axes = figure.add_subplot()
    low, high = limits or (None, None)
    image = axes.imshow(shades, cmap="Blues", vmin=low, vmax=high, aspect="equal")
    lowest, highest = image.get_clim()
    dark = lowest + 0.55 * (highest - lowest)
    axes.set_xticks(range(len(columns)), columns, rotation=45, ha="right", rotation_mode="anchor")
    axes.set_yticks(range(len(rows)), rows)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    if len(rows) * len(columns) <= 400:
        for (i, j), value in np.ndenumerate(np.asarray(values, dtype=float)):
            if np.isfinite(value):
                axes.text(j, i, f"{value:.2f}", ha="center", va="center", fontsize=6.5,
                          color="white" if value > dark else "black")  # fmt: skip
    figure.colorbar(image, ax=axes, label=value_label, shrink=0.8)
    axes.set(title=title, xlabel=x_label, ylabel=y_label)
    return figure


def save(figure: Figure, path: str | Path) -> str:
    """Write a figure as PNG or SVG, by the ending of its name; equal figures give equal bytes.

    Returns the characters that no font of this machine has (they are drawn as boxes), "" if all are there.
    """
    kind = check_picture(path)
    with (
        style(),
        replacing(Path(path), ours=ONLY_PICTURES) as temporary,
        warnings.catch_warnings(record=True) as caught,
    ):
        warnings.simplefilter("always")
        figure.savefig(temporary, format=kind, dpi=DPI, metadata=_MARKS[kind])
    missing = []
    for warning in caught:
        found = re.match(r"Glyph (\d+) ", str(warning.message))
        if found:
            missing.append(chr(int(found[1])))
        else:
            warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)
    return "".join(dict.fromkeys(missing))
