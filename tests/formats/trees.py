"""All that is in a folder, to compare before and after."""

from __future__ import annotations

import os
import stat
from pathlib import Path


def tree_of(folder: Path) -> dict[str, object]:
    """Return what each path below a folder is: the bytes of a file, where a link leads, or the kind of the rest."""
    return {str(path.relative_to(folder)): _content(path) for path in sorted(folder.rglob("*"))}


def _content(path: Path) -> object:
    mode = path.lstat().st_mode
    if stat.S_ISLNK(mode):
        return ("link", os.readlink(path))
    return path.read_bytes() if stat.S_ISREG(mode) else stat.S_IFMT(mode)
