"""ELMo in plain numpy, from the published layout: one word, one character, one step at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from wordstill.arrays import Array


def sigmoid(values: Array) -> Array:
    """Return 1 / (1 + exp(-x))."""
    return 1.0 / (1.0 + np.exp(-values))


def characters(word: str | int, longest: int) -> list[int]:
    """Return a word's bytes between the marks 258 and 259, filled up with 260; 256 and 257 are words of their own."""
    inside = [word] if isinstance(word, int) else list(word.encode("utf-8"))[: longest - 2]
    row = [258, *inside, 259]
    return row + [260] * (longest - len(row))


def word_vector(word: str | int, options: Mapping[str, Any], weights: Mapping[str, Array]) -> Array:
    """Return the vector of one word by itself."""
    cnn = options["char_cnn"]
    letters = [
        weights["char_embed"][one].astype(np.float64) for one in characters(word, cnn["max_characters_per_token"])
    ]
    found = []
    for number, (width, filters) in enumerate(cnn["filters"]):
        kernel, bias = weights[f"CNN/W_cnn_{number}"][0], weights[f"CNN/b_cnn_{number}"]
        for one in range(filters):
            values = []
            for place in range(len(letters) - width + 1):
                total = float(bias[one])
                for step in range(width):
                    total += float(letters[place + step] @ kernel[step, :, one])
                values.append(total)
            found.append(max(values))
    vector = np.array(found)
    vector = np.maximum(vector, 0) if cnn["activation"] == "relu" else np.tanh(vector)
    for number in range(cnn["n_highway"]):
        part = {
            name: weights[f"CNN_high_{number}/{name}"] for name in ("W_carry", "b_carry", "W_transform", "b_transform")
        }
        carry = sigmoid(vector @ part["W_carry"] + part["b_carry"])
        transformed = np.maximum(vector @ part["W_transform"] + part["b_transform"], 0)
        vector = carry * transformed + (1 - carry) * vector
    if "CNN_proj/W_proj" in weights:
        vector = vector @ weights["CNN_proj/W_proj"] + weights["CNN_proj/b_proj"]
    return vector


def lstm(given: Sequence[Array], lstm: Mapping[str, Any], weights: Mapping[str, Array], before: str) -> list[Array]:
    """Return what one LSTM gives at each step: gates i, j, f, o, a 1 added to f, cells and output clipped."""
    state, cells = np.zeros(lstm["projection_dim"]), np.zeros(lstm["dim"])
    found = []
    for value in given:
        gates = np.concatenate([value, state]) @ weights[f"{before}/W_0"] + weights[f"{before}/B"]
        i, j, f, o = np.split(gates, 4)
        cells = sigmoid(f + 1.0) * cells + sigmoid(i) * np.tanh(j)
        if lstm["cell_clip"]:
            cells = np.clip(cells, -lstm["cell_clip"], lstm["cell_clip"])
        state = (sigmoid(o) * np.tanh(cells)) @ weights[f"{before}/W_P_0"]
        if lstm["proj_clip"]:
            state = np.clip(state, -lstm["proj_clip"], lstm["proj_clip"])
        found.append(state)
    return found


def elmo(words: Sequence[str], options: Mapping[str, Any], weights: Mapping[str, Array]) -> list[Array]:
    """Return the vectors of a sentence's words at each layer: a list of matrices."""
    given = [word_vector(word, options, weights) for word in (256, *words, 257)]
    layers = [np.array([np.concatenate([vector, vector]) for vector in given])]
    ahead, back = list(given), list(reversed(given))
    for number in range(options["lstm"]["n_layers"]):
        made = []
        for direction, inputs in enumerate((ahead, back)):
            before = f"RNN_{direction}/RNN/MultiRNNCell/Cell{number}/LSTMCell"
            outputs = lstm(inputs, options["lstm"], weights, before)
            if number > 0 and options["lstm"]["use_skip_connections"]:
                outputs = [one + other for one, other in zip(outputs, inputs, strict=True)]
            made.append(outputs)
        ahead, back = made
        layers.append(np.array([np.concatenate(pair) for pair in zip(ahead, reversed(back), strict=True)]))
    return [layer[1:-1] for layer in layers]
