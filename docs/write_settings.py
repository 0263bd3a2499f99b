"""Write docs/settings.md from the declarations of settings:  python docs/write_settings.py

A test compares the page with what this script would write.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from wordstill.distillation.settings import DistillSettings, ExecutionSettings
from wordstill.evaluation.downstream.settings import TASK_SETTINGS
from wordstill.evaluation.settings import EvaluationSettings
from wordstill.options import Field, Options, all_fields, declared_fields
from wordstill.refinement.convert import ConvertSettings
from wordstill.refinement.steps import METHODS
from wordstill.students.registry import STUDENTS

PAGE = Path(__file__).with_name("settings.md")


def settings_page() -> str:
    """Make the whole page."""
    parts = [
        "# Settings\n",
        "Every setting with its default, made from its declaration in the code. Python takes the names of the first "
        "column as keywords.\n",
        "## distill\n",
        _table(all_fields(DistillSettings)),
        "\nHow a run is carried out, without changing what comes out of it:\n",
        _table(all_fields(ExecutionSettings)),
        "\n## evaluate\n",
        _table(all_fields(EvaluationSettings)),
        "\nTasks that train a model have options of their own. Set one with `--set TASK.OPTION=VALUE`.\n",
        *(line for name, kind in TASK_SETTINGS.items() for line in _owned(name, kind)),
        "\n## convert\n",
        _table(all_fields(ConvertSettings)),
        "\n## Students\n",
        "Set one with `--set NAME.OPTION=VALUE`. Where a student has presets, `preset=paper` has the paper's values.\n",
    ]
    for name, entry in STUDENTS.items():
        parts += _owned(name, entry.settings)
    parts += ["\n## Methods of refinement\n", "Set one with `--set METHOD.OPTION=VALUE`.\n"]
    for name, method in METHODS.items():
        parts += _owned(name, method.settings)
    return "\n".join(parts).rstrip() + "\n"


def _owned(name: str, kind: type[Options]) -> list[str]:
    fields = declared_fields(kind)
    if not fields:
        return []
    presets = getattr(kind, "presets", dict)()
    rows = [f"### {name}\n"]
    heads = ["option", "default", *(["paper"] if presets else []), "range", "what it is"]
    rows.append(f"| {' | '.join(heads)} |")
    rows.append("|" + "---|" * len(heads))
    for item in fields:
        paper = [_shown(getattr(presets["paper"], item.name))] if presets else []
        cells = [f"`{item.name}`", _shown(item.default), *paper, _range(item), item.declared.help]
        rows.append(f"| {' | '.join(cells)} |")
    return [*rows[:1], "\n".join(rows[1:]) + "\n"]


def _table(fields: Iterable[Field]) -> str:
    rows = ["| setting | option | default | range | what it is |", "|---|---|---|---|---|"]
    for item in fields:
        option = f"`{item.option}`" if item.option else ""
        cells = [f"`{item.keyword}`", option, _shown(item.default), _range(item), item.declared.help]
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows)


def _shown(value: object) -> str:
    if value is None or value in ((), {}):
        return ""
    if isinstance(value, tuple):
        return ", ".join(map(str, value))
    return f"{value:g}" if isinstance(value, float) else str(value).lower() if isinstance(value, bool) else str(value)


def _range(item: Field) -> str:
    if item.choices:
        return ", ".join(item.choices)
    low, high = item.declared.low, item.declared.high
    if low is not None and high is not None:
        return f"{low:,g} to {high:,g}"
    return f"at least {low:,g}" if low is not None else ""


if __name__ == "__main__":
    PAGE.write_text(settings_page(), encoding="utf-8")
