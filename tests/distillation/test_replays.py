"""Students that look at windows or at words alone, end to end on a small random BERT."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from runs import break_run
from wordstill.corpus.vocabulary import VocabularySettings
from wordstill.distillation.distill import distill
from wordstill.distillation.kept_contexts import KeptWords
from wordstill.distillation.settings import DistillSettings
from wordstill.errors import InputError
from wordstill.system.large_tables import Tables

pytestmark = pytest.mark.slow

STUDENTS = ("closed", "dynamic-skipgram", "context-to-vec", "paper=dynamic-skipgram", "principal", "alone", "table")


@pytest.fixture
def settings(teacher: str) -> DistillSettings:
    return DistillSettings(
        teacher=teacher,
        students=STUDENTS,
        student_options={
            "closed": {"view": "window"},
            "paper": {"preset": "paper", "epochs": "2", "dimensions": "20"},
            "context-to-vec": {"epochs": "2"},
        },
        batch_tokens=400,
        buffer_tokens=3000,
        threads=1,
    )


def matrices(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*.safetensors")}


def test_every_student_leaves_vectors_of_its_size(
    settings: DistillSettings, corpus: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level("DEBUG", logger="wordstill"):
        run = distill(corpus, out=tmp_path / "run", settings=settings)
    assert list(run.record.students) == [name.split("=")[0] for name in STUDENTS]
    for name, student in run.record.students.items():
        vectors = run.vectors(name)
        assert vectors.vector_size == (20 if name == "paper" else 32)
        assert np.isfinite(vectors.matrix).all()
        assert bool(student.loss) == (name in ("dynamic-skipgram", "context-to-vec", "paper"))
    # One file of word vectors for the three who need them, and gone when the run is done.
    assert "word vectors are kept on disk for dynamic-skipgram and context-to-vec and paper" in caplog.text
    assert not (tmp_path / "run" / "unfinished").exists()
    assert run.vectors("closed").words == run.vectors("dynamic-skipgram").words


@pytest.mark.parametrize("after", [3, 21, 30, 33, 36, 39])
def test_a_run_that_breaks_anywhere_resumes_to_the_same_vectors(
    settings: DistillSettings, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after: int
) -> None:
    monkeypatch.setattr(KeptWords, "block", 100)
    monkeypatch.setattr("wordstill.distillation.teaching.AT_ONCE", 40)
    whole = distill(corpus, out=tmp_path / "whole", settings=settings)

    break_run(corpus, tmp_path / "broken", settings, after)
    resumed = distill(corpus, out=tmp_path / "broken", settings=settings, resume=True)
    assert matrices(resumed.folder) == matrices(whole.folder)
    assert resumed.record.students == whole.record.students


def test_more_space_than_was_allowed_is_refused_with_its_size(
    settings: DistillSettings, corpus: Path, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match=r"need 0\.00\d+ GB on disk.*--keep-bytes allows 1e-06 GB"):
        distill(corpus, out=tmp_path / "run", settings=settings, keep_bytes=1000)
    # What a run may take is no setting of it: the same run goes on when there is room.
    run = distill(corpus, out=tmp_path / "run", settings=settings, resume=True)
    assert run.record.finished


def plain(teacher: str) -> tuple[Any, Any]:
    from transformers import AutoModel, AutoTokenizer

    tokenizer, model = AutoTokenizer.from_pretrained(teacher), AutoModel.from_pretrained(teacher).eval()
    tokenizer.backend_tokenizer.no_truncation()
    tokenizer.backend_tokenizer.no_padding()
    return tokenizer, model


def test_alone_and_table_are_what_transformers_says_of_each_word(teacher: str, tmp_path: Path) -> None:
    """Without any corpus: the words come from a list."""
    import torch

    words = ("river", "Tokyo", "unbelievable", "new_york", "u.s.")
    settings = DistillSettings(
        teacher=teacher, students=("alone", "table"), vocabulary=VocabularySettings(forced=words), layer=2
    )
    run = distill(out=tmp_path / "run", settings=settings)
    tokenizer, model = plain(teacher)
    alone, table = run.vectors("alone"), run.vectors("table")
    assert alone.words == table.words == ["river", "tokyo", "unbelievable", "new_york", "u.s."]
    assert run.record.corpus.words == 0
    for word in alone.words:
        encoded = tokenizer([word.replace("_", " ")], is_split_into_words=True, return_tensors="pt")
        inside = [place for place, owner in enumerate(encoded.word_ids()) if owner is not None]
        with torch.no_grad():
            hidden = model(**encoded, output_hidden_states=True).hidden_states[2][0].numpy()
            rows = model.get_input_embeddings()(encoded["input_ids"])[0].numpy()
        np.testing.assert_allclose(alone[word], hidden[inside].mean(axis=0), atol=1e-5)
        np.testing.assert_allclose(table[word], rows[inside].mean(axis=0), atol=1e-6)
    assert json.loads((tmp_path / "run" / "run.json").read_text())["finished"]


def test_without_a_corpus_text_students_and_empty_lists_are_refused(teacher: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="closed learns from text: name some with --corpus"):
        distill(out=tmp_path / "run", teacher=teacher, students=["table", "closed"])
    with pytest.raises(InputError, match="the words must come from a list: name one with --vocabulary"):
        distill(out=tmp_path / "run", teacher=teacher, students=["table"])


def test_with_a_corpus_alone_covers_its_vocabulary(teacher: str, corpus: Path, tmp_path: Path) -> None:
    settings = DistillSettings(teacher=teacher, students=("alone", "aggregate"), layer="all")
    run = distill(corpus, out=tmp_path / "run", settings=settings)
    assert run.vectors("alone/layer-03").words == run.vectors("aggregate/layer-03").words
    # Layer 0 is the embedding with its position, which stands first in both.
    assert run.vectors("alone/layer-00").vector_size == 32
    only = distill(corpus, out=tmp_path / "only", settings=replace(settings, students=("alone",), layer=3))
    np.testing.assert_array_equal(only.vectors("alone").matrix, run.vectors("alone/layer-03").matrix)


def test_tables_that_do_not_fit_into_memory_are_files_and_give_the_same_bytes(
    teacher: str, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = DistillSettings(teacher=teacher, students=("aggregate", "least=aggregate", "principal"), layer="all")
    settings = replace(settings, student_options={"least": {"over_contexts": "min"}})
    whole = distill(corpus, out=tmp_path / "whole", settings=settings)
    made = []

    class Watched(Tables):
        def __call__(self, rows: int, columns: int) -> Any:
            made.append(super().__call__(rows, columns))
            return made[-1]

    monkeypatch.setattr("wordstill.distillation.job.half_of_memory", lambda: 20_000)
    monkeypatch.setattr("wordstill.distillation.job.Tables", Watched)
    spilled = distill(corpus, out=tmp_path / "spilled", settings=settings)
    assert {isinstance(table, np.memmap) for table in made} == {True, False}
    assert matrices(spilled.folder) == matrices(whole.folder)
    assert not (tmp_path / "spilled" / "unfinished").exists()
