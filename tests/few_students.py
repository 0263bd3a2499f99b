"""A registry with few students, so that a table is soon made."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

from wordstill.students.registry import STUDENTS


@contextmanager
def only(*names: str) -> Iterator[None]:
    """Leave only these students in the registry; all come back afterwards, in their old order."""
    with patch.dict(STUDENTS, {name: STUDENTS[name] for name in names}, clear=True):
        yield
