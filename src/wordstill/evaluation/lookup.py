"""Where a data set is: $WORDSTILL_DATA, the cache, installed packages, and then its pinned address."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Literal, TypeAlias

from wordstill.errors import InputError
from wordstill.evaluation.datasets import Dataset
from wordstill.io.files import cache_folder

Place: TypeAlias = Literal["folder", "cache", "package"]


@dataclass(frozen=True)
class Found:
    """A data set on this machine: its one file, or the folder of its files."""

    path: Path
    place: Place
    files: tuple[Path, ...]


def find(entry: Dataset) -> Found | None:
    """Find a data set on this machine; None where it would have to be downloaded."""
    for folder in data_folders():
        for base in _bases(folder, entry):
            if (found := found_in(base, entry, "folder")) is not None:
                return found
    if (found := found_in(cache_folder() / entry.name, entry, "cache")) is not None:
        return found
    package = _in_package(entry)
    return None if package is None else Found(package, "package", (package,))


def locate(entry: Dataset) -> Found:
    """Find a data set on this machine; download it where it is not."""
    from wordstill.evaluation.download import download

    return find(entry) or download(entry)


def differing_files(entry: Dataset, found: Found) -> list[Path]:
    """List the files that are not, byte for byte, the pinned ones (a package's copy has its own format)."""
    if found.place == "package":
        return []
    pinned = (file.sha256 for file in entry.files)
    return [path for path, sha256 in zip(found.files, pinned, strict=True) if file_sha256(path) != sha256]


def file_sha256(path: Path) -> str:
    """Compute the SHA-256 of a file."""
    with path.open("rb") as stream:
        digest = hashlib.sha256()
        while chunk := stream.read(1 << 20):
            digest.update(chunk)
        return digest.hexdigest()


def data_folders() -> list[Path]:
    """List the folders named in $WORDSTILL_DATA."""
    named = os.environ.get("WORDSTILL_DATA", "")
    folders = [Path(part).expanduser() for part in named.split(os.pathsep) if part]
    for folder in folders:
        if not folder.is_dir():
            raise InputError(f"$WORDSTILL_DATA names {folder}, which is no folder; correct or unset it")
    return folders


def _bases(folder: Path, entry: Dataset) -> Iterator[Path]:
    # A collection in the layout of the registry, a folder per set, or all files side by side.
    yield folder / entry.folder
    yield folder / entry.name
    yield folder / Path(entry.folder).name
    yield folder


def found_in(base: Path, entry: Dataset, place: Place) -> Found | None:
    """Find a data set in one folder, if all its files are there."""
    files = tuple(base / file.name for file in entry.files)
    if not all(file.is_file() for file in files):
        return None
    return Found(files[0] if len(files) == 1 else base, place, files)


def _in_package(entry: Dataset) -> Path | None:
    if entry.package_file is None:
        return None
    package, _, rest = entry.package_file.partition("/")
    # find_spec locates the package without importing it.
    spec = find_spec(package)
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        if (path := Path(folder) / rest).is_file():
            return path
    return None
