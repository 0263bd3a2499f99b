"""A linear-chain conditional random field over the tags of sentences (Lafferty, McCallum and Pereira 2001).

    score(y) = start[y_1] + sum_t emission[t, y_t] + sum_t transition[y_{t-1}, y_t] + end[y_n]
    log p(y) = score(y) - log sum over all y' of exp score(y')

The sum is found by the forward algorithm and the best y by Viterbi's. Transitions that the scheme of the tags forbids
are so low that no sum and no best path has them.
"""

from __future__ import annotations

import torch
from torch import nn

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
        return (self.log_partition(emissions, lengths) - self.score(emissions, tags, lengths)).sum()

    def score(self, emissions: torch.Tensor, tags: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        """Return the score of each sentence's tags."""
        scores = self.transitions + self.penalty
        inside = torch.arange(tags.shape[1]) < lengths[:, None]
        emitted = emissions.gather(2, tags[:, :, None]).squeeze(2).masked_fill(~inside, 0.0).sum(dim=1)
        moved = scores[tags[:, :-1], tags[:, 1:]].masked_fill(~inside[:, 1:], 0.0).sum(dim=1)
        last = tags.gather(1, lengths[:, None] - 1).squeeze(1)
        return scores[-1, tags[:, 0]] + emitted + moved + scores[last, -1]

    def log_partition(self, emissions: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        """Return the logarithm of the sum over all tags of each sentence (forward algorithm)."""
        scores = self.transitions + self.penalty
        # In place of a logsumexp over (sentences, tags, tags), a product of (sentences, tags) and (tags, tags): the
        # largest of each sentence is taken out first, so that nothing overflows.
        largest = scores[:-1, :-1].max().detach()
        moves = (scores[:-1, :-1] - largest).exp()
        sums = scores[-1, :-1] + emissions[:, 0]
        same_length = bool((lengths == emissions.shape[1]).all())
        for step in range(1, emissions.shape[1]):
            most = sums.max(dim=1, keepdim=True).values.detach()
            # A state that nothing leads to would be log 0.
            reached = ((sums - most).exp() @ moves).clamp_min(1e-30).log() + most + largest
            after = reached + emissions[:, step]
            sums = after if same_length else torch.where((step < lengths)[:, None], after, sums)
        return torch.logsumexp(sums + scores[:-1, -1], dim=1)

    def best(self, emissions: torch.Tensor, lengths: torch.Tensor) -> list[list[int]]:
        """Return the tags of the highest score of each sentence (Viterbi)."""
        scores = self.transitions + self.penalty
        sums = scores[-1, :-1] + emissions[:, 0]
        came_from = []
        for step in range(1, emissions.shape[1]):
            most, before = (sums[:, :, None] + scores[:-1, :-1]).max(dim=1)
            goes_on = (step < lengths)[:, None]
            # Behind the end of a sentence each state came from itself.
            came_from.append(torch.where(goes_on, before, torch.arange(sums.shape[1])))
            sums = torch.where(goes_on, most + emissions[:, step], sums)
        path = [(sums + scores[:-1, -1]).argmax(dim=1)]
        for before in reversed(came_from):
            path.append(before.gather(1, path[-1][:, None]).squeeze(1))
        states = torch.stack(path[::-1], dim=1).tolist()
        return [row[:length] for row, length in zip(states, lengths.tolist(), strict=True)]
