"""Students that read words and need no teacher: whole runs, broken runs, and runs beside a teacher."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from runs import break_run, vector_bytes
from wordstill import WordVectors
from wordstill.cli import main
from wordstill.distillation.distill import distill
from wordstill.distillation.settings import DistillSettings

pytestmark = pytest.mark.slow

NAMES = ("skipgram", "skipgram-context", "cbow", "fasttext", "glove", "sent2vec")
OPTIONS = {
    name: {"dimensions": "8", "epochs": "2", **({"buckets": "300"} if name in ("fasttext", "sent2vec") else {})}
    for name in NAMES
}
SETTINGS = DistillSettings(students=NAMES, student_options=OPTIONS, words=3000, shard_words=1000)


def test_the_command_trains_them_without_a_teacher(corpus: Path, tmp_path: Path) -> None:
    given = ["--student", ",".join(NAMES), "--out", str(tmp_path / "run"), "-q"]
    for name, options in OPTIONS.items():
        for option, value in options.items():
            given += ["--set", f"{name}.{option}={value}"]
    assert main(["distill", "--corpus", str(corpus), *given]) == 0
    for name in NAMES:
        vectors = WordVectors.load(tmp_path / "run" / name)
        assert vectors.vector_size == 8
        assert np.isfinite(vectors.matrix).all()
        assert vectors.matrix.any()
        assert "the" in vectors
    fasttext = WordVectors.load(tmp_path / "run" / "fasttext")
    assert fasttext.subwords is not None
    assert fasttext.subwords.codes.shape == (300, 8)


def test_fewer_dimensions_leave_n_grams_of_the_old_ones_out(corpus: Path, tmp_path: Path) -> None:
    options = {"fasttext": OPTIONS["fasttext"]}
    run = distill(corpus, out=tmp_path / "run", students=["fasttext"], student_options=options, dimensions=3)
    vectors = run.vectors("fasttext")
    assert vectors.vector_size == 3
    assert vectors.subwords is not None
    assert vectors.subwords.basis.shape[1] == 3


# Three shards of a batch each, then twelve replays or more of three blocks.
@pytest.mark.parametrize("after", [2, 5, 20, 34])
def test_a_broken_run_resumes_to_the_same_vectors(corpus: Path, tmp_path: Path, after: int) -> None:
    whole = distill(corpus, out=tmp_path / "whole", settings=SETTINGS)
    break_run(corpus, tmp_path / "broken", SETTINGS, after)
    resumed = distill(corpus, out=tmp_path / "broken", settings=SETTINGS, resume=True)
    assert vector_bytes(resumed.folder) == vector_bytes(whole.folder)
    for name in NAMES:
        assert resumed.record.students[name].loss == whole.record.students[name].loss
        assert len(whole.record.students[name].loss) > 1


def test_beside_a_teacher_rare_words_are_left_as_they_are(teacher: str, corpus: Path, tmp_path: Path) -> None:
    options = {name: OPTIONS[name] for name in ("skipgram", "glove")}
    students = ["aggregate", "skipgram", "glove"]
    runs = [
        distill(corpus, out=tmp_path / rare, teacher=teacher, students=students, student_options=options, rare=rare)
        for rare in ("mix", "leave")
    ]
    for name in ("skipgram", "glove"):
        mixed, left = (run.vectors(name) for run in runs)
        assert mixed.words == left.words
        np.testing.assert_array_equal(mixed.matrix, left.matrix)
        assert runs[0].record.students[name].unseen == {}
    assert runs[0].vectors("aggregate").vector_size == 32
