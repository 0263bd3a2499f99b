"""What can be chosen of the models that are trained on top of vectors: `--set TASK.OPTION=VALUE`."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, TypeAlias

from wordstill.errors import InputError
from wordstill.options import Options, listed, setting

OovRule: TypeAlias = Literal["own", "zeros"]
Origin: TypeAlias = Literal["mean", "zero"]
_ORIGIN = "what is subtracted from all vectors: the mean over the set's words, or nothing"


def read_numbers(label: str, text: str) -> tuple[float, ...]:
    """Read positive numbers between commas: learning rates, or strengths of a penalty."""
    try:
        numbers = tuple(float(part) for part in listed(text))
    except ValueError:
        numbers = ()
    if not numbers or not all(0 < number < math.inf for number in numbers):
        raise InputError(f"{label} is a list of numbers above 0 such as 1e-4,1e-3, not {text!r}")
    return numbers


def check_epochs(label: str, first: int, last: int) -> None:
    """Refuse a range of epochs that ends before it begins."""
    if last < first:
        raise InputError(f"{label}.last_epoch is {last}, before {label}.first_epoch, {first}; make it at least that")


@dataclass(frozen=True)
class ClassificationSettings(Options):
    """The CNN of X2Static (Gupta and Jaggi 2021, section 4.3), and what is searched on the validation part."""

    owner = "classification"

    origin: Origin = setting("zero", _ORIGIN)
    filters: int = setting(100, "filters of the convolution", low=1)
    width: int = setting(3, "words that a filter sees", low=1)
    dropout: float = setting(0.5, "share of the pooled features that is dropped", low=0, high=0.95)
    batch: int = setting(50, "texts of a batch", low=1)
    rates: str = setting("1e-4,3e-4,1e-3", "learning rates of Adam that are tried")
    first_epoch: int = setting(8, "the least number of epochs that is tried", low=1)
    last_epoch: int = setting(16, "the largest number of epochs that is tried", low=1)

    def __post_init__(self) -> None:
        super().__post_init__()
        read_numbers("classification.rates", self.rates)
        check_epochs("classification", self.first_epoch, self.last_epoch)


@dataclass(frozen=True)
class ProbeSettings(Options):
    """A linear classifier on mean, unit and SIF sentence vectors."""

    owner = "probe"

    strengths: str = setting("0.01,0.1,1", "inverse strengths of the penalty (C) that are tried")
    a: float = setting(1e-3, "the constant of the SIF weights a / (a + p)", low=1e-9)

    def __post_init__(self) -> None:
        super().__post_init__()
        read_numbers("probe.strengths", self.strengths)


@dataclass(frozen=True)
class TaggingSettings(Options):
    """The BiLSTM-CRF with a character CNN, as NCRF++ has it (Yang and Zhang 2018)."""

    owner = "tagging"

    origin: Origin = setting("mean", _ORIGIN)
    hidden: int = setting(200, "states of the BiLSTM, both directions together", low=2)
    characters: int = setting(30, "dimensions of a character", low=1)
    character_filters: int = setting(50, "filters of the character CNN, three characters wide", low=1)
    dropout: float = setting(0.5, "share dropped before and after the BiLSTM", low=0, high=0.95)
    rate: float = setting(0.015, "learning rate of SGD", low=1e-9)
    decay: float = setting(0.05, "the rate is divided by 1 + decay x epoch", low=0)
    penalty: float = setting(1e-8, "weight of the squares of the parameters", low=0)
    clip: float = setting(50.0, "the most that the gradient may measure; 0: any (NCRF++)", low=0)
    batch: int = setting(10, "sentences of a batch", low=1)
    epochs: int = setting(20, "epochs; the best on the validation part is tested", low=1)
    scheme: Literal["bioes", "bio"] = setting("bioes", "how spans are written as tags while training")


@dataclass(frozen=True)
class TeacherSettings(Options):
    """The rows of the teacher itself with a linear classifier (X2Static, section 4.3)."""

    owner = "teacher"

    batch: int = setting(32, "texts of a batch", low=1)
    finetuned_rates: str = setting("2e-5,5e-5", "learning rates tried where the teacher is trained too")
    frozen_rates: str = setting("1e-4,3e-4,1e-3", "learning rates tried where only the classifier is")
    first_epoch: int = setting(3, "the least number of epochs that is tried", low=1)
    last_epoch: int = setting(6, "the largest number of epochs that is tried", low=1)

    def __post_init__(self) -> None:
        super().__post_init__()
        read_numbers("teacher.finetuned_rates", self.finetuned_rates)
        read_numbers("teacher.frozen_rates", self.frozen_rates)
        check_epochs("teacher", self.first_epoch, self.last_epoch)


TASK_SETTINGS: dict[str, type[Options]] = {
    kind.owner: kind for kind in (ClassificationSettings, ProbeSettings, TaggingSettings, TeacherSettings)
}
