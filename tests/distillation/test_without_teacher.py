"""A student that needs only words runs in the same pass, with a teacher in the run or without one."""

from __future__ import annotations

import itertools
import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from runs import break_run, vector_bytes
from wordstill.arrays import Array
from wordstill.cli import main
from wordstill.corpus.segment import Segmenter
from wordstill.distillation.distill import distill
from wordstill.distillation.settings import DistillSettings
from wordstill.options import Options
from wordstill.students.registry import STUDENTS, StudentEntry
from wordstill.students.student import Brief, Needs, Student, seen_vectors
from wordstill.teacher.batch import Batch
from wordstill.vectors import WordVectors

pytestmark = pytest.mark.slow


@dataclass(frozen=True)
class NextWordSettings(Options):
    """Nothing is left open."""


class NextWord(Student):
    """A word's vector counts which of the eight most frequent words stands behind it."""

    def __init__(self, brief: Brief, settings: NextWordSettings) -> None:
        self.brief, self.needs = brief, self.needs_of(settings, brief.layer)
        self.counts = np.zeros((len(brief.vocabulary), len(brief.vocabulary)), dtype=np.float32)
        self.seen = np.zeros(len(brief.vocabulary), dtype=np.int64)

    @classmethod
    def needs_of(cls, settings: NextWordSettings, layer: int) -> Needs:
        return Needs("words", teacher=False)

    def observe(self, batch: Batch) -> None:
        known = batch.words >= 0
        np.add.at(self.seen, batch.words[known], 1)
        first, second = batch.words[:-1], batch.words[1:]
        pairs = (batch.sentences[:-1] == batch.sentences[1:]) & (first >= 0) & (second >= 0)
        np.add.at(self.counts, (first[pairs], second[pairs]), 1)

    def merge(self, other: NextWord, rows: Array) -> None:
        self.counts[np.ix_(rows, rows)] += other.counts
        self.seen[rows] += other.seen

    def vectors(self) -> WordVectors:
        return seen_vectors(self.brief.vocabulary, self.counts[:, :8], self.seen, student="next-word")

    def state_dict(self) -> dict[str, Array]:
        return {"counts": self.counts, "seen": self.seen}

    def load_state_dict(self, state: Mapping[str, Array]) -> None:
        self.counts, self.seen = np.array(state["counts"]), np.array(state["seen"])


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("wordstill.students.next_word")
    module.NextWord, module.NextWordSettings = NextWord, NextWordSettings  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "wordstill.students.next_word", module)
    monkeypatch.setitem(STUDENTS, "next-word", StudentEntry("next_word", "NextWord"))
    monkeypatch.setattr("wordstill.corpus.segmented_text.CHUNK", 2000)


def test_the_command_runs_without_a_teacher(corpus: Path, tmp_path: Path) -> None:
    given = ["distill", "--corpus", str(corpus), "--student", "next-word", "--out", str(tmp_path / "run"), "-q"]
    assert main(given) == 0
    assert (
        main([*given[:4], "next-word,aggregate", *given[5:6], str(tmp_path / "no"), "-q"]) == 2
    )  # aggregate needs one


def test_its_counts_are_those_of_the_text(corpus: Path, tmp_path: Path) -> None:
    run = distill(corpus, out=tmp_path / "run", students=["next-word"])
    vectors = run.vectors("next-word")
    segment, pairs = Segmenter(), Counter[tuple[str, str]]()
    for line in corpus.read_text(encoding="utf-8").split("\n"):
        for sentence in segment(line):
            lowered = [word.lower() for word in sentence]
            pairs.update(itertools.pairwise(lowered))
    assert run.record.teacher is None
    assert vectors.words[:2] == ["the", "."] or set(vectors.words[:2]) == {"the", "."}
    for word in vectors.words:
        assert vectors[word].tolist() == [pairs[word, behind] for behind in vectors.words[:8]]


@pytest.mark.parametrize("after", [1, 3])
@pytest.mark.parametrize("keep", [0, 4000, 1e9])
def test_a_broken_run_resumes_to_the_same_vectors(
    corpus: Path, tmp_path: Path, after: int, keep: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = DistillSettings(students=("next-word",), words=3000, shard_words=1000)
    whole = distill(corpus, out=tmp_path / "whole", settings=settings)
    monkeypatch.setattr("wordstill.distillation.counting.MOST_BYTES", keep)
    break_run(corpus, tmp_path / "broken", settings, after)
    resumed = distill(corpus, out=tmp_path / "broken", settings=settings, resume=True)
    assert vector_bytes(resumed.folder) == vector_bytes(whole.folder)
    assert 3000 <= resumed.record.corpus.words < 3100


def test_beside_a_teacher_it_sees_the_same_words(teacher: str, corpus: Path, tmp_path: Path) -> None:
    alone = distill(corpus, out=tmp_path / "alone", students=["next-word"])
    beside = distill(corpus, out=tmp_path / "beside", teacher=teacher, students=["aggregate", "next-word"])
    np.testing.assert_array_equal(alone.vectors("next-word").matrix, beside.vectors("next-word").matrix)
    assert beside.vectors("aggregate").vector_size == 32
    only_words = distill(corpus, out=tmp_path / "only", teacher=teacher, students=["next-word", "alone"])
    np.testing.assert_array_equal(alone.vectors("next-word").matrix, only_words.vectors("next-word").matrix)
