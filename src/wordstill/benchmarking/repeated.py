"""Figures that a busy machine does not spoil: two sides measured in turns, told as a ratio with its spread."""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

Side = Callable[[], float]


def timed(work: Callable[[], Any]) -> float:
    """The seconds that something takes."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def in_turns(sides: Mapping[str, Side], repeats: int) -> dict[str, list[float]]:
    """What each side measures, one turn after the other, so that whatever else goes on here meets all of them."""
    measured: dict[str, list[float]] = {name: [] for name in sides}
    for _ in range(repeats):
        for name, side in sides.items():
            measured[name].append(side())
    return measured


def ratio(above: Sequence[float], below: Sequence[float]) -> dict[str, Any]:
    """The median of the ratios of each turn, the least and the largest."""
    ratios = [a / b for a, b in zip(above, below, strict=True)]
    return {"ratio": figure(statistics.median(ratios)), "spread": [figure(min(ratios)), figure(max(ratios))]}


def figure(number: float) -> float:
    """Four digits that count: nobody measures more."""
    return float(f"{number:.4g}")


def figures(numbers: Sequence[float]) -> list[float]:
    """The same for several."""
    return [figure(number) for number in numbers]


def load() -> float | None:
    """How many processes wanted to run in the last minute: far above the cores nothing is worth much."""
    return figure(os.getloadavg()[0]) if hasattr(os, "getloadavg") else None
