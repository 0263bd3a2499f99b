"""Which words are targets, and which are negatives."""

from __future__ import annotations

import numpy as np

from wordstill.arrays import Array


def generator(seed: int, *steps: int) -> np.random.Generator:
    """The random numbers of one step: known from its number alone, so a resumed run draws the same."""
    return np.random.Generator(np.random.Philox(np.random.SeedSequence([seed, *steps])))


def keep_probabilities(frequencies: Array, threshold: float) -> Array:
    """min(1, sqrt(t/f) + t/f): frequent words are targets only sometimes; a threshold of 0 keeps all."""
    if threshold == 0:
        return np.ones(len(frequencies))
    with np.errstate(divide="ignore"):
        ratio = threshold / frequencies
    return np.minimum(1.0, np.sqrt(ratio) + ratio)


class NegativeSampler:
    """Draws words with probability proportional to count^power, in constant time (Walker's alias method)."""

    def __init__(self, counts: Array, power: float) -> None:
        weights = np.where(counts > 0, np.maximum(counts, 1).astype(np.float64) ** power, 0.0)
        self.probabilities = weights / weights.sum()
        size = len(counts)
        self.share = self.probabilities * size
        self.alias = np.arange(size)
        # Each cell of width 1/size is filled up by one word that has more than its share.
        poor = [cell for cell in range(size) if self.share[cell] < 1.0]
        rich = [cell for cell in range(size) if self.share[cell] >= 1.0]
        share = self.share.tolist()
        while poor and rich:
            small, large = poor.pop(), rich[-1]
            self.alias[small] = large
            share[large] -= 1.0 - share[small]
            if share[large] < 1.0:
                poor.append(rich.pop())
        for cell in (*poor, *rich):  # only rounding is left
            share[cell] = 1.0
        self.share = np.array(share)

    def draw(self, random: np.random.Generator, shape: tuple[int, ...]) -> Array:
        """Numbers of words, as int32."""
        # Imported here: whoever only counts steps must not wait for a compiler.
        from wordstill.kernels.rows import pick_words

        picked: Array = pick_words(random.random(shape).ravel(), self.share, self.alias)
        return picked.reshape(shape)
