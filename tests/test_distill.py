"""The main job, end to end, on a small random BERT."""

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
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from small_models import make_model
from texts import write_corpus
from wordstill import WordVectors
from wordstill.corpus.segment import SegmentSettings
from wordstill.corpus.vocabulary import VocabularySettings
from wordstill.distillation import distill
from wordstill.errors import InputError
from wordstill.settings import DistillSettings
from wordstill.training.job import Interrupted, Job


@pytest.fixture(scope="module")
def teacher(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(make_model("bert", tmp_path_factory.mktemp("bert")))


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_corpus(tmp_path_factory.mktemp("corpus") / "texts.txt", 300)


@pytest.fixture
def settings(teacher: str) -> DistillSettings:
    return DistillSettings(
        teacher=teacher,
        students=("aggregate", "closed", "x2static", "paper=x2static"),
        student_options={"paper": {"preset": "paper"}},
        batch_tokens=400,
        buffer_tokens=3000,
        threads=1,
    )


def vector_bytes(folder: Path) -> dict[str, bytes]:
    """Every file of every student, byte by byte."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.parent != folder
    }


def test_processes_that_read_ahead_change_no_byte(
    settings: DistillSettings, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wordstill.corpus.ahead.CHUNK", 2000)
    monkeypatch.setattr("wordstill.corpus.ahead.DONE_HERE", 2)
    limited = replace(settings, students=("aggregate", "closed"), student_options={}, words=3000)
    alone = distill(corpus, out=tmp_path / "alone", settings=limited, workers=0)
    shared = distill(corpus, out=tmp_path / "shared", settings=limited, workers=2)
    assert vector_bytes(alone.folder) == vector_bytes(shared.folder)
    assert 3000 <= alone.record["corpus"]["words"] == shared.record["corpus"]["words"] < 3100


def test_a_run_leaves_its_record_and_the_vectors_of_every_student(
    settings: DistillSettings, corpus: Path, tmp_path: Path
) -> None:
    run = distill(corpus, out=tmp_path / "run", settings=settings)
    assert sorted(item.name for item in run.folder.iterdir()) == [
        "aggregate", "closed", "paper", "run.json", "vocabulary.json", "x2static",
    ]  # fmt: skip
    record = json.loads((run.folder / "run.json").read_text())
    assert record == run.record
    assert record["corpus"]["paragraphs"] == 300
    assert record["corpus"]["words"] > 3000
    assert 1.0 <= record["padding"] < 1.1
    assert set(record["seconds"]["students"]) == {"aggregate", "closed", "x2static", "paper"}
    for name, student in record["students"].items():
        vectors = run.vectors(name)
        assert not vectors.matrix.flags.owndata  # memory-mapped
        assert (len(vectors), vectors.vector_size) == (student["words"], student["dimensions"])
        assert vectors.vector_size == 32
        assert {"river", "u.s.", "3.5", "10,000", "."} <= set(vectors)
        assert np.isfinite(vectors.matrix).all()
        assert vectors.card["teacher"] == Path(settings.teacher or "").name
    assert record["students"]["x2static"]["loss"]
    assert not record["students"]["closed"]["loss"]
    with pytest.raises(InputError, match="has no 'glove'; it has: aggregate, closed"):
        run.vectors("glove")


def test_aggregate_is_the_mean_over_plain_encodings(teacher: str, corpus: Path, tmp_path: Path) -> None:
    """Against transformers alone: every paragraph by itself, and a dictionary of sums."""
    import torch
    from transformers import AutoModel, AutoTokenizer

    from wordstill.corpus.segment import Segmenter

    tokenizer, model = AutoTokenizer.from_pretrained(teacher), AutoModel.from_pretrained(teacher).eval()
    tokenizer.backend_tokenizer.no_truncation()
    tokenizer.backend_tokenizer.no_padding()
    sums: dict[str, list[Any]] = {}
    for line in corpus.read_text(encoding="utf-8").split("\n")[:40]:
        for sentence in Segmenter()(line):
            encoded = tokenizer(sentence, is_split_into_words=True, return_tensors="pt")
            with torch.no_grad():
                hidden = model(**encoded).last_hidden_state[0].numpy()
            places = encoded.word_ids()
            for number, word in enumerate(sentence):
                pieces = hidden[[place for place, owner in enumerate(places) if owner == number]]
                sums.setdefault(word.lower(), []).append(pieces.mean(axis=0))
    few = tmp_path / "few.txt"
    few.write_text("\n".join(corpus.read_text(encoding="utf-8").split("\n")[:40]), encoding="utf-8")
    vectors = distill(few, out=tmp_path / "run", settings=DistillSettings(teacher=teacher, context="sentence")).vectors(
        "aggregate"
    )
    assert set(vectors) == {word for word, held in sums.items() if len(held) >= 5}
    assert vectors.counts is not None
    for word, count in zip(vectors.words, vectors.counts, strict=True):
        assert count == len(sums[word])
        np.testing.assert_allclose(vectors[word], np.mean(sums[word], axis=0), atol=1e-5)


def test_the_same_seed_gives_the_same_bytes_and_another_seed_others(
    settings: DistillSettings, corpus: Path, tmp_path: Path
) -> None:
    first, second, other = (
        vector_bytes(distill(corpus, out=tmp_path / name, settings=replace(settings, seed=seed)).folder)
        for name, seed in (("first", 0), ("second", 0), ("other", 1))
    )
    assert first == second
    assert first["paper/model.safetensors"] != other["paper/model.safetensors"]


class Killed(BaseException):
    """As sudden as SIGKILL for everything above it: no handler of the run may catch it."""


@pytest.mark.parametrize("after", [1, 7, 19, 33, 40, 44])
def test_a_run_that_breaks_anywhere_resumes_to_the_same_vectors(
    settings: DistillSettings, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after: int
) -> None:
    whole = distill(corpus, out=tmp_path / "whole", settings=settings)
    rests = 0
    rest = Job.rest

    def breaking(self: Job) -> None:
        nonlocal rests
        rests += 1
        if rests == after:
            raise Killed
        rest(self)

    monkeypatch.setattr(Job, "rest", breaking)
    with pytest.raises(Killed):
        distill(corpus, out=tmp_path / "broken", settings=settings, checkpoint_seconds=0.0)
    monkeypatch.undo()
    resumed = distill(corpus, out=tmp_path / "broken", settings=settings, resume=True)
    assert vector_bytes(resumed.folder) == vector_bytes(whole.folder)
    assert resumed.record["students"] == whole.record["students"]
    assert resumed.record["tokens"] == whole.record["tokens"]


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
    while not (out / "kept" / "x2static" / "words.bin").exists():
        time.sleep(0.05)
        assert process.poll() is None
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate()
    assert process.returncode == 130
    assert "--resume" in stderr
    assert "Traceback" not in stderr
    assert json.loads((out / "checkpoint" / "progress.json").read_text())["batches"] > 0
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
    with pytest.raises(InputError, match=r"seed \(0 before, 2 now\), vocabulary.min_count \(5 before, 3 now\)"):
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
        patch.setattr("wordstill.runs.__version__", "0.0.1")
        patch.setattr("wordstill.distillation.teach", lambda *given, **options: 1 / 0)
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
    from wordstill.runs import RunFolder

    with RunFolder(tmp_path / "run").locked(), pytest.raises(InputError, match="another process is at work"):
        distill(corpus, out=tmp_path / "run", settings=settings)


def test_every_layer_can_be_aggregated_at_once(teacher: str, corpus: Path, tmp_path: Path) -> None:
    settings = DistillSettings(teacher=teacher, students=("aggregate", "closed"), layer="all")
    run = distill(corpus, out=tmp_path / "run", settings=settings)
    assert list(run.record["students"]) == [*(f"aggregate/layer-0{n}" for n in range(4)), "closed"]
    assert (tmp_path / "run" / "aggregate" / "layer-02" / "model.safetensors").is_file()
    single = distill(
        corpus, out=tmp_path / "single", settings=DistillSettings(teacher=teacher, students=("aggregate",), layer=-2)
    )
    np.testing.assert_allclose(single.vectors("aggregate").matrix, run.vectors("aggregate/layer-02").matrix, atol=1e-6)
    with pytest.raises(InputError, match="has layers 0 to 3, no layer 9"):
        distill(corpus, out=tmp_path / "no", settings=DistillSettings(teacher=teacher, layer=9))


def test_a_limit_of_words_ends_with_a_whole_paragraph(teacher: str, corpus: Path, tmp_path: Path) -> None:
    run = distill(corpus, out=tmp_path / "run", settings=DistillSettings(teacher=teacher, words=500))
    assert 500 <= run.record["corpus"]["words"] < 600
    assert run.record["corpus"]["paragraphs"] < 60


def test_fewer_dimensions_keep_most_of_the_similarities(teacher: str, corpus: Path, tmp_path: Path) -> None:
    full = distill(corpus, out=tmp_path / "full", settings=DistillSettings(teacher=teacher)).vectors("aggregate")
    small = distill(corpus, out=tmp_path / "small", settings=DistillSettings(teacher=teacher, dimensions=12)).vectors(
        "aggregate"
    )
    assert small.vector_size == 12
    products = [np.asarray(v.matrix) @ np.asarray(v.matrix).T for v in (full, small)]
    assert np.corrcoef(products[0].ravel(), products[1].ravel())[0, 1] > 0.95


def test_forced_words_and_phrases_are_matched_in_the_text(teacher: str, corpus: Path, tmp_path: Path) -> None:
    vocabulary = VocabularySettings(min_count=5, forced=("new_york", "ten countries", "Tokyo", "unicorn"))
    run = distill(corpus, out=tmp_path / "run", settings=DistillSettings(teacher=teacher, vocabulary=vocabulary))
    vectors = run.vectors("aggregate")
    text = corpus.read_text(encoding="utf-8")
    assert vectors.counts is not None
    counts = dict(zip(vectors.words, vectors.counts.tolist(), strict=True))
    assert counts["new_york"] == text.count("New York")
    assert counts["ten countries"] == text.count("ten countries")
    assert counts["tokyo"] == text.count("Tokyo")
    assert "york" not in vectors
    assert counts["unicorn"] == 0
    assert np.linalg.norm(vectors["unicorn"]) > 0
    assert run.record["corpus"]["vocabulary"] == len(vectors)
    assert run.record["students"]["aggregate"]["unseen"]["words_never_seen"] == 1


def test_cased_vocabularies_tell_the_from_the(teacher: str, corpus: Path, tmp_path: Path) -> None:
    vocabulary = VocabularySettings(lowercase=False)
    run = distill(corpus, out=tmp_path / "run", settings=DistillSettings(teacher=teacher, vocabulary=vocabulary))
    assert {"The", "the", "U.S.", "Tokyo"} <= set(run.vectors("aggregate"))


def test_the_filters_of_the_papers_leave_out_what_they_say(teacher: str, corpus: Path, tmp_path: Path) -> None:
    filtered = SegmentSettings(min_sentences=3, min_sentence_words=10, max_kept_sentence_words=40)
    run = distill(corpus, out=tmp_path / "run", settings=DistillSettings(teacher=teacher, segmentation=filtered))
    everything = distill(corpus, out=tmp_path / "all", settings=DistillSettings(teacher=teacher))
    assert 0 < run.record["corpus"]["sentences"] < everything.record["corpus"]["sentences"]
    assert run.record["corpus"]["words"] / run.record["corpus"]["sentences"] >= 10


@pytest.mark.parametrize(
    ("text", "message"),
    [("", "no words"), ("\n\n\n", "no words"), ("one two three four", r"no word of the corpus is seen 5 times")],
)
def test_a_corpus_without_enough_words_is_refused(teacher: str, tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "texts.txt"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        distill(path, out=tmp_path / "run", settings=DistillSettings(teacher=teacher))


def test_ugly_text_is_read_by_stated_rules_and_breaks_nothing(teacher: str, tmp_path: Path) -> None:
    path = tmp_path / "ugly.txt"
    ugly = b"bad \xff\xfe bytes here. NUL \x00 and \x07 bell. " * 5
    long_word, long_line = b"x" * 5000 + b" ", b"a long line of words " * 40_000
    path.write_bytes(ugly + b"\n" + long_word * 6 + b"\n" + long_line + b"\nno final newline")
    run = distill(path, out=tmp_path / "run", settings=DistillSettings(teacher=teacher, students=("closed",)))
    assert run.record["corpus"]["replaced_bytes"] == 10
    vectors = run.vectors("closed")
    assert {"bad", "bytes", "nul", "bell", "long"} <= set(vectors)
    assert not any(set(word) & set(" \n\t\0") for word in vectors)
    assert np.isfinite(vectors.matrix).all()


def test_words_that_the_teacher_cannot_read_are_counted(teacher: str, tmp_path: Path) -> None:
    path = tmp_path / "long.txt"
    path.write_text(("short words and " + "unbelievableincredible" * 4 + " too. ") * 6)
    run = distill(path, out=tmp_path / "run", settings=DistillSettings(teacher=teacher, longest_text=10))
    assert run.record["truncated_words"] == 6
    assert "short" in run.vectors("aggregate")


def test_numbers_that_are_not_finite_stop_the_run_and_keep_the_checkpoint(
    settings: DistillSettings, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from wordstill.students.x2static import X2Static

    steps = 0
    step = X2Static._step

    def poisoned(self: X2Static, contexts: Any) -> None:
        nonlocal steps
        steps += 1
        if steps == 20:
            self.table[:] = np.nan
        step(self, contexts)

    settings = replace(
        settings, students=("paper=x2static",), student_options={"paper": {"preset": "paper", "subsample": "0"}}
    )
    monkeypatch.setattr(X2Static, "_step", poisoned)
    with pytest.raises(InputError, match=r"paper came apart in batch \d+ of buffer \d+.*the loss is nan"):
        distill(corpus, out=tmp_path / "run", settings=settings, checkpoint_seconds=0.0)
    monkeypatch.undo()
    resumed = distill(corpus, out=tmp_path / "run", settings=settings, resume=True)
    whole = distill(corpus, out=tmp_path / "whole", settings=settings)
    assert vector_bytes(resumed.folder) == vector_bytes(whole.folder)


def test_a_teacher_that_speaks_nonsense_is_caught(corpus: Path, tmp_path: Path) -> None:
    import torch
    from transformers import AutoModel

    folder = make_model("bert", tmp_path / "bert")
    model = AutoModel.from_pretrained(folder)
    with torch.no_grad():
        model.encoder.layer[1].output.dense.bias.fill_(float("nan"))
    model.save_pretrained(folder)
    with pytest.raises(InputError, match="the teacher's vectors at layer 3 are not finite in batch 1 of buffer 1"):
        distill(corpus, out=tmp_path / "run", settings=DistillSettings(teacher=str(folder)))


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


def test_vectors_load_without_torch(settings: DistillSettings, corpus: Path, tmp_path: Path) -> None:
    run = distill(corpus, out=tmp_path / "run", settings=replace(settings, students=("closed",), student_options={}))
    program = (
        "import sys, wordstill; v = wordstill.WordVectors.load(sys.argv[1]); v.most_similar('river'); "
        "print(sorted({'torch', 'numba', 'scipy', 'transformers'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(run.folder / "closed")], check=True, capture_output=True, text=True
    )
    assert done.stdout.strip() == "[]"
    assert isinstance(run.vectors("closed"), WordVectors)
