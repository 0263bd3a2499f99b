"""Runs that are stopped, killed or short of disk, and go on; folders that are never overwritten by accident."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace
from functools import partialmethod
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from runs import break_run, vector_bytes
from texts import write_corpus
from wordstill.corpus.segment import Segmenter
from wordstill.corpus.vocabulary import VocabularySettings
from wordstill.distillation.distill import distill
from wordstill.distillation.run_record import RunRecord
from wordstill.distillation.settings import DistillSettings
from wordstill.distillation.shard_work import Interrupted
from wordstill.errors import InputError

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("after", [1, 7, 19, 33, 40, 44])
def test_a_run_that_breaks_anywhere_resumes_to_the_same_vectors(
    settings: DistillSettings, corpus: Path, tmp_path: Path, after: int
) -> None:
    whole = distill(corpus, out=tmp_path / "whole", settings=settings)
    break_run(corpus, tmp_path / "broken", settings, after)
    resumed = distill(corpus, out=tmp_path / "broken", settings=settings, resume=True)
    assert vector_bytes(resumed.folder) == vector_bytes(whole.folder)
    assert resumed.record.students == whole.record.students
    assert resumed.record.tokens == whole.record.tokens


@pytest.mark.parametrize("keep", [0, 4000, 1e9])
def test_how_much_text_is_kept_changes_nothing(
    settings: DistillSettings, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, keep: float
) -> None:
    monkeypatch.setattr("wordstill.corpus.segmented_text.CHUNK", 2000)
    monkeypatch.setattr("wordstill.system.workers.DONE_HERE", 3)
    whole = distill(corpus, out=tmp_path / "whole", settings=settings)
    monkeypatch.setattr("wordstill.distillation.counting.MOST_BYTES", keep)
    break_run(corpus, tmp_path / "broken", settings, 19)
    text = json.loads((tmp_path / "broken" / "unfinished" / "vocabulary.json").read_text())["text"]
    assert (text["size"] > 0, text["whole"]) == (keep > 0, keep > 1e6)
    resumed = distill(corpus, out=tmp_path / "broken", settings=settings, resume=True, workers=2)
    assert vector_bytes(resumed.folder) == vector_bytes(whole.folder)


def test_kept_text_that_is_gone_is_segmented_again(settings: DistillSettings, corpus: Path, tmp_path: Path) -> None:
    whole = distill(corpus, out=tmp_path / "whole", settings=settings)
    break_run(corpus, tmp_path / "broken", settings, 19)
    (tmp_path / "broken" / "unfinished" / "kept" / "+text.bin").unlink()
    resumed = distill(corpus, out=tmp_path / "broken", settings=settings, resume=True)
    assert vector_bytes(resumed.folder) == vector_bytes(whole.folder)


def test_kept_text_is_not_segmented_again(
    settings: DistillSettings, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "run"
    segment = Segmenter.__call__

    def once(self: Segmenter, paragraph: str) -> list[list[str]]:
        assert not (out / "unfinished" / "vocabulary.json").exists(), "the words were found before"
        return segment(self, paragraph)

    monkeypatch.setattr(Segmenter, "__call__", once)
    run = distill(corpus, out=out, settings=settings)
    assert run.record.corpus.words > 1000
    assert not (out / "unfinished").exists()


def command(teacher: str, corpus: Path, out: Path, *more: str) -> list[str]:
    return [
        sys.executable, "-m", "wordstill.cli", "distill", "--teacher", teacher, "--corpus", str(corpus),
        "--student", "closed,x2static", "--out", str(out), "--batch-tokens", "300", "--threads", "1",
        "--checkpoint-seconds", "0", *more,
    ]  # fmt: skip


def test_a_process_killed_at_random_moments_resumes_to_the_same_vectors(teacher: str, tmp_path: Path) -> None:
    corpus = write_corpus(tmp_path / "texts.txt", 1500)
    whole = tmp_path / "whole"
    began = time.monotonic()
    subprocess.run(command(teacher, corpus, whole), check=True, capture_output=True)
    took = time.monotonic() - began
    broken = tmp_path / "broken"
    draw = random.Random(4)
    kills = 0
    for _ in range(3):
        process = subprocess.Popen(command(teacher, corpus, broken, "--resume"), stderr=subprocess.DEVNULL)
        time.sleep(took * draw.uniform(0.45, 0.9))
        if process.poll() is None:
            kills += 1
            os.kill(process.pid, signal.SIGKILL)
        process.wait()
    assert kills
    done = subprocess.run(command(teacher, corpus, broken, "--resume"), check=True, capture_output=True, text=True)
    assert vector_bytes(broken) == vector_bytes(whole)
    assert "wordstill evaluate" in done.stdout


def test_ctrl_c_keeps_everything_and_says_how_to_go_on(teacher: str, tmp_path: Path) -> None:
    corpus = write_corpus(tmp_path / "texts.txt", 4000)
    out = tmp_path / "run"
    arguments = command(teacher, corpus, out)
    arguments[arguments.index("--checkpoint-seconds") + 1] = "1000"
    process = subprocess.Popen(arguments, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    while not list(out.glob("unfinished/shards/*/x2static/words.bin")):
        time.sleep(0.05)
        assert process.poll() is None
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate()
    assert process.returncode == 130
    assert "--resume" in stderr
    assert "Traceback" not in stderr
    (shard,) = out.glob("unfinished/shards/*/checkpoint/progress.json")
    assert json.loads(shard.read_text())["record"]["batches"] > 0
    subprocess.run([*arguments, "--resume"], check=True, capture_output=True)
    subprocess.run(command(teacher, corpus, tmp_path / "whole"), check=True, capture_output=True)
    assert vector_bytes(out) == vector_bytes(tmp_path / "whole")


def test_a_stop_that_is_asked_for_is_not_an_ordinary_interrupt() -> None:
    assert issubclass(Interrupted, KeyboardInterrupt)


def test_a_finished_run_is_refused_resumed_or_overwritten(
    settings: DistillSettings, corpus: Path, tmp_path: Path
) -> None:
    settings = replace(settings, students=("aggregate",), student_options={})
    first = distill(corpus, out=tmp_path / "run", settings=settings)
    with pytest.raises(InputError, match="already holds a finished run; give --resume to go on or --overwrite"):
        distill(corpus, out=tmp_path / "run", settings=settings)
    assert distill(corpus, out=tmp_path / "run", settings=settings, resume=True).record == first.record
    before = vector_bytes(first.folder)
    (first.folder / "mine.txt").write_text("notes of the user")
    again = distill(corpus, out=tmp_path / "run", settings=settings, overwrite=True)
    assert vector_bytes(again.folder) == before
    assert (first.folder / "mine.txt").read_text() == "notes of the user"


def test_a_resume_with_changed_settings_says_which(settings: DistillSettings, corpus: Path, tmp_path: Path) -> None:
    settings = replace(settings, students=("aggregate",), student_options={})
    distill(corpus, out=tmp_path / "run", settings=settings)
    changed = replace(settings, vocabulary=VocabularySettings(min_count=3), seed=2)
    with pytest.raises(InputError, match=r"vocabulary.min_count \(5 before, 3 now\), seed \(0 before, 2 now\)"):
        distill(corpus, out=tmp_path / "run", settings=changed, resume=True)
    longer = write_corpus(tmp_path / "texts.txt", 301)
    with pytest.raises(InputError, match="changed: the corpus itself"):
        distill(longer, out=tmp_path / "run", settings=settings, resume=True)


def test_a_run_of_another_version_is_not_gone_on_with(
    settings: DistillSettings, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Defaults may have changed between versions, and the vectors would be of neither."""
    settings = replace(settings, students=("aggregate",), student_options={})
    with monkeypatch.context() as patch:
        patch.setattr(RunRecord, "__init__", partialmethod(RunRecord.__init__, version="0.0.1"))
        patch.setattr("wordstill.distillation.engines.do_shards", lambda *given, **options: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            distill(corpus, out=tmp_path / "run", settings=settings)
    with pytest.raises(InputError, match=r"changed: wordstill itself \(0\.0\.1 before"):
        distill(corpus, out=tmp_path / "run", settings=settings, resume=True)


def test_a_folder_with_other_things_in_it_is_never_touched(
    settings: DistillSettings, corpus: Path, tmp_path: Path
) -> None:
    (tmp_path / "thesis.tex").write_text("precious")
    for options in ({}, {"overwrite": True}, {"resume": True}):
        with pytest.raises(InputError, match=r"holds something that is no run \(thesis.tex\)"):
            distill(corpus, out=tmp_path, settings=settings, **options)
    assert [item.name for item in tmp_path.iterdir()] == ["thesis.tex"]


def test_two_processes_never_work_in_one_folder(settings: DistillSettings, corpus: Path, tmp_path: Path) -> None:
    from wordstill.distillation.run_folder import RunFolder

    with RunFolder(tmp_path / "run").locked(), pytest.raises(InputError, match="another process is at work"):
        distill(corpus, out=tmp_path / "run", settings=settings)


def test_numbers_that_are_not_finite_stop_the_run_and_keep_the_checkpoint(
    settings: DistillSettings, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from wordstill.students.x2static import X2Static

    steps = 0
    step = X2Static._step

    def poisoned(self: X2Static, contexts: Any) -> None:
        nonlocal steps
        steps += 1
        if steps == 5:
            self.table[:] = np.nan
        step(self, contexts)

    settings = replace(
        settings, students=("paper=x2static",), student_options={"paper": {"preset": "paper", "subsample": "0"}}
    )
    monkeypatch.setattr(X2Static, "_step", poisoned)
    with pytest.raises(InputError, match=r"paper came apart while it learned from what was kept: the loss is nan"):
        distill(corpus, out=tmp_path / "run", settings=settings, checkpoint_seconds=0.0)
    monkeypatch.undo()
    resumed = distill(corpus, out=tmp_path / "run", settings=settings, resume=True)
    whole = distill(corpus, out=tmp_path / "whole", settings=settings)
    assert vector_bytes(resumed.folder) == vector_bytes(whole.folder)


@pytest.mark.skipif(os.geteuid() != 0 or shutil.which("mount") is None, reason="mounting a small disk needs root")
def test_a_full_disk_ends_in_one_sentence_and_resumes_when_there_is_room(
    settings: DistillSettings, corpus: Path, tmp_path: Path
) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "none", disk], capture_output=True)
    if mounted.returncode:
        pytest.skip("a small disk cannot be mounted here")
    try:
        with pytest.raises(InputError, match="full"):
            distill(corpus, out=disk / "run", settings=settings, checkpoint_seconds=0.0)
        assert not [path for path in disk.rglob("*") if path.name.endswith(".tmp")]
        subprocess.run(["mount", "-o", "remount,size=64m", disk], check=True)
        resumed = distill(corpus, out=disk / "run", settings=settings, resume=True)
        whole = distill(corpus, out=tmp_path / "whole", settings=settings)
        assert vector_bytes(resumed.folder) == vector_bytes(whole.folder)
    finally:
        subprocess.run(["umount", disk], check=True)
