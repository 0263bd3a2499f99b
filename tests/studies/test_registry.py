"""Settings of studies, as Python gives them."""

from __future__ import annotations

import typing
from typing import Any

import pytest

from wordstill import DistillSettings, InputError
from wordstill.evaluation import EvaluationSettings
from wordstill.studies import study, study_settings
from wordstill.studies.attention import AttentionSettings
from wordstill.studies.corpus_size import CorpusSizeSettings
from wordstill.studies.teachers import TeachersSettings
from wordstill.studies.window_size import WindowSizeSettings
from wordstill.teacher.precision import Precision


def test_what_a_study_compares_is_its_own_setting_and_the_rest_are_those_of_the_distillation() -> None:
    sizes = study_settings("corpus-size", words=[300, 1500], teacher="bert", min_count=2, split="dev", seed=3)
    assert isinstance(sizes, CorpusSizeSettings)
    assert sizes.words == (300, 1500)
    assert sizes.students == ("aggregate", "x2static")
    assert sizes.distill.words is None
    assert (sizes.distill.teacher, sizes.distill.vocabulary.min_count, sizes.distill.seed) == ("bert", 2, 3)
    assert (sizes.judging.split, sizes.judging.datasets) == ("dev", ("simlex999", "rw2034"))
    teachers = study_settings("teachers", teacher=["bert", "gpt2"], words=300, students=["closed"])
    assert isinstance(teachers, TeachersSettings)
    assert (teachers.teacher, teachers.distill.words, teachers.students) == (("bert", "gpt2"), 300, ("closed",))
    epochs = study_settings("attention", epochs=[1, 2], keep_bytes=1e6, datasets=None)
    assert isinstance(epochs, AttentionSettings)
    assert (epochs.epochs, epochs.execution.keep_bytes, len(epochs.datasets)) == ((1, 2), 1e6, 4)


@pytest.mark.parametrize("precision", typing.get_args(Precision))
def test_a_study_takes_every_precision_that_a_distillation_takes(precision: str) -> None:
    settings = study_settings("window-size", precision=precision)
    assert isinstance(settings, WindowSizeSettings)
    assert settings.distill.precision == precision


@pytest.mark.parametrize(
    ("name", "keywords", "told"),
    [
        ("nothing", {}, "there is no study 'nothing'; choose from window-size, attention"),
        ("window-size", {"corpus": "texts.txt"}, "needs to know its 'out'"),
        ("corpus-size", {"corpus": "texts.txt", "out": "s"}, "needs to know its 'words'"),
        ("teachers", {"teacher": "bert"}, "teacher is a tuple, not 'bert'"),
        ("window-size", {"widows": [1]}, "there is no setting 'widows'"),
        ("window-size", {"students": ["closed"]}, "does not read 'students' of its `distill`"),
        ("teachers", {"distill": DistillSettings(teacher="bert")}, "does not read 'teacher' of its `distill`"),
        ("attention", {"evaluation": EvaluationSettings(datasets=("ws353",))}, "does not read 'datasets' of its"),
        ("attention", {"settings": WindowSizeSettings()}, "takes AttentionSettings, not WindowSizeSettings"),
        ("attention", {"settings": AttentionSettings(), "seed": 1}, "seed is given beside `settings`"),
    ],
)
def test_what_a_study_cannot_be_told_is_refused(name: str, keywords: dict[str, Any], told: str) -> None:
    with pytest.raises(InputError, match=told):
        study(name, **keywords)
