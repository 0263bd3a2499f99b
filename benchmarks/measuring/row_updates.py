"""Measure updates of the rows of a large table: our fused loops against torch's sparse gradients and SparseAdam."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from measuring.turns import figures, in_turns, ratio, timed
from measuring.workload import Workload
from wordstill.arrays import Array
from wordstill.kernels.rows import Step, adagrad_rows, adam_rows, group_by_row
from wordstill.system.progress import log
from wordstill.system.threads import use_threads

WORDS, WIDTH, ROWS = 200_000, 768, 8_192
NEGATIVES = 10
CONTEXTS = 128
RATE = 1e-3


class Asked(NamedTuple):
    """What a batch asks of the table."""

    contexts: Array
    owners: Array
    rows: Array


def row_updates(
    workload: Workload, words: int = WORDS, width: int = WIDTH, rows: int = ROWS, steps: int = 5
) -> dict[str, Any]:
    """Time a step that touches so many rows: scores, gradients, update; the same inputs on both sides."""
    import torch

    use_threads(workload.threads)
    start = np.random.default_rng(0).uniform(-1 / width, 1 / width, (words, width)).astype(np.float32)
    ours, theirs, adagrad = Ours(start), Torchs(start), Ours(start, adagrad=True)
    given = [made_step(number, words, width, rows) for number in range(steps)]
    for side in (ours, theirs, adagrad):  # compiled, and every page of the tables touched once
        side.take(given[0])
    log.info("row updates on %s x %d", f"{words:,}", width)
    seconds = in_turns(
        {
            name: lambda side=side: timed(lambda: [side.take(step) for step in given]) / steps  # type: ignore[misc]
            for name, side in (("sparse_adam", theirs), ("adam_rows", ours), ("adagrad_rows", adagrad))
        },
        workload.repeats,
    )
    return {
        "table": [words, width],
        "rows_a_step": rows,
        "threads": torch.get_num_threads(),
        "sparse_adam_over_adam_rows": ratio(seconds["sparse_adam"], seconds["adam_rows"]),
        "sparse_adam_over_adagrad_rows": ratio(seconds["sparse_adam"], seconds["adagrad_rows"]),
        "milliseconds": {name: figures([1000 * each for each in several]) for name, several in seconds.items()},
        "largest_difference": float(np.abs(ours.table - theirs.table.weight.detach().numpy()).max()),
    }


def made_step(seed: int, words: int, width: int, rows: int) -> Asked:
    """Make targets with ten negatives each, among 128 contexts."""
    random = np.random.default_rng(seed)
    targets = rows // (NEGATIVES + 1)
    return Asked(
        random.standard_normal((CONTEXTS, width), dtype=np.float32),
        np.sort(random.integers(0, CONTEXTS, targets)).astype(np.int32),
        random.integers(0, words, (targets, NEGATIVES + 1)).astype(np.int32),
    )


class Ours:
    """A table whose steps are one pass over the touched rows: scores, gradients, update."""

    def __init__(self, start: Array, *, adagrad: bool = False) -> None:
        self.table = start.copy()
        empty = np.zeros((0, start.shape[1]), dtype=np.float32)
        self.adagrad = adagrad
        self.first, self.second = (empty if adagrad else np.zeros_like(start) for _ in range(2))
        self.start, self.squares = empty, np.zeros(len(start), dtype=np.float32)
        self.slots = np.full(len(start), -1, dtype=np.int64)
        self.steps = 0

    def take(self, step: Asked) -> None:
        """Take one step."""
        self.steps += 1
        distinct, starts, places = group_by_row(step.rows, self.slots)
        rows = Step(distinct, starts, places, step.rows.shape[1], step.contexts, step.owners, 20.0, 0.0)
        if self.adagrad:
            pull = np.zeros(len(distinct), dtype=np.float32)
            adagrad_rows(self.table, self.squares, self.start, pull, rows, RATE)
        else:
            adam_rows(self.table, self.first, self.second, rows, RATE, self.steps, 1.0 / len(step.rows))


class Torchs:
    """The same table as an embedding with sparse gradients."""

    def __init__(self, start: Array) -> None:
        import torch

        embedding: Any = torch.nn.Embedding
        self.table = embedding.from_pretrained(torch.from_numpy(start.copy()), freeze=False, sparse=True)
        self.optimizer: Any = torch.optim.SparseAdam(self.table.parameters(), lr=RATE)

    def take(self, step: Asked) -> None:
        """Take one step."""
        import torch
        from torch.nn.functional import softplus

        contexts = torch.from_numpy(step.contexts)[torch.from_numpy(step.owners).long()]
        vectors = self.table(torch.from_numpy(step.rows).long())
        scores = (vectors * contexts[:, None, :]).sum(-1).clamp(-20.0, 20.0)
        loss: Any = (softplus(-scores[:, 0]) + softplus(scores[:, 1:]).sum(1)).mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
