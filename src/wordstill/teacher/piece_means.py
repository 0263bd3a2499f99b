"""The mean over the pieces of each sentence: what the released X2Static code takes for a sentence's context."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from wordstill.arrays import Array
from wordstill.teacher.batch import Batch
from wordstill.teacher.encode import Grid
from wordstill.teacher.load import Teacher
from wordstill.teacher.texts import Context, Text

if TYPE_CHECKING:
    import torch


def piece_means(
    teacher: Teacher,
    texts: Sequence[Text],
    grid: Grid,
    hidden: Mapping[int, torch.Tensor],
    batch: Batch,
    context: Context,
) -> dict[int, Array]:
    """Return a row per sentence for each layer; a sentence that is read alone has its special tokens besides."""
    import torch

    places, owners = grid.places, np.repeat(batch.sentences.astype(np.int64), grid.lengths)
    if context == "sentence":  # then the texts are the sentences
        rows = [row for text in texts for row in text.rows]
        starts = grid.pieces.shape[1] * np.arange(len(rows))
        before, after = len(teacher.pieces.prefix), len(teacher.pieces.suffix)
        ends = starts + before + np.array([len(row.pieces) for row in rows])
        special = np.concatenate([starts[:, None] + np.arange(before), ends[:, None] + np.arange(after)], axis=1)
        sentences = np.repeat(np.arange(len(texts)), [len(text.rows) for text in texts])
        places = np.concatenate([places, special.ravel()])
        owners = np.concatenate([owners, np.repeat(sentences, before + after)])
    counts = np.bincount(owners)
    means = {}
    with torch.inference_mode():
        for layer, states in hidden.items():
            flat = states.reshape(-1, states.shape[-1])
            found = flat[torch.from_numpy(places).to(flat.device)].float()
            sums = found.new_zeros(len(counts), found.shape[1])
            sums.index_add_(0, torch.from_numpy(owners).to(flat.device), found)
            means[layer] = sums.cpu().numpy() / counts[:, None].astype(np.float32)
    return means
