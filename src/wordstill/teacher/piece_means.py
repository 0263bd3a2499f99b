"""One vector per sentence of a batch, from all its pieces: their mean, or what the teacher's own pooling makes of them.

The mean over pieces is what the released X2Static code takes for a sentence's context. A sentence that is read alone
has its special tokens besides; inside a paragraph it has its own pieces and no others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from wordstill.arrays import Array, unit_rows
from wordstill.errors import InputError
from wordstill.teacher.batch import Batch
from wordstill.teacher.encode import Grid
from wordstill.teacher.load import Teacher
from wordstill.teacher.sentences import SentencePooling
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
    """Return the mean over the pieces of each sentence, for each layer."""
    return pool_sentences(teacher, texts, grid, hidden, batch, context, SentencePooling())


def check_pooling(pooling: SentencePooling, context: Context) -> None:
    """Refuse a pooling by which a sentence of a text has no vector of the teacher's width."""
    if len(pooling.modes) > 1:
        raise InputError(
            f"the teacher puts {len(pooling.modes)} poolings side by side ({', '.join(pooling.modes)}), and the "
            "student `sentence` learns from one vector of the teacher's width; choose another teacher"
        )
    if context == "paragraph" and pooling.modes[0] in ("cls", "lasttoken"):
        raise InputError(
            f"the teacher pools a text by one token ({pooling.modes[0]}), which a sentence inside a paragraph has not; "
            "read sentence by sentence with --context sentence"
        )


def pool_sentences(
    teacher: Teacher,
    texts: Sequence[Text],
    grid: Grid,
    hidden: Mapping[int, torch.Tensor],
    batch: Batch,
    context: Context,
    pooling: SentencePooling,
) -> dict[int, Array]:
    """Return a row per sentence for each layer, pooled and normalized as told."""
    import torch

    places, owners = _tokens(teacher, texts, grid, batch, context)
    counts = np.bincount(owners)
    starts = np.cumsum(counts) - counts
    mode = pooling.modes[0]
    weights = np.ones(len(places), dtype=np.float32)
    if mode == "weightedmean":
        weights = (np.arange(len(places)) - starts[owners] + 1).astype(np.float32)
    elif mode in ("cls", "lasttoken"):
        weights[:] = 0.0
        weights[starts if mode == "cls" else starts + counts - 1] = 1.0
    totals = np.bincount(owners, weights).astype(np.float32)
    divisors = np.sqrt(totals) if mode == "mean_sqrt_len_tokens" else totals
    found = {}
    with torch.inference_mode():
        for layer, states in hidden.items():
            flat = states.reshape(-1, states.shape[-1])
            rows = flat[torch.from_numpy(places).to(flat.device)].float()
            number = torch.from_numpy(owners).to(flat.device)
            if mode == "max":
                pooled = torch.segment_reduce(rows, "max", lengths=torch.from_numpy(counts).to(flat.device))
                found[layer] = pooled.cpu().numpy()
            else:
                sums = rows.new_zeros(len(counts), rows.shape[1])
                sums.index_add_(0, number, rows * torch.from_numpy(weights).to(flat.device)[:, None])
                found[layer] = sums.cpu().numpy() / divisors[:, None]
    return {layer: unit_rows(rows) for layer, rows in found.items()} if pooling.normalize else found


def _tokens(teacher: Teacher, texts: Sequence[Text], grid: Grid, batch: Batch, context: Context) -> tuple[Array, Array]:
    """Return the flat place in the grid of every token that counts, sentence after sentence, and its sentence."""
    places, owners = grid.places, np.repeat(batch.sentences.astype(np.int64), grid.lengths)
    if context == "paragraph":
        return places, owners
    # Here the texts are the sentences.
    rows = [row for text in texts for row in text.rows]
    starts = grid.pieces.shape[1] * np.arange(len(rows))
    before, after = len(teacher.pieces.prefix), len(teacher.pieces.suffix)
    ends = starts + before + np.array([len(row.pieces) for row in rows])
    special = np.concatenate([starts[:, None] + np.arange(before), ends[:, None] + np.arange(after)], axis=1)
    sentences = np.repeat(np.arange(len(texts)), [len(text.rows) for text in texts])
    places = np.concatenate([places, special.ravel()])
    owners = np.concatenate([owners, np.repeat(sentences, before + after)])
    order = np.lexsort((places, owners))
    return places[order], owners[order]
