"""ELMo (Peters et al. 2018) as a teacher: characters, convolutions, highways, and two LSTMs in each direction.

A folder has an options file (JSON) and the weights in the HDF5 layout in which they are published. No maintained
package loads these, so the model is written out here. Layer 0 is the word by itself, twice side by side. Layers 1 and
2 are the forward and the backward LSTM, side by side, each begun with zeros for every text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import nn

from wordstill.errors import InputError
from wordstill.io.reading import open_regular, read_by_library
from wordstill.teacher.characters import CHARACTERS
from wordstill.teacher.elmo_files import ElmoOptions

WHAT = "the weights of an ELMo model"
# Words whose characters are looked at at once: of each, every filter gives a value at every place.
AT_ONCE = 256


class States(NamedTuple):
    """What the model gives, under the names that transformers has for it."""

    hidden_states: tuple[torch.Tensor, ...]
    last_hidden_state: torch.Tensor


def load_elmo(options: ElmoOptions, weights: Path) -> Elmo:
    """Make the model, with the weights of a file."""
    try:
        import h5py
    except ImportError:
        raise InputError(f'{weights} is HDF5: pip install "wordstill[elmo]" to read it') from None
    model = Elmo(options)
    with open_regular(weights), read_by_library(weights, WHAT), h5py.File(weights, "r") as file:
        for name, parameter, change in model.parts():
            if name not in file:
                raise InputError(f"{weights} has no {name}; it does not belong to the options beside it")
            content = change(torch.from_numpy(file[name][...]).float())
            if content.shape != parameter.shape:
                raise InputError(
                    f"{weights} has {name} of shape {tuple(file[name].shape)}, which the options beside it do not fit"
                )
            if not torch.isfinite(content).all():
                raise InputError(f"{weights} has NaN or infinity in its weights ({name}); copy or download it again")
            parameter.data.copy_(content)
    model.eval().requires_grad_(False)
    return model


def _as_it_is(weights: torch.Tensor) -> torch.Tensor:
    return weights


def _turned(weights: torch.Tensor) -> torch.Tensor:
    return weights.T.contiguous()


class Elmo(nn.Module):
    """The bidirectional language model, without the softmax that it was trained with."""

    def __init__(self, options: ElmoOptions) -> None:
        super().__init__()
        self.config = options
        filters = sum(number for _, number in options.filters)
        self.characters = nn.Embedding(CHARACTERS, options.embedding)
        self.convolutions = nn.ModuleList(
            nn.Conv1d(options.embedding, number, width) for width, number in options.filters
        )
        self.highways = nn.ModuleList(Highway(filters) for _ in range(options.highways))
        self.projection = nn.Linear(filters, options.projection) if filters != options.projection else None
        self.forwards, self.backwards = (nn.ModuleList(Lstm(options) for _ in range(options.layers)) for _ in range(2))

    def parts(self) -> Iterator[tuple[str, torch.Tensor, Callable[[torch.Tensor], torch.Tensor]]]:
        """Yield the name of each part in the published layout, where it goes, and what is done to it."""
        convolution: Any
        highway: Any
        cell: Any
        yield "char_embed", self.characters.weight, lambda table: table[:CHARACTERS]
        for number, convolution in enumerate(self.convolutions):
            # Height, width, characters, filters: an image of height 1, as TensorFlow has it.
            yield f"CNN/W_cnn_{number}", convolution.weight, lambda weights: weights[0].permute(2, 1, 0)
            yield f"CNN/b_cnn_{number}", convolution.bias, _as_it_is
        for number, highway in enumerate(self.highways):
            for name, part in (("carry", highway.carry), ("transform", highway.transform)):
                yield f"CNN_high_{number}/W_{name}", part.weight, _turned
                yield f"CNN_high_{number}/b_{name}", part.bias, _as_it_is
        if self.projection is not None:
            yield "CNN_proj/W_proj", self.projection.weight, _turned
            yield "CNN_proj/b_proj", self.projection.bias, _as_it_is
        for direction, cells in enumerate((self.forwards, self.backwards)):
            for number, cell in enumerate(cells):
                before = f"RNN_{direction}/RNN/MultiRNNCell/Cell{number}/LSTMCell"
                yield from cell.parts(before)

    def words(self, rows: torch.Tensor) -> torch.Tensor:
        """Return the vector of each word by itself, of its row of characters."""
        return torch.cat([self._words(part) for part in torch.split(rows, AT_ONCE)])

    def _words(self, rows: torch.Tensor) -> torch.Tensor:
        letters = self.characters(rows.long()).transpose(1, 2)
        words = torch.cat([convolution(letters).amax(dim=2) for convolution in self.convolutions], dim=1)
        words = torch.relu(words) if self.config.activation == "relu" else torch.tanh(words)
        for highway in self.highways:
            words = highway(words)
        return words if self.projection is None else self.projection(words)

    def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor, **others: Any) -> States:
        """Return the states of all layers for rectangles of words: rows x words x characters."""
        shape = input_ids.shape
        distinct, places = torch.unique(input_ids.reshape(-1, shape[2]), dim=0, return_inverse=True)
        words = self.words(distinct)[places].reshape(*shape[:2], -1)
        # What stands backwards begins with the last word of each row, and keeps its padding behind.
        steps, lengths = torch.arange(shape[1], device=words.device), attention_mask.sum(dim=1, keepdim=True)
        turned = torch.where(steps < lengths, lengths - 1 - steps, steps)[:, :, None]

        def turn(states: torch.Tensor) -> torch.Tensor:
            return states.gather(1, turned.expand(-1, -1, states.shape[2]))

        ahead, back = words, turn(words)
        states = [torch.cat([words, words], dim=2)]
        for number, (forward, backward) in enumerate(zip(self.forwards, self.backwards, strict=True)):
            skip = self.config.skip and number > 0
            ahead = forward(ahead) + ahead if skip else forward(ahead)
            back = backward(back) + back if skip else backward(back)
            states.append(torch.cat([ahead, turn(back)], dim=2))
        return States(tuple(states), states[-1])


class Highway(nn.Module):
    """A layer that lets part of its input pass as it is."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.carry, self.transform = nn.Linear(size, size), nn.Linear(size, size)

    def forward(self, given: torch.Tensor) -> torch.Tensor:
        """Mix what passes and what is made of it. The release calls the share of the latter "carry"."""
        share = torch.sigmoid(self.carry(given))
        return share * torch.relu(self.transform(given)) + (1 - share) * given


