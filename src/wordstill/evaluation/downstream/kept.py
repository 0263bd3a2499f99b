"""Results of trained models, kept by content: what was computed once from the same data is not computed again.

The key of a result is a hash of all that it depends on: the vectors of the data set's words, the texts, the labels and
the settings. So a second model pays for itself alone, and a command that was stopped goes on where it was. The results
are small JSON files in the cache folder, under `downstream`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from wordstill.io.files import cache_folder, write_json

# Raise it when the same data and settings begin to give other results.
VERSION = 1


class Keeper:
    """Keeps the results of one training under a key.

    folder  where they are kept; None: nowhere
    key     all that the results depend on: numbers, texts, arrays, and lists and dicts of these
    """

    def __init__(self, folder: Path | None, key: Any) -> None:
        self.folder = folder
        self.key = content_hash([VERSION, key])

    def __call__(self, name: str, compute: Callable[[], Any]) -> Any:
        """Return the result that is kept under this name, or compute and keep it; it must be plain JSON."""
        if self.folder is None:
            return compute()
        path = self.folder / f"{content_hash([self.key, name])}.json"
        try:
            return json.loads(path.read_bytes())["result"]
        except (OSError, ValueError, KeyError, TypeError):
            pass  # not there, or damaged: computed anew
        result = compute()
        write_json(path, {"name": name, "result": result})
        return result


def keeping_folder(cache: bool) -> Path | None:
    """Return the folder where results are kept; None where they shall not be."""
    return cache_folder() / "downstream" if cache else None


def content_hash(value: Any) -> str:
    """Return the SHA-256 of a value by its content."""
    digest = hashlib.sha256()
    _add(digest, value)
    return digest.hexdigest()


def _add(digest: Any, value: Any) -> None:
    if isinstance(value, np.ndarray):
        digest.update(f"array {value.dtype} {value.shape};".encode())
        digest.update(np.ascontiguousarray(value).data)
    elif isinstance(value, dict):
        digest.update(f"dict {len(value)};".encode())
        for name in sorted(value):
            _add(digest, name)
            _add(digest, value[name])
    elif isinstance(value, list | tuple):
        digest.update(f"list {len(value)};".encode())
        for one in value:
            _add(digest, one)
    else:
        text = repr(value).encode("utf-8", "surrogatepass")
        digest.update(f"{type(value).__name__} {len(text)};".encode() + text)
