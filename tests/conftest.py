"""What several tests share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

# A busy machine is no failure.
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """A folder with the public data sets in their original formats; see docs/evaluation.md."""
    named = os.environ.get("WORDSTILL_DATA", "").split(os.pathsep)
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    for folder in (*(Path(part) for part in named if part), beside):
        if (folder / "similarity").is_dir():
            return folder
    pytest.skip("the data sets are not here: name their folder in $WORDSTILL_DATA")
