"""The registry of data sets: name, task, what it is, who made it, licence, pinned address and hash.

Nothing here touches the network or the disk; `lookup` finds the files and `download` fetches them.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from importlib import resources

from wordstill.errors import InputError

# The five sets of the X2Static paper's average.
FIVE = ("rg65", "ws353", "simlex999", "simverb3500", "rw2034")


@dataclass(frozen=True)
class File:
    """One file of a data set: its name within the set's folder, its address and its SHA-256."""

    name: str
    address: str | None
    sha256: str


@dataclass(frozen=True)
class Dataset:
    """One entry of the registry; `folder` is where a collection of many sets keeps it."""

    name: str
    task: str
    title: str
    citation: str
    licence: str
    folder: str
    repository: str | None
    commit: str | None
    package_file: str | None

    @property
    def files(self) -> tuple[File, ...]:
        """The set's files with their pinned addresses."""
        return tuple(
            File(row["file"], self._address(row["path"]), row["sha256"])
            for row in _pinned()
            if row["dataset"] == self.name
        )

    def _address(self, path: str) -> str | None:
        if self.repository is None:
            return None
        return f"https://raw.githubusercontent.com/{self.repository}/{self.commit}/{path}"


def _rows(name: str) -> list[dict[str, str]]:
    text = resources.files("wordstill.evaluation").joinpath(name).read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines(), delimiter="\t"))


DATASETS: dict[str, Dataset] = {
    row["name"]: Dataset(**{column: value or None for column, value in row.items()})  # type: ignore[arg-type]
    for row in _rows("datasets.tsv")
}


def dataset(name: str) -> Dataset:
    """Return the registry's entry of that name."""
    if name not in DATASETS:
        raise InputError(f"there is no data set {name!r}; choose from {', '.join(DATASETS)}, or give a file")
    return DATASETS[name]


@cache
def _pinned() -> list[dict[str, str]]:
    return _rows("files.tsv")
