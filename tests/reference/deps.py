"""Contexts of dependencies as strings, one arc at a time; and skip-gram with negative sampling, one pair at a time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from wordstill.arrays import Array


def contexts(words: Sequence[str], heads: Sequence[int], relations: Sequence[str]) -> list[tuple[str, str]]:
    """Return the pairs of a sentence: (word, "other/relation") from the head, (word, "other/relation-1") to it."""
    found = []
    for place, (head, relation) in enumerate(zip(heads, relations, strict=True)):
        name, has_object = (
            relation,
            any(
                heads[other] == place and relations[other] == "pobj" and heads[place] >= 0
                for other in range(len(words))
            ),
        )
        if head < 0 or relation in ("punct", "case") or has_object:
            continue
        if relation == "pobj" and heads[head] >= 0:
            name, head = f"{relations[head]}_{words[head]}", heads[head]
        else:
            cases = [other for other in range(len(words)) if heads[other] == place and relations[other] == "case"]
            if cases:
                name = f"{relation}_{words[cases[0]]}"
        found += [(words[head], f"{words[place]}/{name}"), (words[place], f"{words[head]}/{name}-1")]
    return found


def train(
    table: Array, context_table: Array, words: Sequence[int], targets: Array, first: float, last: float
) -> tuple[Array, Array, float]:
    """Return both tables after a step for each pair, and the loss."""
    table, context_table, loss = table.astype(np.float64), context_table.astype(np.float64), 0.0
    for number, (word, row) in enumerate(zip(words, targets, strict=True)):
        rate = first + (last - first) * number / len(words)
        before = table[word].copy()
        for place, context in enumerate(row):
            if place and context == row[0]:
                continue
            label = 1.0 if place == 0 else 0.0
            chance = 1.0 / (1.0 + np.exp(-before @ context_table[context]))
            loss -= np.log(chance if place == 0 else 1.0 - chance)
            step = rate * (label - chance)
            table[word] += step * context_table[context]
            context_table[context] = context_table[context] + step * before
    return table, context_table, loss
