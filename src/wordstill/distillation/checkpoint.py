"""Checkpoints: a folder that is there whole or not at all."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from wordstill.arrays import Array
from wordstill.io import safetensors
from wordstill.io.files import only_these, replacing, write_json

State = Mapping[str, Array]


def save_checkpoint(folder: Path, progress: Mapping[str, Any], states: Mapping[str, State]) -> None:
    """Write where a run stands and its students' states; an older checkpoint stays until this one is complete.

    An array that several students share is written with the first of them; the others tell whose it is.
    """
    owners: dict[int, tuple[str, str]] = {}
    with replacing(folder, ours=only_these("progress.json", "*.safetensors")) as temporary:
        temporary.mkdir()
        for student, state in states.items():
            shared = {name: json.dumps(owners[id(array)]) for name, array in state.items() if id(array) in owners}
            own = {name: array for name, array in state.items() if name not in shared}
            owners |= {id(array): (student, name) for name, array in own.items()}
            safetensors.write(temporary / _file(student), own, shared)
        write_json(temporary / "progress.json", progress)


def load_progress(folder: Path) -> dict[str, Any] | None:
    """Where a run stands, or None if it has no checkpoint."""
    path = folder / "progress.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else None


def load_state(folder: Path, name: str) -> dict[str, Array]:
    """The state of one student, memory-mapped."""
    arrays, shared = safetensors.read(folder / _file(name))
    for place, told in shared.items():
        student, its_place = json.loads(told)
        arrays[place] = safetensors.read(folder / _file(student))[0][its_place]
    return arrays


def _file(student: str) -> str:
    return student.replace("/", "--") + ".safetensors"
