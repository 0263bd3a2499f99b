"""How vectors are judged: declared once for `evaluate`, its command, the report and the studies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

from wordstill.errors import InputError
from wordstill.evaluation.downstream.settings import TASK_SETTINGS, OovRule
from wordstill.evaluation.encoders import check_encoder_rows
from wordstill.evaluation.harnesses import Compat
from wordstill.evaluation.split import Split
from wordstill.options import Options, OptionsType, build, given_options, listed, read_settings, setting

AnalogyRule: TypeAlias = Literal["add", "multiply"]


def read_names(text: str) -> tuple[str, ...]:
    """Read a list of names with commas; refuse an empty one."""
    names = tuple(listed(text))
    if not names:
        raise InputError(f"{text!r} is a list without any name; give at least one")
    return names


@dataclass(frozen=True)
class EvaluationSettings(Options):
    """On what vectors are judged, and how.

    >>> EvaluationSettings(datasets=("ws353",), split="dev").resamples
    1000

    Tasks that train a model have settings of their own (`downstream.settings`), which are set by
    `--set TASK.OPTION=VALUE`, or `task_options={"tagging": {"epochs": "5"}}`.
    """

    tasks: tuple[str, ...] | None = setting(
        None, "the tasks to judge by (all quick ones)", metavar="NAME,..", read=read_names
    )
    datasets: tuple[str | Path, ...] | None = setting(
        None, "data sets, or files of your own (FILE or TASK:FILE)", metavar="NAME,..", read=read_names
    )
    split: Split | None = setting(None, "judge only one half of every set")
    compat: Compat | None = setting(None, "reproduce another harness, defects included")
    case: Literal["auto", "exact", "ignore"] = setting("auto", "how words are looked up")
    top: int | None = setting(None, "use only the first N words of the vocabulary", low=1)
    method: AnalogyRule = setting("add", "solve analogies by 3CosAdd or 3CosMul")
    resamples: int = setting(1000, "draws of the bootstrap", low=0)
    seed: int = setting(0, "seed of the bootstrap and of k-means", low=0)
    seeds: int | None = setting(
        None, "runs of whatever is random: k-means (5), trained models (1; X2Static has 6)", low=1
    )
    finetune: bool = setting(False, "train the vectors too, in classification and tagging", group="trained models")
    oov: OovRule = setting(
        "own", "words without a vector: what the vectors say themselves, or zeros", group="trained models"
    )
    teacher_rows: tuple[str, ...] = setting(
        (), "judge teachers themselves too, frozen and trained", group="trained models", metavar="T,..", read=read_names
    )
    encoder_rows: tuple[str, ...] = setting(
        (),
        "judge other encoders of texts too: model2vec:FOLDER, model2vec-distill:TEACHER, sentence-transformers:FOLDER,"
        " wordllama",
        group="trained models",
        metavar="KIND:WHAT,..",
        read=read_names,
    )
    cache: bool = setting(
        True, "compute anew what was computed before", option="--no-cache", off=True, group="trained models"
    )
    task_options: Mapping[str, Mapping[str, str]] = setting(
        help="an option of a trained model",
        factory=dict,
        option="--set",
        metavar="TASK.OPTION=VALUE",
        read=given_options,
        group="trained models",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        check_encoder_rows(self.encoder_rows)
        for owner in self.task_options:
            if owner not in TASK_SETTINGS:
                raise InputError(f"an option is set for {owner!r}; those with options are {', '.join(TASK_SETTINGS)}")
            self.of_task(TASK_SETTINGS[owner])  # what cannot be is refused before hours of work

    def of_task(self, kind: type[OptionsType]) -> OptionsType:
        """Return the settings of a task, as declared by `kind`."""
        return read_settings(kind, kind.owner, self.task_options.get(kind.owner, {}))


def settings_from(kind: type[OptionsType], settings: OptionsType | None, keywords: Mapping[str, Any]) -> OptionsType:
    """Make settings of keywords (None: not given, lists as tuples), or take those that are made already."""
    given = {name: tuple(value) if isinstance(value, list) else value for name, value in keywords.items()}
    given = {name: value for name, value in given.items() if value is not None}
    if settings is not None and given:
        raise InputError(f"{next(iter(given))} is given beside `settings`; say it there (dataclasses.replace)")
    return settings or build(kind, given)
