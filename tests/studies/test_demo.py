from __future__ import annotations

from pathlib import Path

from small_reports import made
from wordstill.distillation.run_folder import Run
from wordstill.distillation.run_record import RunRecord, StudentRecord
from wordstill.evaluation import Results
from wordstill.studies.demo import demo_report


def test_the_report_has_skip_gram_and_all_students(tmp_path: Path) -> None:
    words = ["river", "rivers", "philosophy", "president", "blue", "nothing"]
    for name in ("skip-gram", "aggregate"):
        made(words).save(tmp_path / name)
    run = Run(tmp_path, RunRecord(settings={}, students={"aggregate": StudentRecord("aggregate")}))
    path = demo_report(run, Results())
    assert path == tmp_path / "report.html"
    text = path.read_text(encoding="utf-8")
    assert '"name":"skip-gram"' in text
    assert '"name":"aggregate"' in text
