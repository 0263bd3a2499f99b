"""The parts of the benchmark. Each is a function that takes a `Workload` and returns what JSON can hold."""

from __future__ import annotations

import time
from collections.abc import Sequence
from importlib import import_module
from typing import Any, NamedTuple

from measuring.turns import load_average
from measuring.workload import Workload
from wordstill import __version__
from wordstill.errors import InputError
from wordstill.system.machine import this_machine
from wordstill.system.progress import log


class Part(NamedTuple):
    """A part of the benchmark: where it is, what it measures, and whether it runs unless asked for."""

    module: str
    function: str
    what: str
    usual: bool = True


PARTS = {
    "run": Part("whole_runs", "run_over_teacher", "the bare teacher over whole runs, by students and precisions"),
    "loop": Part("research_loop", "run_over_loop", "whole runs over a plain loop as research code has it"),
    "precisions": Part("precisions", "precisions", "int8 and compiled bfloat16 over float32"),
    "scores": Part("scores", "scores", "what vectors distilled in each precision are worth"),
    "reading": Part("reading", "reading_over_run", "segmentation and tokenization over the whole"),
    "memory": Part("memory", "memory", "peak memory against words and vocabulary"),
    "loading": Part("opening", "opening_vectors", "opening and asking vectors, against gensim"),
    "others": Part("other_tools", "other_tools", "gensim's skip-gram and model2vec on the same text"),
    "rows": Part("row_updates", "row_updates", "row updates against torch's SparseAdam"),
    "memory-large": Part("memory", "memory_large", "750,000 x 768 with lazy Adam (7 GB)", usual=False),
}


def choose_parts(names: Sequence[str]) -> list[str]:
    """Return the parts named, each once; the usual ones if none is named."""
    for name in names:
        if name not in PARTS:
            raise InputError(f"the benchmark has no part {name!r}; there are: {', '.join(PARTS)}")
    return list(dict.fromkeys(names)) or [name for name, part in PARTS.items() if part.usual]


def measure(workload: Workload, names: Sequence[str] = ()) -> dict[str, Any]:
    """Run the parts named, or the usual ones, one after the other."""
    import torch

    machine = this_machine()
    parts: dict[str, Any] = {}
    for name in choose_parts(names):
        log.info("%s: %s", name, PARTS[name].what)
        before, began = load_average(), time.perf_counter()
        function = getattr(import_module(f"measuring.{PARTS[name].module}"), PARTS[name].function)
        result = function(workload)
        parts[name] = {**result, "took_seconds": round(time.perf_counter() - began, 1), "load_before": before}
    return {
        "wordstill": __version__,
        "torch": torch.__version__,
        "processor": machine.processor,
        "cores": machine.cores,
        "threads": workload.threads or torch.get_num_threads(),
        "teacher": workload.teacher,
        "corpus": [path.name for path in workload.paths],
        "words": workload.words,
        "repeats": workload.repeats,
        "parts": parts,
    }
