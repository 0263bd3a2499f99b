"""The steps of a bidirectional LSTM over the words of sentences, compiled.

Arrays are float32, (sentences, words, directions, values). The first direction reads a sentence from its first word
on, the second from its last. What is behind the end of a sentence is not read and not written. Gates stand in the order
i, f, o, g.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from wordstill.arrays import Array

# Sums may be reordered into vector instructions, in the same way at each call.
FAST = {"reassoc", "contract"}
ONE, HALF = np.float32(1.0), np.float32(0.5)
# tanh(x) = x P(x^2) / Q(x^2) within a few units of the last place of float32, the fit that Eigen has; beyond EDGE it is
# 1. Unlike the function of the C library, it becomes vector instructions.
EDGE = np.float32(7.90531110763549805)
P0, P1, P2 = np.float32(4.89352455891786e-03), np.float32(6.37261928875436e-04), np.float32(1.48572235717979e-05)
P3, P4, P5 = np.float32(5.12229709037114e-08), np.float32(-8.60467152213735e-11), np.float32(2.00018790482477e-13)
P6 = np.float32(-2.76076847742355e-16)
Q0, Q1 = np.float32(4.89352518554385e-03), np.float32(2.26843463243900e-03)
Q2, Q3 = np.float32(1.18534705686654e-04), np.float32(1.19825839466702e-06)


@njit(cache=True, nogil=True, fastmath=FAST)
def squash(values: Array) -> None:
    """Replace values by their tanh."""
    for c in range(len(values)):
        x = min(max(values[c], -EDGE), EDGE)
        y = x * x
        above = P0 + y * (P1 + y * (P2 + y * (P3 + y * (P4 + y * (P5 + y * P6)))))
        values[c] = x * above / (Q0 + y * (Q1 + y * (Q2 + y * Q3)))


@njit(cache=True, nogil=True, fastmath=FAST)
def add_product(left: Array, right: Array, total: Array) -> None:
    """Add left @ right to the total: four rows of `right` at a time, which stay in the nearest cache."""
    inner = len(right)
    for k in range(0, inner - 3, 4):
        first, second, third, fourth = right[k], right[k + 1], right[k + 2], right[k + 3]
        for r in range(len(left)):
            a, b, c, d = left[r, k], left[r, k + 1], left[r, k + 2], left[r, k + 3]
            row = total[r]
            for j in range(len(row)):
                row[j] += a * first[j] + b * second[j] + c * third[j] + d * fourth[j]
    for k in range(inner - inner % 4, inner):
        for r in range(len(left)):
            for j in range(right.shape[1]):
                total[r, j] += left[r, k] * right[k, j]


@njit(cache=True, nogil=True, fastmath=FAST)
def read_sentences(gates: Array, weights: Array, lengths: Array, cells: Array, states: Array) -> None:
    """Turn what the words add to the gates into the gates, in place, and fill in cells and states.

    i, f, o = sigmoid, g = tanh of their sums;  c_t = f c_{t-1} + i g;  h_t = o tanh(c_t)
    """
    sentences, words, directions, width = gates.shape
    half = width // 4
    for d in range(directions):
        last_states, last_cells = np.zeros((2, sentences, half), dtype=gates.dtype)
        sums = np.empty((sentences, width), dtype=gates.dtype)
        for step in range(words):
            sums[:] = np.float32(0.0)
            if step:
                add_product(last_states, weights[d], sums)
            for s in range(sentences):
                if step < lengths[s]:
                    word = step if d == 0 else lengths[s] - 1 - step
                    gate, cell, state = gates[s, word, d], last_cells[s], last_states[s]
                    _open_gates(gate, sums[s])
                    for c in range(half):
                        cell[c] = gate[half + c] * cell[c] + gate[c] * gate[3 * half + c]
                    state[:] = cell
                    squash(state)
                    for c in range(half):
                        state[c] *= gate[2 * half + c]
                    cells[s, word, d], states[s, word, d] = cell, state


@njit(cache=True, nogil=True, fastmath=FAST)
def _open_gates(gate: Array, sums: Array) -> None:
    """Add the sums to one word's gates and apply sigmoid(x) = (1 + tanh(x / 2)) / 2, or tanh for the last quarter."""
    smooth = 3 * (len(gate) // 4)
    for c in range(smooth):
        gate[c] = HALF * (gate[c] + sums[c])
    for c in range(smooth, len(gate)):
        gate[c] += sums[c]
    squash(gate)
    for c in range(smooth):
        gate[c] = HALF + HALF * gate[c]


@njit(cache=True, nogil=True, fastmath=FAST)
def read_back(gates: Array, weights: Array, lengths: Array, cells: Array, by_states: Array, by_gates: Array) -> None:
    """Fill in the gradient by the sums of the gates, from that by the states; `weights` are transposed here."""
    sentences, words, directions, width = gates.shape
    half = width // 4
    nothing, squashed = np.zeros(half, dtype=gates.dtype), np.empty(half, dtype=gates.dtype)
    for d in range(directions):
        later_states = np.zeros((sentences, half), dtype=gates.dtype)
        later_cells = np.zeros((sentences, half), dtype=gates.dtype)
        slopes = np.zeros((sentences, width), dtype=gates.dtype)
        for step in range(words - 1, -1, -1):
            for s in range(sentences):
                if step < lengths[s]:
                    word = step if d == 0 else lengths[s] - 1 - step
                    earlier = word - 1 if d == 0 else word + 1
                    before = cells[s, earlier, d] if step else nothing
                    squashed[:] = cells[s, word, d]
                    squash(squashed)
                    _slopes(
                        gates[s, word, d],
                        before,
                        squashed,
                        by_states[s, word, d],
                        later_states[s],
                        later_cells[s],
                        slopes[s],
                    )
                    by_gates[s, word, d] = slopes[s]
            later_states[:] = np.float32(0.0)
            add_product(slopes, weights[d], later_states)


@njit(cache=True, nogil=True, fastmath=FAST)
def _slopes(
    gate: Array, before: Array, squashed: Array, above: Array, by_state: Array, by_cell: Array, slopes: Array
) -> None:
    """Fill in the gradient by the sums of one word's gates; `by_cell` becomes that by the cell before it."""
    half = len(before)
    i, f, o, g = gate[:half], gate[half : 2 * half], gate[2 * half : 3 * half], gate[3 * half :]
    # One loop per array that is written: more in one would not become vector instructions.
    for c in range(half):
        by_state[c] += above[c]
    for c in range(half):
        by_cell[c] += by_state[c] * o[c] * (ONE - squashed[c] * squashed[c])
    for c in range(half):
        slopes[c] = by_cell[c] * g[c] * i[c] * (ONE - i[c])
    for c in range(half):
        slopes[half + c] = by_cell[c] * before[c] * f[c] * (ONE - f[c])
    for c in range(half):
        slopes[2 * half + c] = by_state[c] * squashed[c] * o[c] * (ONE - o[c])
    for c in range(half):
        slopes[3 * half + c] = by_cell[c] * i[c] * (ONE - g[c] * g[c])
    for c in range(half):
        by_cell[c] *= f[c]
