"""What several tests share."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings as hypothesis_settings

from wordstill.system.machine import REPEATABLE, repeatable_kernels, this_machine

if TYPE_CHECKING:
    from wordstill.distillation.settings import DistillSettings

# Before any test's torch computes: a run's own guard would come too late for MKL.
os.environ.setdefault(REPEATABLE, repeatable_kernels(this_machine().features))

# A busy machine is no failure.
hypothesis_settings.register_profile("patient", deadline=None)
hypothesis_settings.load_profile("patient")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files with slow tests come first: a long one that came last would leave the other processes without work."""
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: item.path not in slow)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """A folder with the public data sets in their original formats; see docs/evaluation.md."""
    named = os.environ.get("WORDSTILL_DATA", "").split(os.pathsep)
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    for folder in (*(Path(part) for part in named if part), beside):
        if (folder / "similarity").is_dir():
            return folder
    pytest.skip("the data sets are not here: name their folder in $WORDSTILL_DATA")


@pytest.fixture(scope="session")
def teacher(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A small random BERT."""
    from small_models import make_model  # torch, which not every environment of these tests has

    return str(make_model("bert", tmp_path_factory.mktemp("bert")))


@pytest.fixture(scope="session")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """300 paragraphs."""
    from texts import write_corpus

    return write_corpus(tmp_path_factory.mktemp("corpus") / "texts.txt", 300)


@pytest.fixture
def settings(teacher: str) -> DistillSettings:
    """Several students, in many small batches and a few buffers."""
    from wordstill.distillation.settings import DistillSettings

    return DistillSettings(
        teacher=teacher,
        students=("aggregate", "closed", "x2static", "paper=x2static"),
        student_options={"paper": {"preset": "paper"}},
        batch_tokens=400,
        buffer_tokens=3000,
        threads=1,
    )
