"""Run the teacher over a batch of texts and give each word one vector per layer."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from wordstill.arrays import Array
from wordstill.corpus.segmented_text import joined_parses
from wordstill.teacher.batch import Batch
from wordstill.teacher.load import Teacher
from wordstill.teacher.texts import Text

if TYPE_CHECKING:
    import torch

# Inductor's own matrix kernels use AMX and AVX-512 safely, and want weights that are constants ("frozen"). They are the
# only choice it is given, so that nothing is chosen by a stopwatch: the same code on every run.
COMPILER = {
    "freezing": True,
    "max_autotune": True,
    "max_autotune_gemm_backends": "CPP",
    "autotune_num_choices_displayed": 0,
}
Pooling = Literal["mean", "first", "last", "max", "min"]


class Grid(NamedTuple):
    """The rectangle of tokens the teacher reads, and where in it the words' pieces stand."""

    pieces: Array
    mask: Array
    types: Array | None
    places: Array
    """The flat place of every piece of every word, word after word."""
    lengths: Array
    """The number of pieces of each word."""


def lay_out(teacher: Teacher, texts: Sequence[Text]) -> Grid:
    """Put the rows of texts, between their special tokens, into one rectangle."""
    rows = [row for text in texts for row in text.rows]
    return rectangle(
        teacher,
        pieces=np.concatenate([row.pieces for row in rows]),
        sizes=np.array([len(row.pieces) for row in rows]),
        firsts=np.array([row.first for row in rows]),
        owned=np.array([row.owned for row in rows]),
        lengths=np.concatenate([text.lengths for text in texts]),
    )


def rectangle(teacher: Teacher, pieces: Array, sizes: Array, firsts: Array, owned: Array, lengths: Array) -> Grid:
    """Rows of these sizes, given by all their pieces, between special tokens and padded on the right.

    The words whose vectors are wanted have `lengths` pieces each; of every row `owned` pieces from `firsts` on are
    theirs.
    """
    table = teacher.pieces
    before, after = len(table.prefix), len(table.suffix)
    width = int(sizes.max()) + before + after
    if teacher.compiled:
        # Code compiled for any shape would be compiled again for one row, and where there is nothing to mask.
        if len(sizes) == 1 or sizes.min() == sizes.max():
            shorter = 0 if before + after else 1  # a row of nothing at all would have no attention to give
            pieces = np.concatenate([pieces, pieces[:shorter]])
            sizes, firsts, owned = np.append(sizes, shorter), np.append(firsts, 0), np.append(owned, 0)
        width += int(sizes.min() == sizes.max())
    columns, ends = np.arange(width), before + sizes
    mask = columns < (ends + after)[:, None]
    inside = (columns >= before) & (columns < ends[:, None])
    behind = np.arange(len(sizes))[:, None], ends[:, None] + np.arange(after)

    def filled(padding: int, prefix: Sequence[Any], inner: Any, suffix: Sequence[Any]) -> Array:
        grid = np.full((*mask.shape, *np.shape(inner)[1:]), padding, dtype=np.int64)  # a piece may be a row itself
        grid[:, :before] = prefix
        grid[inside] = inner
        grid[behind] = suffix
        return grid

    begins = before + firsts + width * np.arange(len(sizes))
    within = np.arange(owned.sum()) - np.repeat(np.cumsum(owned) - owned, owned)
    return Grid(
        pieces=filled(teacher.padding_piece, table.prefix, pieces, table.suffix),
        mask=mask,
        types=None if table.types is None else filled(0, *table.types),
        places=np.repeat(begins, owned) + within,
        lengths=lengths,
    )


def pool(hidden: torch.Tensor, grid: Grid, pooling: Pooling = "mean") -> torch.Tensor:
    """Pool the vectors of each word's pieces into one."""
    import torch

    flat = hidden.reshape(-1, hidden.shape[-1])
    ends = np.cumsum(grid.lengths)
    if pooling == "mean" and flat.device.type == "cpu":
        from wordstill.kernels.windows import gathered_bfloat16_means, gathered_means

        if flat.dtype == torch.bfloat16:
            return torch.from_numpy(gathered_bfloat16_means(flat.view(torch.uint16).numpy(), grid.places, ends))
        return torch.from_numpy(gathered_means(flat.float().numpy(), grid.places, ends))
    if pooling in ("first", "last") or int(ends[-1]) == len(grid.lengths):
        chosen = ends - grid.lengths if pooling == "first" else ends - 1
        return flat[torch.from_numpy(grid.places[chosen]).to(flat.device)]
    vectors = flat[torch.from_numpy(grid.places).to(flat.device)]
    lengths = torch.from_numpy(grid.lengths.astype(np.int64)).to(flat.device)
    if pooling != "mean":
        return torch.segment_reduce(vectors, pooling, lengths=lengths)
    sums = torch.segment_reduce(vectors, "sum", lengths=lengths)
    return sums / lengths[:, None]


def forward(teacher: Teacher, grid: Grid, layers: Sequence[int]) -> dict[int, torch.Tensor]:
    """The hidden states of the layers asked for; nothing else is kept."""
    import torch

    given = {"input_ids": grid.pieces, "attention_mask": grid.mask.astype(np.int64)}
    if grid.types is not None:
        given["token_type_ids"] = grid.types
    inputs = {name: torch.from_numpy(array).to(teacher.device) for name, array in given.items()}
    with torch.inference_mode(), _compiling() if teacher.compiled else nullcontext():
        if teacher.stack is not None:
            return teacher.stack.run(teacher.model, inputs, layers)
        output: Any = teacher.model(**inputs, output_hidden_states=True)
    # The last layer is what the model itself calls its output: some put one more normalisation on it.
    states = (*output.hidden_states[: teacher.layers], output.last_hidden_state)
    return {layer: states[layer] for layer in layers}


@contextmanager
def _compiling() -> Iterator[None]:
    """Around calls that may compile: every layer is a case of its own, and nothing is printed."""
    import torch
    import torch._inductor.config as inductor

    dynamo: Any = torch._dynamo
    with (
        warnings.catch_warnings(),
        dynamo.config.patch(recompile_limit=512, accumulated_recompile_limit=4096),
        inductor.patch(COMPILER),
    ):
        warnings.simplefilter("ignore")
        yield


def to_batch(texts: Sequence[Text], grid: Grid, hidden: Mapping[int, torch.Tensor], pooling: Pooling = "mean") -> Batch:
    """The words of texts with their vectors at each layer."""
    before = np.cumsum([0] + [int(text.sentences[-1]) + 1 for text in texts[:-1]], dtype=np.int32)
    sentences = np.concatenate([text.sentences for text in texts])
    return Batch(
        words=np.concatenate([text.words for text in texts]),
        sentences=sentences + np.repeat(before, [len(text.words) for text in texts]),
        positions=np.concatenate([text.positions for text in texts]),
        layers=pooled(grid, hidden, pooling),
        parses=joined_parses([(text.parses, len(text.words)) for text in texts]),
    )


def pooled(grid: Grid, hidden: Mapping[int, torch.Tensor], pooling: Pooling) -> dict[int, Array]:
    """Return one vector per word at each layer."""
    import torch

    with torch.inference_mode():
        return {layer: pool(states, grid, pooling).float().cpu().numpy() for layer, states in hidden.items()}
