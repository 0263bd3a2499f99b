"""The contexts of context2vec and of SynGCN, one place and one word at a time, in numpy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from wordstill.arrays import Array


def sigmoid(values: Array) -> Array:
    """Return 1 / (1 + exp(-x))."""
    return 1.0 / (1.0 + np.exp(-values))


def last_state(given: Sequence[Array], weights: Mapping[str, Array], name: str) -> Array:
    """Return what an LSTM gives after it has read everything: gates i, f, g, o."""
    hidden = weights[f"{name}.weight_hh_l0"].shape[1]
    state, cells = np.zeros(hidden), np.zeros(hidden)
    for value in given:
        gates = weights[f"{name}.weight_ih_l0"] @ value + weights[f"{name}.bias_ih_l0"]
        gates = gates + weights[f"{name}.weight_hh_l0"] @ state + weights[f"{name}.bias_hh_l0"]
        i, f, g, o = np.split(gates, 4)
        cells = sigmoid(f) * cells + sigmoid(i) * np.tanh(g)
        state = sigmoid(o) * np.tanh(cells)
    return state


def lstm_context(words: Sequence[Array], place: int, weights: Mapping[str, Array]) -> Array:
    """Return the context of one place of a sentence, read anew from both its ends."""
    left = last_state([weights["begin"], *words[:place]], weights, "left")
    right = last_state([weights["end"], *reversed(words[place + 1 :])], weights, "right")
    middle = np.maximum(weights["first.weight"] @ np.concatenate([left, right]) + weights["first.bias"], 0)
    return weights["second.weight"] @ middle + weights["second.bias"]


def graph_context(
    words: Sequence[Array], heads: Sequence[int], relations: Sequence[int], place: int, weights: Mapping[str, Array]
) -> Array:
    """Return the context of one place of a sentence: its head with kind 2r, what hangs from it with 2r + 1."""
    context = np.zeros(weights["biases"].shape[1])
    for other in range(len(words)):
        if heads[place] == other:
            kind = 2 * relations[place]
        elif heads[other] == place:
            kind = 2 * relations[other] + 1
        else:
            continue
        gate = sigmoid(weights["gates"][kind] @ words[other] + weights["gate_biases"][kind])
        context = context + gate * (words[other] @ weights["weights"][kind] + weights["biases"][kind])
    return context
