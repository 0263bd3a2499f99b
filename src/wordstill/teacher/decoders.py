"""Decoders: teachers that read from left to right, and what is different about their vectors.

- A token knows only what stands before it. So the vector of a whole text is that of its last token, not the mean.
- The first token of a text is where attention goes that has nowhere else to go. Its vector is huge, and the same
  whatever the token is. So a text begins with the tokenizer's own mark of a beginning, not with a word.
- The upper layers predict the next token instead of describing the one that was read. So words are learned a third of
  the way up. That also spares two thirds of the layers.

Measured with SmolLM2 (30 layers) in docs/best.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch

    from wordstill.teacher.pieces import PieceTable


def reads_forward(model: torch.nn.Module, pieces: PieceTable) -> bool:
    """Tell whether a model is a decoder: whether what a token is told does not depend on those behind it."""
    import torch

    letters, lengths = pieces(["a", "b", "c"])
    first, second, third = letters[: lengths[0]], letters[lengths[0] : -lengths[2]], letters[-lengths[2] :]
    place = next(model.parameters()).device
    states = []
    for last in (second, third):
        text = torch.tensor([[*pieces.prefix, *first.tolist(), *last[-1:].tolist()]], device=place)
        with torch.inference_mode():
            states.append(model(input_ids=text, attention_mask=torch.ones_like(text)).last_hidden_state[0, -2])
    return bool(torch.allclose(states[0], states[1], rtol=1e-4, atol=1e-5))


def begin_with_a_mark(pieces: PieceTable, tokenizer: Any) -> None:
    """Let every text begin with the tokenizer's mark of a beginning, or of an end, unless it does so already."""
    marks = (tokenizer.bos_token_id, tokenizer.eos_token_id)
    mark = next((piece for piece in marks if isinstance(piece, int) and piece >= 0), None)
    if not len(pieces.prefix) and mark is not None:
        pieces.prefix = [mark]


def layer_of_words(layers: int) -> int:
    """The layer of a decoder to learn words from, where it has so many."""
    return max(1, round(layers / 3))
