"""Figures that a busy machine does not spoil: two sides measured in turns, told as a ratio with its spread."""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

Side = Callable[[], float]


def timed(work: Callable[[], Any]) -> float:
    """Return the seconds that something takes."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def in_turns(sides: Mapping[str, Side], repeats: int) -> dict[str, list[float]]:
    """Measure the sides one after the other, again and again: whatever else runs on the machine meets all of them."""
    measured: dict[str, list[float]] = {name: [] for name in sides}
    for _ in range(repeats):
        for name, side in sides.items():
            measured[name].append(side())
    return measured


def ratio(above: Sequence[float], below: Sequence[float]) -> dict[str, Any]:
    """Return the median of the ratios of each turn, with the least and the largest of them."""
    ratios = [a / b for a, b in zip(above, below, strict=True)]
    return {"ratio": figure(statistics.median(ratios)), "spread": [figure(min(ratios)), figure(max(ratios))]}


def figure(number: float) -> float:
    """Round to four digits: nobody measures more."""
    return float(f"{number:.4g}")


def figures(numbers: Sequence[float]) -> list[float]:
    """Round several numbers to four digits."""
    return [figure(number) for number in numbers]


def load_average() -> float | None:
    """Return how many processes wanted to run in the last minute: far above the cores no figure is worth much."""
    return figure(os.getloadavg()[0]) if hasattr(os, "getloadavg") else None
