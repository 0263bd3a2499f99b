"""run.json: one record, one reader, one writer."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from wordstill.distillation.distill import distill
from wordstill.distillation.run_record import PARTS, RunRecord, read_record, record_above
from wordstill.distillation.settings import DistillSettings
from wordstill.errors import InputError


@pytest.fixture(scope="module")
def run(teacher: str, corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    settings = DistillSettings(teacher=teacher, students=("aggregate", "closed", "x2static"), threads=1)
    return distill(corpus, out=tmp_path_factory.mktemp("record") / "run", settings=settings).folder


def test_what_is_written_is_read_back(run: Path) -> None:
    record = read_record(run)
    assert record is not None
    assert record.finished
    assert json.loads((run / "run.json").read_text()) == record.as_json()
    assert record_above(run / "closed") == (run, record)
    assert record_above(run.parent) is None


def test_the_parts_of_the_time_add_up_to_the_whole_and_all_have_names(run: Path) -> None:
    record = read_record(run)
    assert record is not None
    parts = [seconds for _, seconds in record.seconds.named_parts()]
    assert sum(parts) == pytest.approx(record.seconds.total, rel=0.02)
    assert set(json.loads((run / "run.json").read_text())["seconds"]) == {"total", *PARTS}


def test_the_record_of_an_older_version_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    older = {
        "version": "0.0.1",
        "finished": True,
        "settings": {"teacher": "minilm"},
        "corpus": {"fingerprint": "f", "words": 100, "something": "else"},
        "students": {"closed": {"path": "closed", "words": 9, "dimensions": 3, "loss": [[10, 0.5]]}},
        "seconds": {"total": 2.0, "teacher": 1.5, "students": {"closed": 0.25}, "unheard of": 1},
        "words_per_second": 50.0,
    }
    (tmp_path / "run.json").write_text(json.dumps(older))
    record = read_record(tmp_path)
    assert isinstance(record, RunRecord)
    assert (record.corpus.words, record.students["closed"].dimensions, record.words_per_second) == (100, 3, 50.0)
    assert record.seconds.named_parts() == [("teacher", 1.5), ("closed", 0.25)]


@pytest.mark.parametrize(
    "text",
    [
        *("", "{", "[]", "{}", '{"settings": 3}', '{"settings": {}, "students": 3}'),
        *('{"settings": {}, "students": {"a": {}}}', '{"settings": {}, "students": {"a": {"path": 3}}}'),
        *('{"settings": {}, "seconds": {"total": "long"}}', "[" * 100_000),
    ],
)
def test_a_damaged_record_is_refused_in_a_sentence(tmp_path: Path, text: str) -> None:
    (tmp_path / "run.json").write_text(text)
    with pytest.raises(InputError, match=r"run\.json"):
        read_record(tmp_path)
