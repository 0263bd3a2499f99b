"""Checkpoints: a folder with a record and arrays that is there whole or not at all, every file of it with a checksum.

The arrays have a checkpoint's own namespace each: those of a student, say. The state of a shard and that of a whole run
are kept in the same way.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from wordstill.arrays import Array
from wordstill.errors import Damaged, InputError
from wordstill.io import safetensors
from wordstill.io.files import only_these, replacing
from wordstill.io.sealed import file_checksum, read_sealed, write_sealed

State = Mapping[str, Array]
RECORD = "progress.json"


def save_checkpoint(folder: Path, record: Mapping[str, Any], states: Mapping[str, State]) -> None:
    """Write a record and states; an older checkpoint stays until this one is complete.

    An array that several states share is written with the first of them; the others tell whose it is.
    """
    owners: dict[int, tuple[str, str]] = {}
    checksums: dict[str, int] = {}
    with replacing(folder, ours=only_these(RECORD, "*.safetensors")) as temporary:
        temporary.mkdir()
        for owner, state in states.items():
            shared = {name: json.dumps(owners[id(array)]) for name, array in state.items() if id(array) in owners}
            own = {name: array for name, array in state.items() if name not in shared}
            owners |= {id(array): (owner, name) for name, array in own.items()}
            path = temporary / _file(len(checksums))
            safetensors.write(path, own, shared)
            checksums[owner] = file_checksum(path)
        write_sealed(temporary / RECORD, {"record": record, "files": checksums})


def load_record(folder: Path) -> dict[str, Any] | None:
    """Return the record of a checkpoint, None where there is none; raise `Damaged` where it has changed."""
    found = read_sealed(folder / RECORD)
    return None if found is None else found["record"]


def load_states(folder: Path) -> dict[str, dict[str, Array]]:
    """Return the states of a checkpoint, memory-mapped; raise `Damaged` where a file of it has changed or is gone."""
    found = read_sealed(folder / RECORD)
    if found is None:
        raise Damaged(f"{folder / RECORD} is gone")
    arrays, shared = {}, {}
    for number, (owner, checksum) in enumerate(found["files"].items()):
        path = folder / _file(number)
        if not path.is_file() or file_checksum(path) != checksum:
            raise Damaged(f"{path} is damaged: its checksum does not fit its content")
        try:
            arrays[owner], shared[owner] = safetensors.read(path)
        except InputError as error:
            raise Damaged(str(error)) from error
    for owner, told in shared.items():
        for place, whose in told.items():
            other, its_place = json.loads(whose)
            arrays[owner][place] = arrays[other][its_place]
    return arrays


def _file(number: int) -> str:
    return f"{number:03d}.safetensors"
