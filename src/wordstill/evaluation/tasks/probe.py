"""Probe: a linear classifier on sentence vectors, on the sets of the classification task, in seconds."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from wordstill.arrays import Array
from wordstill.evaluation.downstream.kept import Keeper, keeping_folder
from wordstill.evaluation.downstream.probe import KINDS, Probed, probe, text_features
from wordstill.evaluation.downstream.settings import ProbeSettings, read_numbers
from wordstill.evaluation.downstream.texts import LabelledTexts, halve, read_text_file, read_text_files
from wordstill.evaluation.downstream.words import look_up
from wordstill.evaluation.encoders import TextEncoder
from wordstill.evaluation.settings import EvaluationSettings
from wordstill.evaluation.space import Space
from wordstill.evaluation.tasks.task import Judgement, Task


def judge(space: Space, data: LabelledTexts, settings: EvaluationSettings) -> Judgement:
    """Judge a space by linear classifiers on sentence vectors of every kind."""
    from wordstill.evaluation.downstream.scores import class_judgement, make_part

    table = look_up(space, [part.words for part in data.parts], settings.oov)
    a = settings.of_task(ProbeSettings).a
    found = {kind: _probed(text_features(space, table, kind, a), data, settings) for kind in KINDS}
    labels = [part.labels for part in data.parts]
    coverage = table.coverage()
    # Nothing is drawn at random, so that there is one run, whatever the number of seeds.
    parts = tuple(
        make_part(kind, [float((one.predicted == labels[2]).mean())], coverage) for kind, one in found.items()
    )
    best = max(found.values(), key=lambda one: one.validation)
    return class_judgement(labels[2], [best.predicted], len(data.classes), coverage, parts)


def judge_encoder(encoder: TextEncoder, data: LabelledTexts, settings: EvaluationSettings) -> Judgement:
    """Judge an encoder by a linear classifier on its vectors of the texts, whose words stand between blanks."""
    from wordstill.evaluation.downstream.scores import class_judgement

    encoded = encoder.encode([" ".join(words) for part in data.parts for words in part.words])
    features = np.split(encoded, np.cumsum([len(part) for part in data.parts])[:-1])
    found = _probed(features, data, settings)
    words = sum(map(len, data.test.words))
    return class_judgement(data.test.labels, [found.predicted], len(data.classes), (words, words))


def _probed(features: Sequence[Array], data: LabelledTexts, settings: EvaluationSettings) -> Probed:
    """Probe, or return what is kept of the same features, labels and penalties."""
    labels = [part.labels for part in data.parts]
    strengths = read_numbers("probe.strengths", settings.of_task(ProbeSettings).strengths)
    kept = Keeper(keeping_folder(settings.cache), ["probe", features, labels, strengths])
    score, strength, predicted = kept("test", partial(_plain_probe, features, labels, strengths))
    return Probed(score, strength, np.array(predicted))


def _plain_probe(features: Sequence[Array], labels: Sequence[Array], strengths: Sequence[float]) -> list[object]:
    found = probe(features, labels, strengths)
    return [found.validation, found.strength, found.predicted.tolist()]


TASK = Task(
    name="probe",
    title="Linear probe",
    metric="accuracy",
    about="accuracy and macro-F1 of a linear classifier on mean, unit or SIF sentence vectors",
    missing="left out of the mean, or what the vectors say of it themselves",
    read=read_text_file,
    read_files=read_text_files,
    halve=halve,
    judge=judge,
    judge_encoder=judge_encoder,
    recognizes=lambda line, fields: False,  # a user names it: probe:FILE
    quick=False,
    main_parts=("macro-F1", *KINDS),
    data_of="classification",
)
