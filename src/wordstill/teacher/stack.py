"""The teacher's stack of layers, tapped: the states asked for are kept, and the layers above them are not run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from wordstill.teacher.pieces import PieceTable

if TYPE_CHECKING:
    import torch


class _Enough(Exception):
    """Every state that was asked for is at hand."""


@dataclass(frozen=True)
class Stack:
    """The layers of a model one after another; layer n's state is what the n-th of them gives, or the first takes."""

    layers: torch.nn.ModuleList
    transposed: bool
    """Whether states run over positions first and texts second inside the model (XLNet)."""

    def run(
        self, model: torch.nn.Module, inputs: Mapping[str, torch.Tensor], wanted: Sequence[int]
    ) -> dict[int, torch.Tensor]:
        """The states of the layers wanted; the model stops after the highest."""
        states: dict[int, torch.Tensor] = {}
        last = len(self.layers)
        highest = max(wanted)

        def keep(number: int, state: Any) -> None:
            state = state[0] if isinstance(state, tuple) else state
            states[number] = state.transpose(0, 1) if self.transposed else state
            if number == highest:
                raise _Enough

        def before_first(module: torch.nn.Module, given: tuple[Any, ...], named: dict[str, Any]) -> None:
            keep(0, given[0] if given else named["hidden_states"])

        def after(number: int) -> Any:
            return lambda module, given, result: keep(number, result)

        hooks = [self.layers[number - 1].register_forward_hook(after(number)) for number in wanted if 0 < number < last]
        if 0 in wanted:
            hooks.append(self.layers[0].register_forward_pre_hook(before_first, with_kwargs=True))
        try:
            with suppress(_Enough):
                # The last layer is what the model itself calls its output: some put one more normalisation on it.
                states[last] = model(**inputs).last_hidden_state
        finally:
            for hook in hooks:
                hook.remove()
        return {number: states[number] for number in wanted}


def find_stack(model: torch.nn.Module, number: int, pieces: PieceTable) -> Stack | None:
    """The model's layers, if tapping them gives just what the model calls its hidden states; else None."""
    import torch

    layers = layers_of(model, number)
    if layers is None:
        return None
    letters, _ = pieces(["a", "b", "c", "d"])
    text = torch.tensor([[*pieces.prefix, *letters.tolist(), *pieces.suffix]] * 2)
    inputs = {"input_ids": text, "attention_mask": torch.ones_like(text)}
    inputs["attention_mask"][1, -1] = 0
    inputs = {name: tensor.to(next(model.parameters()).device) for name, tensor in inputs.items()}
    with torch.inference_mode():
        own = model(**inputs, output_hidden_states=True).hidden_states
        for transposed in (False, True):
            stack = Stack(layers, transposed)
            # Without the last, where models differ in what they call a hidden state.
            tapped = stack.run(model, inputs, range(number))
            if all(
                tapped[layer].shape == own[layer].shape and torch.equal(tapped[layer], own[layer])
                for layer in range(number)
            ):
                return stack
    return None


def layers_of(model: torch.nn.Module, number: int) -> torch.nn.ModuleList | None:
    """The one list of so many modules that a model has; None if there are several, or none."""
    import torch

    lists = [part for part in model.modules() if isinstance(part, torch.nn.ModuleList) and len(part) == number]
    return lists[0] if len(lists) == 1 else None
