"""The classifier of X2Static (Gupta and Jaggi 2021, section 4.3): a CNN over the vectors of a text's words.

    h_t = W_1 x_{t-1} + W_2 x_t + W_3 x_{t+1} + b        100 filters that see three words
    c   = max over t of ReLU(h_t)                        global max pooling
    p   = softmax(U dropout(c) + d)                      cross-entropy, Adam

Frozen vectors allow a saving that changes nothing: W_k x is computed once per distinct word of a batch, not once per
word of it, and the sum over k is taken of the products.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from wordstill.arrays import Array
from wordstill.evaluation.downstream.batches import lengths_of, padded, reading_batches, training_batches
from wordstill.evaluation.downstream.settings import ClassificationSettings
from wordstill.evaluation.downstream.training import seeded

READ_AT_ONCE = 200


class SentenceCnn(nn.Module):
    """The model above. Row 0 of the vectors is padding; `finetune` trains the other rows too."""

    def __init__(self, vectors: torch.Tensor, classes: int, settings: ClassificationSettings, finetune: bool) -> None:
        super().__init__()
        self.width, self.number = settings.width, settings.filters
        self.vectors = nn.Embedding.from_pretrained(  # type: ignore[no-untyped-call]
            vectors.clone() if finetune else vectors, freeze=not finetune, padding_idx=0, sparse=finetune
        )
        # As torch begins a convolution: uniform up to 1 / sqrt(what a filter sees).
        bound = (vectors.shape[1] * self.width) ** -0.5
        self.filters = nn.Parameter(torch.empty(self.width * self.number, vectors.shape[1]).uniform_(-bound, bound))
        self.bias = nn.Parameter(torch.empty(self.number).uniform_(-bound, bound))
        self.dropout = nn.Dropout(settings.dropout)
        self.classify = nn.Linear(self.number, classes)

    def forward(self, rows: Sequence[Array]) -> torch.Tensor:
        """Return the scores of each class for texts given by the rows of their words."""
        before = (self.width - 1) // 2
        grid = padded(rows, before, self.width - 1 - before)
        words, places = torch.unique(grid, return_inverse=True)
        products = functional.embedding(places, functional.linear(self.vectors(words), self.filters))
        seen = grid.shape[1] - self.width + 1
        totals = sum(
            products[:, step : step + seen, step * self.number : (step + 1) * self.number] for step in range(self.width)
        )
        assert isinstance(totals, torch.Tensor)
        lengths = torch.from_numpy(np.maximum(1, lengths_of(rows)))
        if int(lengths.min()) < seen:
            outside = torch.arange(seen) >= lengths[:, None]
            totals = totals.masked_fill(outside[:, :, None], -torch.inf)
        # The largest of ReLU(h) is ReLU of the largest h, and the bias is the same at every place.
        pooled = torch.relu(totals.max(dim=1).values + self.bias)
        scores: torch.Tensor = self.classify(self.dropout(pooled))
        return scores


def train_cnn(
    vectors: Array,
    rows: Sequence[Array],
    labels: Array,
    classes: int,
    settings: ClassificationSettings,
    *,
    rate: float,
    epochs: int,
    seed: int,
    finetune: bool = False,
    advance: Callable[[int], None] = lambda texts: None,
) -> Iterator[SentenceCnn]:
    """Train a CNN and yield it after each epoch; `advance` is told how many texts were read."""
    with seeded(seed, 0):
        model = SentenceCnn(torch.from_numpy(vectors), classes, settings, finetune)
    optimizers: list[torch.optim.Optimizer] = [
        torch.optim.Adam([one for name, one in model.named_parameters() if not name.startswith("vectors")], lr=rate)
    ]
    if finetune:
        optimizers.append(torch.optim.SparseAdam(model.vectors.parameters(), lr=rate))
    gold, lengths = torch.from_numpy(labels), lengths_of(rows)
    for epoch in range(1, epochs + 1):
        model.train()
        with seeded(seed, epoch):
            for places in training_batches(lengths, settings.batch, (seed, epoch)):
                for optimizer in optimizers:
                    optimizer.zero_grad(set_to_none=True)
                scores = model([rows[place] for place in places])
                functional.cross_entropy(scores, gold[torch.from_numpy(places)]).backward()  # type: ignore[no-untyped-call]
                for optimizer in optimizers:
                    optimizer.step()
                advance(len(places))
        yield model


def predict_classes(model: SentenceCnn, rows: Sequence[Array]) -> Array:
    """Return the most likely class of each text."""
    model.eval()
    found = np.zeros(len(rows), dtype=np.int64)
    with torch.inference_mode():
        for places in reading_batches(lengths_of(rows), READ_AT_ONCE):
            found[places] = model([rows[place] for place in places]).argmax(dim=1).numpy()
    return found
