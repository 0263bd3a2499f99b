"""Both directions of an LSTM over padded sentences, stepped together (Hochreiter and Schmidhuber 1997).

    i, f, o = sigmoid of their gates;  g = tanh of its gate
    c_t = f c_{t-1} + i g;  h_t = o tanh(c_t)

It computes what torch's bidirectional LSTM does on packed sentences, with less work: the frozen vectors, which are most
of what it reads, get no gradient, one product per word serves both directions, and the steps are one compiled loop.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from wordstill.kernels.recurrence import read_back, read_sentences


class BiLstm(nn.Module):
    """A BiLSTM that reads two inputs for each word: its vector, and the features of its spelling.

    Gates stand in the order i, f, o, g, for each of the two directions; each direction has `half` states.
    """

    def __init__(self, vectors: int, features: int, half: int) -> None:
        super().__init__()
        self.states = half
        # As in torch, each gate has two biases.
        self.of_vectors, self.of_features = nn.Linear(vectors, 8 * half), nn.Linear(features, 8 * half)
        self.of_states = nn.Parameter(torch.empty(2, half, 4 * half))
        for one in self.parameters():
            nn.init.uniform_(one, -(half**-0.5), half**-0.5)

    def forward(self, vectors: torch.Tensor, features: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        """Return the states of both directions: (sentences, words, 2 half); zeros behind the end of a sentence."""
        gates = (self.of_vectors(vectors) + self.of_features(features)).unflatten(2, (2, 4 * self.states))
        states: torch.Tensor = _Recurrence.apply(gates, self.of_states, lengths)  # type: ignore[no-untyped-call]
        return states.flatten(2)


class _Recurrence(torch.autograd.Function):
    """The steps over the words, with their gradient written out.

    gates    (sentences, words, 2, 4 half): what the words add to the gates
    weights  (2, half, 4 half): what the states before add
    """

    @staticmethod
    def forward(ctx: Any, gates: torch.Tensor, weights: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        gates = gates.clone()
        cells, states = (gates.new_zeros(*gates.shape[:3], gates.shape[3] // 4) for _ in range(2))
        read_sentences(*(one.detach().numpy() for one in (gates, weights, lengths, cells, states)))
        ctx.save_for_backward(gates, weights, lengths, cells, states)
        return states

    @staticmethod
    def backward(ctx: Any, *above: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, None]:
        gates, weights, lengths, cells, states = ctx.saved_tensors
        by_gates, transposed = torch.zeros_like(gates), weights.transpose(1, 2).contiguous()
        read_back(*(one.numpy() for one in (gates, transposed, lengths, cells, above[0].contiguous(), by_gates)))
        # The states that each word was read after: those of the word before it, or behind it.
        before = torch.zeros_like(states)
        before[:, 1:, 0], before[:, :-1, 1] = states[:, :-1, 0], states[:, 1:, 1]
        before, slopes = (one.flatten(0, 1).transpose(0, 1) for one in (before, by_gates))
        return by_gates, torch.bmm(before.transpose(1, 2), slopes), None
