"""A linear-chain conditional random field over the tags of sentences (Lafferty, McCallum and Pereira 2001).

    score(y) = start[y_1] + sum_t emission[t, y_t] + sum_t transition[y_{t-1}, y_t] + end[y_n]
    log p(y) = score(y) - log sum over all y' of exp score(y')

The sum is found by the forward algorithm, its gradient by the backward algorithm in the same compiled loop, and the
best y by Viterbi's. Transitions that the scheme of the tags forbids are so low that no sum and no best path has them.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from wordstill.kernels.chains import best_paths, path_loss

FORBIDDEN = -1e4


class Crf(nn.Module):
    """Scores of transitions between tags.

    allowed   a (tags + 1, tags + 1) table of what may follow what, the last row being the beginning of a sentence and
              the last column its end; None: everything may
    """

    def __init__(self, tags: int, allowed: torch.Tensor | None = None) -> None:
        super().__init__()
        if allowed is None:
            allowed = torch.ones(tags + 1, tags + 1, dtype=torch.bool)
        self.transitions = nn.Parameter(torch.zeros(tags + 1, tags + 1))
        self.register_buffer("penalty", torch.where(allowed, 0.0, FORBIDDEN))
        self.penalty: torch.Tensor

    def loss(self, emissions: torch.Tensor, tags: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        """Return the sum over sentences of -log p of their tags.

        emissions  (sentences, words, tags); what is behind the end of a sentence is not read
        """
        loss: torch.Tensor = _PathLoss.apply(emissions, self.transitions + self.penalty, tags, lengths)  # type: ignore[no-untyped-call]
        return loss

    def best(self, emissions: torch.Tensor, lengths: torch.Tensor) -> list[list[int]]:
        """Return the tags of the highest score of each sentence (Viterbi)."""
        moves = (self.transitions + self.penalty).detach()
        paths = best_paths(_doubles(emissions), lengths.numpy(), _doubles(moves)).tolist()
        return [path[:length] for path, length in zip(paths, lengths.tolist(), strict=True)]


class _PathLoss(torch.autograd.Function):
    """The loss as torch sees it: its gradient is found together with it."""

    @staticmethod
    def forward(
        ctx: Any, emissions: torch.Tensor, moves: torch.Tensor, tags: torch.Tensor, lengths: torch.Tensor
    ) -> torch.Tensor:
        loss, *gradients = path_loss(_doubles(emissions), tags.numpy(), lengths.numpy(), _doubles(moves))
        ctx.gradients = [torch.from_numpy(one).to(emissions.dtype) for one in gradients]
        return torch.tensor(loss, dtype=emissions.dtype)

    @staticmethod
    def backward(ctx: Any, *above: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        by_emissions, by_moves = ctx.gradients
        return above[0] * by_emissions, above[0] * by_moves, None, None


def _doubles(values: torch.Tensor) -> Any:
    return values.detach().double().contiguous().numpy()
