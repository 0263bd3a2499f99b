"""Measured speed and memory, as ratios within one run: what `wordstill benchmark` prints.

Every part is a function of a `Subject` (corpus, teacher, words, repeats) that gives what JSON can hold.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from wordstill.errors import InputError

if TYPE_CHECKING:
    from wordstill.benchmarking.material import Subject


class Part(NamedTuple):
    """A part of the benchmark: where it is, what it measures, and whether it runs unless asked for."""

    module: str
    function: str
    what: str
    usual: bool = True


PARTS = {
    "run": Part("runs", "run_over_teacher", "the bare teacher over whole runs, by students and precisions"),
    "loop": Part("research_loop", "run_over_loop", "whole runs over a plain loop as research code has it"),
    "precisions": Part("runs", "precisions", "int8 and compiled bfloat16 over float32"),
    "scores": Part("scores", "scores", "what vectors distilled in each precision are worth"),
    "reading": Part("runs", "reading", "segmentation and tokenization over the whole"),
    "memory": Part("memory", "memory", "peak memory against words and vocabulary"),
    "loading": Part("loading", "for_subject", "opening and asking vectors, against gensim"),
    "others": Part("others", "others", "gensim's skip-gram and model2vec on the same text"),
    "rows": Part("rows", "row_updates", "row updates against torch's SparseAdam"),
    "memory-large": Part("memory", "memory_large", "750,000 x 768 with lazy Adam (7 GB)", usual=False),
}


def choose_parts(names: Sequence[str]) -> list[str]:
    """The parts named, or the usual ones."""
    for name in names:
        if name not in PARTS:
            raise InputError(f"the benchmark has no part {name!r}; there are: {', '.join(PARTS)}")
    return list(dict.fromkeys(names)) or [name for name, part in PARTS.items() if part.usual]


def benchmark(subject: Subject, names: Sequence[str] = ()) -> dict[str, Any]:
    """Run the parts named, or the usual ones, one after the other."""
    import time

    import torch

    from wordstill import __version__
    from wordstill.benchmarking.repeated import load
    from wordstill.system.machine import this_machine

    machine = this_machine()
    parts: dict[str, Any] = {}
    for name in choose_parts(names):
        subject.say(f"{name}: {PARTS[name].what}")
        before, began = load(), time.perf_counter()
        function = getattr(import_module(f"wordstill.benchmarking.{PARTS[name].module}"), PARTS[name].function)
        result = function(subject)
        parts[name] = {**result, "took_seconds": round(time.perf_counter() - began, 1), "load_before": before}
    return {
        "wordstill": __version__,
        "torch": torch.__version__,
        "processor": machine.processor,
        "cores": machine.cores,
        "threads": subject.threads or torch.get_num_threads(),
        "teacher": subject.teacher,
        "corpus": [path.name for path in subject.corpus],
        "words": subject.words,
        "repeats": subject.repeats,
        "parts": parts,
    }
