"""Large tables: in memory while there is room, in files behind that."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from wordstill.arrays import Array
from wordstill.system.memory import usable_memory


def half_of_memory() -> int:
    """Half of the machine's memory, in bytes."""
    return usable_memory() // 2


@dataclass
class Tables:
    """Makes tables of zeros. Those beyond `room` bytes in all are files in a folder, which the system pages in and out.

    They hold nothing that a checkpoint does not have: a resumed run makes them anew.
    """

    folder: Path
    room: int
    taken: int = 0
    spilled: int = 0

    def __call__(self, rows: int, columns: int) -> Array:
        """A table of zeros in single precision."""
        size = 4 * rows * columns
        if self.taken + size <= self.room or not size:
            self.taken += size
            return np.zeros((rows, columns), dtype=np.float32)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.spilled += 1
        return np.memmap(self.folder / f"{self.spilled}.bin", np.float32, "w+", shape=(rows, columns))
