"""Classification: does a CNN on top of the vectors tell of what kind a text is? (X2Static, Table 4)"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from wordstill.arrays import Array
from wordstill.evaluation.downstream.kept import Keeper, keeping_folder
from wordstill.evaluation.downstream.settings import ClassificationSettings, TeacherSettings, read_numbers
from wordstill.evaluation.downstream.texts import LabelledTexts, halve, read_text_file, read_text_files
from wordstill.evaluation.downstream.words import WordTable, look_up
from wordstill.evaluation.settings import EvaluationSettings
from wordstill.evaluation.space import Space
from wordstill.evaluation.tasks.task import Judgement, Task
from wordstill.system.progress import Progress

if TYPE_CHECKING:
    from wordstill.evaluation.downstream.cnn import SentenceCnn


def judge(space: Space, data: LabelledTexts, settings: EvaluationSettings) -> Judgement:
    """Judge a space by the classes that CNNs on top of it predict."""
    from wordstill.evaluation.downstream.scores import class_judgement

    origin = settings.of_task(ClassificationSettings).origin
    table = look_up(space, [part.words for part in data.parts], settings.oov, origin=origin)
    runs = [_predicted(space.name, table, data, settings, seed) for seed in seeds_of(settings)]
    return class_judgement(data.test.labels, runs, len(data.classes), table.coverage())


def _predicted(name: str, table: WordTable, data: LabelledTexts, settings: EvaluationSettings, seed: int) -> Array:
    """Search on the validation part, train with what was best, and return the classes of the test part."""
    from wordstill.evaluation.downstream.cnn import train_cnn
    from wordstill.evaluation.downstream.training import Predict, one_thread, search, trained_on_both

    own = settings.of_task(ClassificationSettings)
    labels, rates = [part.labels for part in data.parts], read_numbers("classification.rates", own.rates)
    key = ["cnn", table.matrix, table.rows, labels, asdict(own), settings.finetune, seed]
    kept = Keeper(keeping_folder(settings.cache), key)
    texts = (len(rates) + 1) * len(data.train) + len(data.validation)
    with one_thread(), Progress(f"{name}, seed {seed}", texts * own.last_epoch, unit="texts") as progress:

        def train(parts: Sequence[int], rate: float, epochs: int) -> Iterator[Predict]:
            trained = train_cnn(
                table.matrix,
                [row for part in parts for row in table.rows[part]],
                np.concatenate([labels[part] for part in parts]),
                len(data.classes),
                own,
                rate=rate,
                epochs=epochs,
                seed=seed,
                finetune=settings.finetune,
                advance=progress.advance,
            )
            return (partial(_classes, model, table) for model in trained)

        def test() -> list[int]:
            chosen = search(train, rates, (own.first_epoch, own.last_epoch), labels[1], kept)
            found: list[int] = trained_on_both(train, chosen).tolist()
            return found

        return np.array(kept("test", test))


def _classes(model: SentenceCnn, table: WordTable, part: int) -> Array:
    from wordstill.evaluation.downstream.cnn import predict_classes

    return predict_classes(model, table.rows[part])


def judge_teacher(teacher: str, trained: bool, data: LabelledTexts, settings: EvaluationSettings) -> Judgement:
    """Judge a teacher by the classes that a linear layer on top of it predicts."""
    from wordstill.evaluation.downstream.contextual import classes_of_texts
    from wordstill.evaluation.downstream.scores import class_judgement

    words = sum(map(len, data.test.words))
    runs = [
        np.array(classes_of_texts(teacher, trained, data, settings.of_task(TeacherSettings), seed, settings.cache))
        for seed in seeds_of(settings)
    ]
    return class_judgement(data.test.labels, runs, len(data.classes), (words, words))


def seeds_of(settings: EvaluationSettings) -> range:
    """Return the seeds of the models to train."""
    return range(settings.seed, settings.seed + (settings.seeds or 1))


TASK = Task(
    name="classification",
    title="Classification",
    metric="accuracy",
    about="accuracy and macro-F1 of a CNN that reads the vectors of a text's words",
    missing="zeros, or what the vectors say of it themselves",
    read=read_text_file,
    read_files=read_text_files,
    halve=halve,
    judge=judge,
    judge_teacher=judge_teacher,
    recognizes=lambda line, fields: False,  # a user names it: classification:FILE
    quick=False,
    main_parts=("macro-F1",),
)
