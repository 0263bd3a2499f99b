"""Options of the command line, made from the declarations of settings (see `wordstill.options`)."""

from __future__ import annotations

import argparse
from collections.abc import Collection
from typing import Any, get_origin

from wordstill.errors import InputError
from wordstill.options import Field, Options, OptionsType, all_fields, build


def add_settings(
    parser: argparse.ArgumentParser,
    kind: type[Options],
    *,
    only: Collection[str] | None = None,
    several: Collection[str] = (),
    required: Collection[str] = (),
) -> None:
    """Add an option for each declared setting, or for those named in `only`, in the groups they are declared in.

    Those of `several` take more than one value: a study compares them.
    """
    groups: dict[str, Any] = {"": parser}
    for item in all_fields(kind):
        if not item.option or (only is not None and item.keyword not in only):
            continue
        group = item.declared.group
        if group not in groups:
            groups[group] = parser.add_argument_group(group)
        spelled = (item.option, *item.declared.aliases)
        groups[group].add_argument(*spelled, **_argument(item, item.keyword in several, item.keyword in required))


def read_settings(arguments: argparse.Namespace, kind: type[OptionsType], **given: Any) -> OptionsType:
    """Make settings of what was typed; what was not keeps its default. `given` comes before what was typed."""
    return build(kind, {**typed_settings(arguments, kind), **given})


def typed_settings(arguments: argparse.Namespace, kind: type[Options]) -> dict[str, Any]:
    """The settings that were typed, by keyword; of one that takes several values there is a list."""
    values: dict[str, Any] = {}
    fields = list(all_fields(kind))
    for item in fields:
        text = vars(arguments).get(_destination(item)) if item.option else None
        if text is None:
            continue
        if item.declared.partner:
            partner = next(other.keyword for other in fields if other.name == item.declared.partner)
            values[item.keyword], values[partner] = map(item.parse, text)
        elif isinstance(text, bool):
            values[item.keyword] = text
        elif item.declared.read is not None:
            values[item.keyword] = item.declared.read(text)
        elif isinstance(text, list) and get_origin(item.kind) is not tuple:
            values[item.keyword] = [item.parse(one) for one in text]
        else:
            values[item.keyword] = tuple(map(item.parse, text)) if isinstance(text, list) else item.parse(text)
    return values


def at_least(value: float, low: float, option: str) -> None:
    """Refuse a number below a bound."""
    if value < low:
        raise InputError(f"{option} must be at least {low:g}, not {value:g}")


def _argument(item: Field, several: bool, required: bool) -> dict[str, Any]:
    told = item.declared.help
    made: dict[str, Any] = {"dest": _destination(item), "help": told.replace("%", "%%"), "default": None}
    if item.kind is bool:
        return {**made, "action": "store_false" if item.declared.off else "store_true"}
    if required:
        made["required"] = True
    elif isinstance(item.default, (int, float, str)) and str(item.default):
        shown = f"{item.default:g}" if isinstance(item.default, float) else item.default
        made["help"] += f" ({shown})"
    made["metavar"] = item.declared.metavar or "|".join(item.choices) or _metavar(item)
    if item.declared.partner:
        made["nargs"] = 2
    elif several:
        made["nargs"] = "+"
    elif item.option == "--set" or (item.declared.read is None and get_origin(item.kind) is tuple):
        made |= {"nargs": "+", "action": "extend"}
    return made


def _metavar(item: Field) -> str:
    return "NAME" if item.kind in (str, str | None) else "N"


def _destination(item: Field) -> str:
    """Where argparse keeps it: apart from the command's own arguments."""
    return f"setting_{item.keyword}"