class Lstm(nn.Module):
    """One LSTM with a projection of its output, and bounds for its cells and for what it gives.

    torch has no LSTM with such bounds, so the steps are written out.
    """

    def __init__(self, options: ElmoOptions) -> None:
        super().__init__()
        self.clips = options.cell_clip, options.projection_clip
        self.input = nn.Linear(options.projection, 4 * options.cells)
        self.recurrent = nn.Linear(options.projection, 4 * options.cells, bias=False)
        self.output = nn.Linear(options.cells, options.projection, bias=False)

    def parts(self, before: str) -> Iterator[tuple[str, torch.Tensor, Callable[[torch.Tensor], torch.Tensor]]]:
        """Yield the names in the published layout, as `Elmo.parts` does."""
        size = self.input.in_features
        yield f"{before}/W_0", self.input.weight, lambda weights: weights[:size].T.contiguous()
        yield f"{before}/W_0", self.recurrent.weight, lambda weights: weights[size:].T.contiguous()
        yield f"{before}/B", self.input.bias, self._with_forget_bias
        yield f"{before}/W_P_0", self.output.weight, _turned

    @staticmethod
    def _with_forget_bias(biases: torch.Tensor) -> torch.Tensor:
        """Add the 1 that TensorFlow adds to the forget gate whenever it computes."""
        inputs, candidates, forget, output = biases.chunk(4)
        return torch.cat([inputs, candidates, forget + 1.0, output])

    def forward(self, given: torch.Tensor) -> torch.Tensor:
        """Return what the LSTM gives at each step, for rows x steps x values."""
        inputs: torch.Tensor = self.input(given)
        state = given.new_zeros(given.shape[0], self.output.out_features)
        cells = given.new_zeros(given.shape[0], self.output.in_features)
        cell_clip, output_clip = self.clips
        found = []
        for step in range(given.shape[1]):
            gates = inputs[:, step] + self.recurrent(state)
            enter, candidate, forget, leave = gates.chunk(4, dim=1)
            cells = torch.sigmoid(forget) * cells + torch.sigmoid(enter) * torch.tanh(candidate)
            if cell_clip is not None:
                cells = cells.clamp(-cell_clip, cell_clip)
            state = self.output(torch.sigmoid(leave) * torch.tanh(cells))
            if output_clip is not None:
                state = state.clamp(-output_clip, output_clip)
            found.append(state)
        return torch.stack(found, dim=1)
