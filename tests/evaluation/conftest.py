from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def gensim_data() -> Path:
    """The folder of data sets that gensim's wheel carries."""
    spec = find_spec("gensim")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent / "test" / "test_data"


@pytest.fixture(autouse=True)
def nothing_of_the_users(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No data folder and an empty cache, so that a test finds only what it puts there."""
    monkeypatch.delenv("WORDSTILL_DATA", raising=False)
    monkeypatch.setenv("WORDSTILL_CACHE", str(tmp_path / "cache"))
