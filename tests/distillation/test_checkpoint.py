from __future__ import annotations

from pathlib import Path

import numpy as np

from wordstill.distillation.checkpoint import load_progress, load_state, save_checkpoint


def test_what_students_share_is_written_once_and_read_by_all(tmp_path: Path) -> None:
    shared, own = np.arange(50_000.0), np.arange(3)
    states = {"closed": {"sums": shared}, "x2static": {"closed.sums": shared, "table": own}}
    save_checkpoint(tmp_path / "checkpoint", {"words": 7}, states)
    assert load_progress(tmp_path / "checkpoint") == {"words": 7}
    assert load_state(tmp_path / "checkpoint", "closed")["sums"].tolist() == shared.tolist()
    loaded = load_state(tmp_path / "checkpoint", "x2static")
    assert loaded["closed.sums"].tolist() == shared.tolist()
    assert loaded["table"].tolist() == own.tolist()
    written = sum(file.stat().st_size for file in (tmp_path / "checkpoint").iterdir())
    assert shared.nbytes < written < 1.1 * shared.nbytes


def test_equal_arrays_of_two_students_stay_two(tmp_path: Path) -> None:
    save_checkpoint(tmp_path / "checkpoint", {}, {"one": {"a": np.zeros(2)}, "two/three": {"a": np.zeros(2)}})
    assert load_state(tmp_path / "checkpoint", "one")["a"].tolist() == [0.0, 0.0]
    assert load_state(tmp_path / "checkpoint", "two/three")["a"].tolist() == [0.0, 0.0]
