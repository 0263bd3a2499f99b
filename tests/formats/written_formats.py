"""The formats that are written, for tests that go through all of them."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from wordstill.formats import FORMATS, WRITTEN

NEEDS = {"spacy": "spacy", "parquet": "pyarrow", "onnx": "onnx"}
HERE = [
    pytest.param(
        name,
        marks=pytest.mark.skipif(
            name in NEEDS and importlib.util.find_spec(NEEDS[name]) is None, reason=f"{NEEDS.get(name)} is not here"
        ),
    )
    for name in WRITTEN
]
EVERY_FORMAT = pytest.mark.parametrize("name", HERE)
FOLDERS = ("folder", "spacy", "onnx")
EVERY_FOLDER = pytest.mark.parametrize("name", [one for one in HERE if one.values[0] in FOLDERS])
EVERY_FILE = pytest.mark.parametrize("name", [one for one in HERE if one.values[0] not in FOLDERS])


def place_for(folder: Path, name: str) -> Path:
    """Return a path in the folder that has an ending of the format."""
    return folder / f"v{(FORMATS[name].endings or ('',))[0]}"
