"""Small random ELMo models, written in the published layout."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from wordstill.arrays import Array

FILTERS = [[1, 3], [2, 4], [3, 5]]


def make_options(**changed: Any) -> dict[str, Any]:
    """Return options under their published names; what is `changed` belongs to the LSTMs."""
    return {
        "lstm": {
            "use_skip_connections": True,
            "projection_dim": 6,
            "cell_clip": 0.4,
            "proj_clip": 0.3,
            "dim": 10,
            "n_layers": 2,
            **changed,
        },
        "char_cnn": {
            "activation": "relu",
            "filters": FILTERS,
            "n_highway": 2,
            "embedding": {"dim": 4},
            "n_characters": 262,
            "max_characters_per_token": 12,
        },
    }


def make_weights(options: dict[str, Any], seed: int = 0) -> dict[str, Array]:
    """Return random weights under their published names."""
    draw = np.random.default_rng(seed)
    cnn, lstm = options["char_cnn"], options["lstm"]
    filters = sum(number for _, number in cnn["filters"])
    size, cells = lstm["projection_dim"], lstm["dim"]
    shapes: dict[str, tuple[int, ...]] = {"char_embed": (261, cnn["embedding"]["dim"])}
    for number, (width, many) in enumerate(cnn["filters"]):
        shapes[f"CNN/W_cnn_{number}"] = (1, width, cnn["embedding"]["dim"], many)
        shapes[f"CNN/b_cnn_{number}"] = (many,)
    for number in range(cnn["n_highway"]):
        for name in ("carry", "transform"):
            shapes |= {f"CNN_high_{number}/W_{name}": (filters, filters), f"CNN_high_{number}/b_{name}": (filters,)}
    if filters != size:
        shapes |= {"CNN_proj/W_proj": (filters, size), "CNN_proj/b_proj": (size,)}
    for direction in range(2):
        for number in range(lstm["n_layers"]):
            before = f"RNN_{direction}/RNN/MultiRNNCell/Cell{number}/LSTMCell"
            shapes |= {
                f"{before}/W_0": (2 * size, 4 * cells),
                f"{before}/B": (4 * cells,),
                f"{before}/W_P_0": (cells, size),
            }
    return {name: draw.normal(0, 0.4, shape).astype(np.float32) for name, shape in shapes.items()}


def write_elmo(folder: Path, options: dict[str, Any], weights: dict[str, Array]) -> Path:
    """Write a model into a folder, its files named as those of the release are."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "elmo_small_options.json").write_text(json.dumps(options), encoding="utf-8")
    with h5py.File(folder / "elmo_small_weights.hdf5", "w") as file:
        for name, array in weights.items():
            file[name] = array
    return folder
