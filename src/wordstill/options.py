"""Options of students and refinements: frozen dataclasses, set by `--set name.option=value`, checked once."""

from __future__ import annotations

import typing
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Any, ClassVar, Protocol, TypeVar

from wordstill.errors import InputError


class Settings(Protocol):
    """A frozen dataclass with a `presets` table; the first preset is the default."""

    __dataclass_fields__: ClassVar[dict[str, Any]]


SettingsType = TypeVar("SettingsType", bound=Settings)


def read_settings(kind: type[SettingsType], owner: str, options: Mapping[str, str]) -> SettingsType:
    """Settings from `--set owner.option=value` texts; `preset` chooses what the others change."""
    given = dict(options)
    presets: Mapping[str, SettingsType] = getattr(kind, "presets", dict)()
    settings = kind()
    if presets:
        preset = given.pop("preset", next(iter(presets)))
        if preset not in presets:
            raise InputError(f"{owner}.preset is one of {', '.join(presets)}, not {preset!r}")
        settings = presets[preset]
    types = typing.get_type_hints(kind)
    known = {item.name for item in fields(kind)}
    for name, text in given.items():
        if name not in known:
            listed = ", ".join((["preset"] if presets else []) + sorted(known)) or "none"
            raise InputError(f"{owner} has no option {name!r}; it has: {listed}")
        settings = replace(settings, **{name: _parse(types[name], f"{owner}.{name}", text)})
    return settings


def _parse(kind: Any, name: str, text: str) -> Any:
    choices = typing.get_args(kind) if typing.get_origin(kind) is typing.Literal else ()
    if choices:
        if text not in choices:
            raise InputError(f"{name} is one of {', '.join(choices)}, not {text!r}")
        return text
    if kind is bool:
        if text.lower() not in ("true", "false"):
            raise InputError(f"{name} is true or false, not {text!r}")
        return text.lower() == "true"
    try:
        return kind(text)
    except ValueError:
        article = {int: "a whole number", float: "a number"}.get(kind, f"a {kind.__name__}")
        raise InputError(f"{name} is {article}, not {text!r}") from None


def check_range(name: str, value: float, low: float, high: float = float("inf")) -> None:
    """Refuse a number outside [low, high]."""
    if not low <= value <= high:
        bounds = f"at least {low:g}" if high == float("inf") else f"between {low:g} and {high:g}"
        raise InputError(f"{name} must be {bounds}, not {value:g}")


def given_options(texts: Sequence[str]) -> dict[str, dict[str, str]]:
    """`["x2static.epochs=5"]` as `{"x2static": {"epochs": "5"}}`."""
    options: dict[str, dict[str, str]] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        owner, dot, option = name.partition(".")
        if not (equals and dot and owner and option):
            raise InputError(f"--set takes NAME.OPTION=VALUE, such as x2static.epochs=5, not {text!r}")
        options.setdefault(owner, {})[option] = value
    return options


def listed(text: str) -> list[str]:
    """The names of a list with commas."""
    return [name.strip() for name in text.split(",") if name.strip()]
