"""Attention by torch's fused kernel, for a teacher whose own code has none.

MPNet adds a bias for the distance of two words to its scores. Its code in transformers therefore computes the scores
as a matrix, adds, divides and exponentiates in a pass each, and copies the bias once for every text of a batch. The
fused kernel takes any addend as its mask: bias and padding are added up once for all layers.
"""

from __future__ import annotations

from types import MethodType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch


def fuse_attention(model: torch.nn.Module) -> None:
    """Change a model in place so that its attention is fused, if it is one that needs that (MPNet)."""
    for module in model.modules():
        if type(module).__name__ == "MPNetSelfAttention":
            module.forward = MethodType(_attend, module)
            module.fused_attention = _torch_attention  # type: ignore[assignment]
        elif type(module).__name__ == "MPNetEncoder":
            module.forward = MethodType(_encode, module)


def _attend(
    self: Any, hidden_states: torch.Tensor, attention_mask: None = None, position_bias: Any = None, **others: Any
) -> tuple[torch.Tensor]:
    """softmax(q k' / sqrt(d) + bias) v, the bias holding minus infinity where there is padding."""
    shape = (*hidden_states.shape[:-1], -1, self.attention_head_size)
    query, key, value = (part(hidden_states).view(shape).transpose(1, 2) for part in (self.q, self.k, self.v))
    mixed = self.fused_attention(query, key, value, position_bias, self.attention_head_size**-0.5)
    return (self.o(mixed.flatten(2)),)


def _torch_attention(query: Any, key: Any, value: Any, mask: Any, scale: float) -> torch.Tensor:
    from torch.nn.functional import scaled_dot_product_attention

    return scaled_dot_product_attention(query, key, value, attn_mask=mask, scale=scale).transpose(1, 2)


def _encode(
    self: Any,
    hidden_states: torch.Tensor,
    attention_mask: torch.Tensor | None = None,
    output_hidden_states: bool = False,
    **others: Any,
) -> Any:
    from transformers.modeling_outputs import BaseModelOutput

    bias = self.compute_position_bias(hidden_states[:1])
    if attention_mask is not None:
        bias = bias + attention_mask
    states = [hidden_states]
    for layer in self.layer:
        states.append(layer(states[-1], None, bias)[0])
        if not output_hidden_states:
            states[:] = states[-1:]
    hidden: Any = tuple(states) if output_hidden_states else None
    last: Any = states[-1]
    return BaseModelOutput(last_hidden_state=last, hidden_states=hidden)
