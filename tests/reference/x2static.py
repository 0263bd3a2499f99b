"""x2static, written out from the paper's equations with torch and loops: slow, and plain to check by eye."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch


def context(word_vectors: torch.Tensor) -> torch.Tensor:
    """E(S) = 1/|S| sum over the words w of S of M(T, w)."""
    total = torch.zeros(word_vectors.shape[1], dtype=word_vectors.dtype)
    for vector in word_vectors:
        total = total + vector
    return total / len(word_vectors)


def loss(
    table: torch.Tensor,
    contexts: Sequence[torch.Tensor],
    targets: Sequence[int],
    negatives: Sequence[Sequence[int]],
    clamp: float,
    offset: float = 0.0,
) -> torch.Tensor:
    """sum over targets of l(u_w . E) + sum over negatives of l(-u_n . E), l(x) = log(1 + e^-x)."""
    total = torch.zeros((), dtype=table.dtype)
    for target, drawn, sentence in zip(targets, negatives, contexts, strict=True):
        score = torch.clamp(table[target] @ sentence + offset, -clamp, clamp)
        total = total + torch.log(1 + torch.exp(-score))
        for negative in drawn:
            score = torch.clamp(table[negative] @ sentence + offset, -clamp, clamp)
            total = total + torch.log(1 + torch.exp(score))
    return total


def lazy_adam(table: torch.Tensor, gradients: Sequence[torch.Tensor], rows: Sequence[set[int]], rate: float) -> Any:
    """torch's own SparseAdam over a sequence of gradients, of which only the rows named are not zero."""
    parameter = torch.nn.Parameter(table.clone())
    optimizer = torch.optim.SparseAdam([parameter], lr=rate)
    for gradient, touched in zip(gradients, rows, strict=True):
        index = torch.tensor(sorted(touched))
        parameter.grad = torch.sparse_coo_tensor(
            index[None], gradient[index], gradient.shape, check_invariants=True
        ).coalesce()
        optimizer.step()
    return parameter.detach()


def row_adagrad(table: torch.Tensor, gradients: Sequence[torch.Tensor], rate: float) -> Any:
    """One rate a row: rate / sqrt(sum over the steps of the mean square of the row's gradient)."""
    table = table.clone()
    squares = torch.zeros(len(table), dtype=table.dtype)
    for gradient in gradients:
        for row in range(len(table)):
            if gradient[row].abs().sum() > 0:
                squares[row] += (gradient[row] ** 2).mean()
                table[row] -= rate / squares[row].sqrt() * gradient[row]
    return table
