"""A layer made ready to be compiled: one graph without breaks, and activations that cost little."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch

# The normal distribution function is the logistic one of x (a + b x^2 + c x^4), to 2.6e-5 after multiplying by x, which
# is less than bfloat16 can tell; beyond the limit both are 0 or 1. erf takes half as long as the product before it,
# tanh longer than that product; this takes a third.
NORMAL = (1.5950106, 0.0740160, -0.00070380)
LIMIT = 80.0
# The same function by its tanh, as other models have it: exactly the logistic function of twice the argument.
TANH = (1.5957691, 0.0713548)


def make_compilable(layer: torch.nn.Module) -> None:
    """Change a layer of a model in place; its results stay the same to what bfloat16 can tell."""
    for name, part in list(layer.named_modules()):
        if part is not layer:
            # transformers' own hooks for hidden states and attentions, which nobody asks for here, end a graph.
            part._forward_hooks.clear()
        if (replaced := _activation(part)) is not None:
            where, _, last = name.rpartition(".")
            setattr(layer.get_submodule(where), last, replaced)


def _activation(part: torch.nn.Module) -> torch.nn.Module | None:
    import torch

    kind = type(part).__name__
    tanh = kind in ("NewGELUActivation", "GELUTanh", "FastGELUActivation")
    if kind == "GELUActivation" or (isinstance(part, torch.nn.GELU) and part.approximate == "none"):
        return _logistic(NORMAL)
    return _logistic(TANH) if tanh or isinstance(part, torch.nn.GELU) else None


def _logistic(coefficients: tuple[float, ...]) -> torch.nn.Module:
    import torch

    class Logistic(torch.nn.Module):
        """x times the logistic function of x times a polynomial of x squared."""

        def forward(self, given: torch.Tensor) -> torch.Tensor:
            x = given.float()
            square: Any = (x * x).clamp(max=LIMIT)
            factor: Any = coefficients[-1]
            for coefficient in reversed(coefficients[:-1]):
                factor = factor * square + coefficient
            return (x / (1 + torch.exp(-x * factor))).to(given.dtype)

    return Logistic()
