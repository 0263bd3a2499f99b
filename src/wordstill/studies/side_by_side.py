"""Runs that compute on one core each, side by side in processes of their own."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from functools import partial
from typing import TypeVar

from wordstill.system.progress import MessageHandler, Progress, TerminalDisplay, log, progress_is_shown, progress_shown
from wordstill.system.threads import use_threads
from wordstill.system.workers import Pool

Given = TypeVar("Given")
Result = TypeVar("Result")


def side_by_side(
    work: Callable[[Given], Result], given: Sequence[Given], workers: int, label: str, unit: str = "runs"
) -> list[Result]:
    """Return the results of the work on each of what is given, done by at most so many processes at a time.

    A worker's progress and messages are lines on standard error, where progress is shown at all. With one worker
    everything is done here. If the program is stopped, the workers are killed: work must be able to go on after that.
    """
    workers = min(workers, len(given))
    if workers < 2:
        return [work(one) for one in given]
    with Progress(label, len(given), unit=unit) as progress:
        pool = Pool(
            partial(_work, work, progress_is_shown(), log.level), workers, "works side by side", "give --threads 1"
        )
        try:
            results = []
            for future in [pool.submit(one) for one in given]:
                results.append(future.result())
                progress.advance(1)
        finally:
            pool.close()
    return results


def _work(work: Callable[[Given], Result], shown: bool, level: int, given: Given) -> Result:
    """Do the work in a worker process; its warnings are told even where no progress is shown."""
    use_threads(1)
    display = TerminalDisplay(sys.stderr, bars=False)
    handler = MessageHandler(display)
    log.addHandler(handler)
    log.setLevel(level if shown else max(level, logging.WARNING))
    try:
        with progress_shown(display) if shown else nullcontext():
            return work(given)
    finally:
        log.removeHandler(handler)
