"""The two skip-gram methods, written out from the papers' equations with torch and loops over words."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from reference.windows import window_of

Sentence = tuple[torch.Tensor, Sequence[int]]


def sigmoid_loss(score: torch.Tensor) -> torch.Tensor:
    """-log sig(score)."""
    return -torch.log(torch.sigmoid(score))


def attention_weights(
    table: torch.Tensor, centre: torch.Tensor, around: Sequence[int], attention: bool = True
) -> list[torch.Tensor]:
    """Equation 13 of Wang et al.: softmax of the dot products, or all the same."""
    if not attention:
        return [torch.tensor(1.0 / len(around), dtype=table.dtype) for _ in around]
    exponentials = [torch.exp(table[word] @ centre) for word in around]
    return [one / sum(exponentials) for one in exponentials]


def dynamic_skipgram(
    table: torch.Tensor,
    map_: torch.Tensor,
    sentences: Sequence[Sentence],
    negatives: Sequence[Sequence[int]],
    window: int,
    attention: bool = True,
    offset: float = 0.0,
) -> torch.Tensor:
    """Equations 10 to 15 of Wang et al.; `negatives` has one list a centre that has anyone in its window."""
    drawn = iter(negatives)
    total = torch.zeros((), dtype=table.dtype)
    for vectors, words in sentences:
        for i in range(len(words)):
            around = [words[k] for k in window_of(len(words), i, window) if words[k] >= 0]
            if not around:
                continue
            centre = map_ @ vectors[i]
            weights = attention_weights(table, centre, around, attention)
            context = sum(weight * table[word] for weight, word in zip(weights, around, strict=True))
            total = total + sigmoid_loss(context @ centre + offset)
            for word in next(drawn):
                total = total + sigmoid_loss(-(table[word] @ centre + offset))
    assert next(drawn, None) is None
    return total


def each_word_by_itself(
    table: torch.Tensor,
    map_: torch.Tensor,
    sentences: Sequence[Sentence],
    negatives: Sequence[Sequence[int]],
    window: int,
    offset: float = 0.0,
) -> list[torch.Tensor]:
    """Equation 11 of Wang et al. with negatives, one loss a centre: each word of the window is predicted by itself."""
    drawn = iter(negatives)
    losses = []
    for vectors, words in sentences:
        for i in range(len(words)):
            around = [words[k] for k in window_of(len(words), i, window) if words[k] >= 0]
            if not around:
                continue
            centre = map_ @ vectors[i]
            loss = torch.zeros((), dtype=table.dtype)
            for word in around:
                loss = loss + sigmoid_loss(table[word] @ centre + offset)
            for word in next(drawn):
                loss = loss + sigmoid_loss(-(table[word] @ centre + offset))
            losses.append(loss)
    assert next(drawn, None) is None
    return losses


def context_to_vec(
    table: torch.Tensor,
    maps: Sequence[torch.Tensor],
    sentences: Sequence[Sentence],
    negatives: Sequence[Sequence[int]],
    window: int,
    shares: tuple[float, float] = (0.5, 0.5),
    weights: tuple[float, float, float] = (1.0, 1.0, 1.0),
    phi: str = "identity",
    offset: float = 0.0,
) -> torch.Tensor:
    """Equations 1 and 4 to 8 of Zheng et al., (7) with the signs that bound it from below."""
    bend = {"identity": lambda x: x, "tanh": torch.tanh, "relu": torch.relu}[phi]
    drawn = iter(negatives)
    total = torch.zeros((), dtype=table.dtype)
    for vectors, words in sentences:
        for i in range(len(words)):
            around = window_of(len(words), i, window)
            known = [words[k] for k in around if words[k] >= 0]
            if not known:
                continue
            centre = maps[0] @ vectors[i]
            mean = sum(vectors[k] for k in around) / len(around)
            contextual = shares[0] * (maps[1] @ vectors[i]) + shares[1] * (maps[2] @ bend(mean))
            summed = sum(table[word] / table[word].norm() for word in known)
            total = total + weights[0] * sigmoid_loss(summed @ (centre / centre.norm()) + offset)
            total = total + weights[1] * sigmoid_loss(contextual @ centre)
            for word in next(drawn):
                total = total + weights[2] * sigmoid_loss(-(table[word] @ centre + offset))
    assert next(drawn, None) is None
    return total


def context_to_vec_released(
    table: torch.Tensor,
    map_: torch.Tensor,
    sentences: Sequence[Sentence],
    negatives: Sequence[Sequence[int]],
    window: int,
    offset: float = 0.0,
) -> torch.Tensor:
    """u_i = W (0.5 o_i + 0.5 mean of the window), and the skip-gram loss of each word of the window."""
    drawn = iter(negatives)
    total = torch.zeros((), dtype=table.dtype)
    for vectors, words in sentences:
        for i in range(len(words)):
            around = window_of(len(words), i, window)
            known = [words[k] for k in around if words[k] >= 0]
            if not known:
                continue
            mean = sum(vectors[k] for k in around) / len(around)
            centre = map_ @ (0.5 * vectors[i] + 0.5 * mean)
            for word in known:
                total = total + sigmoid_loss(table[word] @ centre + offset)
            for word in next(drawn):
                total = total + sigmoid_loss(-(table[word] @ centre + offset))
    assert next(drawn, None) is None
    return total
