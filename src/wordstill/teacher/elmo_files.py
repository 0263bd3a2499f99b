"""The files of an ELMo model: which of a folder they are, and what its options say."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from wordstill.errors import InputError
from wordstill.io.reading import read_json

ACTIVATIONS = ("relu", "tanh")
# What options may ask for: any number is believed by who builds the model.
MOST = {"layers": 64, "size": 1 << 17, "characters": 1 << 12}


class ElmoOptions(NamedTuple):
    """What an options file says; the names in it are those of the release."""

    filters: tuple[tuple[int, int], ...]
    """The width and the number of the convolutions of each kind."""
    activation: str
    embedding: int
    highways: int
    longest: int
    """Characters per word."""
    cells: int
    projection: int
    layers: int
    cell_clip: float | None
    projection_clip: float | None
    skip: bool
    """Whether a layer's input is added to its output, from the second layer on."""

    def to_dict(self) -> dict[str, Any]:
        """Return the options as a dictionary, which tells one teacher from another."""
        return self._asdict()


def find_elmo(folder: Path) -> tuple[Path, Path] | None:
    """Return the options file and the weights of a folder; None if it has no HDF5 weights, and so no ELMo."""
    weights = sorted(path for path in folder.iterdir() if path.suffix in (".hdf5", ".h5"))
    if not weights:
        return None
    options = sorted(path for path in folder.iterdir() if path.name.endswith("options.json"))
    for what, found in (("*options.json", options), ("*.hdf5", weights)):
        if len(found) != 1:
            raise InputError(
                f"{folder} has {len(found)} files {what}, and ELMo is one of each; leave those of one model"
            )
    return options[0], weights[0]


def read_options(path: Path) -> ElmoOptions:
    """Read an options file; refuse one that lacks something, or asks for what no model has."""
    found = read_json(path)
    try:
        cnn, lstm = found["char_cnn"], found["lstm"]
        options = ElmoOptions(
            filters=tuple((int(width), int(number)) for width, number in cnn["filters"]),
            activation=str(cnn["activation"]),
            embedding=int(cnn["embedding"]["dim"]),
            highways=int(cnn["n_highway"]),
            longest=int(cnn["max_characters_per_token"]),
            cells=int(lstm["dim"]),
            projection=int(lstm["projection_dim"]),
            layers=int(lstm["n_layers"]),
            cell_clip=float(lstm["cell_clip"]) if lstm.get("cell_clip") else None,
            projection_clip=float(lstm["proj_clip"]) if lstm.get("proj_clip") else None,
            skip=bool(lstm.get("use_skip_connections", False)),
        )
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise InputError(f"{path} is no options file of ELMo ({type(error).__name__}: {error}); is it whole?") from None
    sizes = [options.embedding, options.cells, options.projection, *(number for _, number in options.filters)]
    possible = (
        options.activation in ACTIVATIONS
        and options.filters
        and all(1 <= size <= MOST["size"] for size in sizes)
        and 1 <= options.layers <= MOST["layers"]
        and 0 <= options.highways <= MOST["layers"]
        and 3 <= options.longest <= MOST["characters"]
        and all(1 <= width <= options.longest for width, _ in options.filters)
        and all(clip is None or clip > 0 for clip in (options.cell_clip, options.projection_clip))
    )
    if not possible:
        raise InputError(f"{path} asks for what no ELMo model has; is it whole?")
    return options
