"""A second teacher reads the dictionary and the words alone: as it would by itself, killed, shared out, mixed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from runs import Killed, vector_bytes
from small_models import make_model
from texts import NOUNS, VERBS
from wordstill.corpus.vocabulary import VocabularySettings
from wordstill.distillation.distill import distill
from wordstill.distillation.settings import DistillSettings
from wordstill.distillation.share import distill_share
from wordstill.distillation.teaching import Teaching
from wordstill.errors import InputError

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def second(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(make_model("distilbert", tmp_path_factory.mktemp("other") / "small-distil"))


@pytest.fixture
def settings(teacher: str, second: str, tmp_path: Path) -> DistillSettings:
    glossary = tmp_path / "glossary.tsv"
    glossary.write_text("\n".join(f"{noun}\twhat {verb}" for noun, verb in zip(NOUNS, VERBS * 2, strict=False)))
    return DistillSettings(
        teacher=teacher,
        other_teachers=(second,),
        dictionary=(str(glossary),),
        vocabulary=VocabularySettings(forced=("fox", "unicorn")),
        batch_tokens=400,
        threads=1,
    )


def test_another_teacher_gives_what_it_would_give_by_itself(
    settings: DistillSettings, second: str, corpus: Path, tmp_path: Path
) -> None:
    run = distill(corpus, out=tmp_path / "run", settings=settings)
    assert list(run.record.students) == [
        "best", "aggregate", "closed", "definition", "definition-small-distil", "alone-small-distil"
    ]  # fmt: skip
    words = tuple(run.vectors("aggregate").words)
    alone = replace(
        settings, teacher=second, other_teachers=(), students=("definition", "alone"),
        vocabulary=VocabularySettings(forced=words),
    )  # fmt: skip
    by_itself = distill(out=tmp_path / "alone", settings=alone)
    for view in ("definition", "alone"):
        found, expected = run.vectors(f"{view}-small-distil"), by_itself.vectors(view)
        assert found.words == expected.words
        np.testing.assert_array_equal(found.matrix, expected.matrix)
    counted = dict(zip(words, run.vectors("aggregate").counts, strict=True))
    assert [counted[word] for word in found.words] == list(found.counts)
    assert run.record.best is not None
    assert set(run.record.best.views) == set(run.record.students) - {"best"}
    assert run.vectors("best").vector_size == run.vectors("aggregate").vector_size + found.vector_size
    assert run.record.seconds.parts["others"] > 0
    assert not (run.folder / "unfinished").exists()


def test_a_run_killed_in_the_hands_of_the_other_teacher_resumes_to_the_same_vectors(
    settings: DistillSettings, corpus: Path, tmp_path: Path
) -> None:
    whole = distill(corpus, out=tmp_path / "whole", settings=settings)
    defined = Teaching._read_about

    def killed(self: Teaching, *given: object) -> object:
        if self.order.settings.students != settings.students:
            raise Killed
        return defined(self, *given)  # type: ignore[arg-type]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Teaching, "_read_about", killed)
        with pytest.raises(Killed):
            distill(corpus, out=tmp_path / "broken", settings=settings)
    assert (tmp_path / "broken" / "unfinished" / "others").is_dir()
    resumed = distill(corpus, out=tmp_path / "broken", settings=settings, resume=True)
    assert vector_bytes(resumed.folder) == vector_bytes(whole.folder)


def test_shares_do_the_other_teachers_shards_too(
    settings: DistillSettings, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wordstill.distillation.shards.WORDS_ALONE", 16)
    whole = distill(corpus, out=tmp_path / "whole", settings=settings)
    shares = [distill_share(corpus, out=tmp_path / "run", share=f"{number}/2", settings=settings) for number in (2, 1)]
    assert any(name.startswith("small-distil/") for name in shares[0].done)
    assert shares[1].missing == []
    run = distill(corpus, out=tmp_path / "run", settings=settings, resume=True)
    assert vector_bytes(run.folder) == vector_bytes(whole.folder)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"other_teachers": ("models/a:closed",)}, "reads definition or alone, not 'closed'"),
        ({"other_teachers": ("models/a", "others/a")}, "two other teachers are called 'a'"),
        ({"other_teachers": ("/",)}, "takes a model"),
        ({"other_teachers": ("models/a:definition",), "dictionary": ()}, "name one with --dictionary"),
        ({"teacher": None}, "name that with --teacher"),
        ({"students": ("best", "alone-small-distil=alone")}, "two students are called 'alone-small-distil'"),
    ],
)
def test_what_cannot_be_another_teacher_is_told(
    settings: DistillSettings, corpus: Path, tmp_path: Path, changes: dict[str, object], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        distill(corpus, out=tmp_path / "run", settings=replace(settings, **changes))  # type: ignore[arg-type]
    assert not (tmp_path / "run").exists()
