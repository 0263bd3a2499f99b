"""The samples of the campaign, made once."""

from __future__ import annotations

from pathlib import Path

import pytest

from campaign.case import Place
from campaign.samples import make_samples


@pytest.fixture(scope="session")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    made = Place(tmp_path_factory.mktemp("campaign") / "place")
    made.root.mkdir()
    make_samples(made)
    return made


@pytest.fixture(autouse=True)
def among_traps(place: Place, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder has files named like modules."""
    monkeypatch.chdir(place.traps)
    return place.traps
