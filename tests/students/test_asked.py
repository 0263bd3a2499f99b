"""The student that is asked about words: against the teacher's sentence vectors of each question, one at a time."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from runs import break_run, vector_bytes
from texts import NOUNS
from wordstill.corpus.vocabulary import VocabularySettings
from wordstill.distillation import teaching
from wordstill.distillation.distill import distill
from wordstill.distillation.settings import DistillSettings
from wordstill.distillation.shard_work import ShardWork
from wordstill.errors import InputError
from wordstill.teacher.load import load_teacher
from wordstill.teacher.sentences import sentence_vectors


@pytest.fixture
def asking(teacher: str) -> DistillSettings:
    """A run without a corpus; one of its words is a phrase."""
    words = VocabularySettings(forced=(*NOUNS, "new_york"))
    return DistillSettings(
        teacher=teacher, students=("asked",), vocabulary=words, questions=("what is {}?", "{} or what"), threads=1
    )


def test_a_vector_is_the_mean_over_the_questions(asking: DistillSettings, tmp_path: Path) -> None:
    vectors = distill(out=tmp_path / "run", settings=asking).vectors("asked")
    loaded = load_teacher(str(asking.teacher))
    for word, spelled in (("river", "river"), ("new_york", "new york")):
        texts = [f"what is {spelled}?", f"{spelled} or what"]
        expected = np.mean([sentence_vectors(loaded, [text])[0] for text in texts], axis=0)
        np.testing.assert_allclose(vectors[word], expected, rtol=1e-4, atol=1e-5)
    assert len(vectors) == len(NOUNS) + 1


def test_a_killed_run_resumes_to_the_same_vectors(
    asking: DistillSettings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(teaching, "DEFINED_AT_ONCE", 4)
    whole = distill(out=tmp_path / "whole", settings=asking)
    break_run([], tmp_path / "broken", asking, after=2, resting=(ShardWork,))  # type: ignore[arg-type]
    resumed = distill(out=tmp_path / "broken", settings=asking, resume=True)
    assert vector_bytes(resumed.folder) == vector_bytes(whole.folder)


@pytest.mark.parametrize("questions", [("what is it?",), ("{} and {}",), ()])
def test_a_question_has_the_word_once(asking: DistillSettings, questions: tuple[str, ...]) -> None:
    with pytest.raises(InputError, match=r"a question has \{\} once"):
        replace(asking, questions=questions)
