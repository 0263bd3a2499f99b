"""One declaration of a setting: a field of a frozen dataclass, with its help text, range and group.

    @dataclass(frozen=True)
    class ClosedSettings(Options):
        owner = "closed"
        power: float = setting(0.5, "the power p of the formula above", low=0, high=2)

Everything else comes from it: the checks, the options of the command line (`wordstill.cli.options`), the keywords of
`distill` and `evaluate`, `--set closed.power=1`, and the tables in the docs.
"""

from __future__ import annotations

import dataclasses
import math
import types
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Any, ClassVar, Literal, NamedTuple, TypeVar

from wordstill.errors import InputError

_KEY = "wordstill"


class Declared(NamedTuple):
    """What a setting is besides its type and its default."""

    help: str
    low: float | None = None
    high: float | None = None
    group: str = ""
    option: str | None = None
    """How the command line spells it; None: after its name; "": not there."""
    aliases: tuple[str, ...] = ()
    """Other spellings of the option."""
    keyword: str | None = None
    """How Python spells it where settings lie inside settings; None: by its name."""
    metavar: str | tuple[str, str] | None = None
    off: bool = False
    """Whether the option of the command line switches it off."""
    read: Callable[[Any], Any] | None = None
    """Makes the value of the text, or the list of texts, that the command line has."""
    partner: str | None = None
    """The field that takes the second of two values."""


def setting(
    default: Any = dataclasses.MISSING, help: str = "", *, factory: Any = dataclasses.MISSING, **declared: Any
) -> Any:
    """Declare a field of a settings dataclass; see `Declared` for what can be said of it."""
    metadata = {_KEY: Declared(help, **declared)}
    if factory is not dataclasses.MISSING:
        return dataclasses.field(default_factory=factory, metadata=metadata)
    return dataclasses.field(default=default, metadata=metadata)


@dataclass(frozen=True)
class Options:
    """Settings that check themselves: every value against the type and the range of its declaration."""

    owner: ClassVar[str] = ""
    """Whose settings these are, as `--set` names them; empty where each has an option of its own."""

    def __post_init__(self) -> None:
        for item in declared_fields(type(self)):
            check(item, getattr(self, item.name))


OptionsType = TypeVar("OptionsType", bound=Options)


class Field(NamedTuple):
    """A declared field of a settings class."""

    owner: str
    name: str
    kind: Any
    default: Any
    declared: Declared

    @property
    def option(self) -> str:
        """How the command line spells it; empty where it has no such option."""
        spelled = self.declared.option
        return f"--{self.name.replace('_', '-')}" if spelled is None else spelled

    @property
    def keyword(self) -> str:
        """How Python spells it."""
        return self.declared.keyword or self.name

    @property
    def label(self) -> str:
        """How messages name it."""
        return f"{self.owner}.{self.name}" if self.owner else self.option or self.name

    @property
    def choices(self) -> tuple[str, ...]:
        """The words that it may be, if any."""
        return tuple(
            choice
            for kind in _alternatives(self.kind)
            if typing.get_origin(kind) is Literal
            for choice in typing.get_args(kind)
        )

    def parse(self, text: str) -> Any:
        """Make its value, or one of its values, of a text; refuse what cannot be one."""
        kind = typing.get_args(self.kind)[0] if typing.get_origin(self.kind) is tuple else self.kind
        return parse(kind, self.label, text)


def declared_fields(kind: type[Options]) -> list[Field]:
    """List the declared fields of a settings class, those of settings inside it left out."""
    hints = typing.get_type_hints(kind)
    return [
        Field(kind.owner, item.name, hints[item.name], _default(item), item.metadata[_KEY])
        for item in dataclasses.fields(kind)
        if _KEY in item.metadata
    ]


def inner_settings(kind: type[Options]) -> dict[str, type[Options]]:
    """Find the settings classes that are fields of this one, by name."""
    hints = typing.get_type_hints(kind)
    names = [item.name for item in dataclasses.fields(kind) if _KEY not in item.metadata]
    return {name: hints[name] for name in names if isinstance(hints[name], type) and issubclass(hints[name], Options)}


def all_fields(kind: type[Options]) -> Iterator[Field]:
    """Walk through the declared fields of a settings class and of the settings inside it."""
    yield from declared_fields(kind)
    for inner in inner_settings(kind).values():
        yield from all_fields(inner)


def build(kind: type[OptionsType], values: Mapping[str, Any]) -> OptionsType:
    """Make settings of keywords; those of settings inside may be given by their own keywords."""
    left = dict(values)
    given: dict[str, Any] = {}
    names = {item.keyword: item.name for item in declared_fields(kind)}
    for name, inner in inner_settings(kind).items():
        if isinstance(left.get(name), inner):
            given[name] = left.pop(name)
            continue
        keywords = {item.keyword for item in all_fields(inner)} - set(names)
        given[name] = build(inner, {key: left.pop(key) for key in list(left) if key in keywords})
    for keyword in list(left):
        if keyword not in names:
            known = ", ".join(sorted(item.keyword for item in all_fields(kind)))
            raise InputError(f"there is no setting {keyword!r}; there are: {known}")
        given[names[keyword]] = left.pop(keyword)
    return kind(**given)


def check(item: Field, value: Any) -> None:
    """Refuse a value that is not of the field's type, or outside its range."""
    kinds = _alternatives(item.kind)
    if value is None and type(None) in kinds:
        return
    if not any(_is(kind, value) for kind in kinds):
        raise InputError(f"{item.label} is {_described(item.kind)}, not {value!r}")
    if bool not in kinds and isinstance(value, Real):
        try:
            number = float(value)
        except OverflowError:  # a whole number of hundreds of digits
            number = math.inf if str(value)[0] != "-" else -math.inf
        _check_range(item.label, number, item.declared.low, item.declared.high)


def _check_range(label: str, value: float, low: float | None, high: float | None) -> None:
    if math.isfinite(value) and (low is None or low <= value) and (high is None or value <= high):
        return
    if low is not None and high is not None:
        bounds = f"between {low:,g} and {high:,g}"
    elif low is not None:
        bounds = f"at least {low:,g}"
    else:
        bounds = "a finite number" if high is None else f"at most {high:,g}"
    raise InputError(f"{label} must be {bounds}, not {value:,g}")


def check_range(name: str, value: float, low: float, high: float | None = None) -> None:
    """Refuse a number outside [low, high]."""
    _check_range(name, value, low, high)


def read_settings(kind: type[OptionsType], owner: str, options: Mapping[str, str]) -> OptionsType:
    """Read settings from the texts of `--set owner.option=value`; `preset` chooses what the others change."""
    given = dict(options)
    presets: Mapping[str, OptionsType] = getattr(kind, "presets", dict)()
    settings = kind()
    if presets:
        preset = given.pop("preset", next(iter(presets)))
        if preset not in presets:
            raise InputError(f"{owner}.preset is one of {', '.join(presets)}, not {preset!r}")
        settings = presets[preset]
    known = {item.name: item for item in declared_fields(kind)}
    values = {}
    for name, text in given.items():
        if name not in known:
            listed = ", ".join((["preset"] if presets else []) + sorted(known)) or "none"
            raise InputError(f"{owner} has no option {name!r}; it has: {listed}")
        values[name] = parse(known[name].kind, f"{owner}.{name}", text)
    return replace(settings, **values)  # all at once: two of them may only be right together


def parse(kind: Any, name: str, text: str) -> Any:
    """Make a value of a type of a text; `name` is what messages call it."""
    for one in _alternatives(kind):
        if typing.get_origin(one) is Literal and text in typing.get_args(one):
            return text
        if one is bool and text.lower() in ("true", "false"):
            return text.lower() == "true"
        if one in (int, float, str):
            try:
                return one(text)
            except ValueError:
                continue
    raise InputError(f"{name} is {_described(kind)}, not {text!r}")


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


def _default(item: dataclasses.Field[Any]) -> Any:
    if item.default is not dataclasses.MISSING:
        return item.default
    return None if item.default_factory is dataclasses.MISSING else item.default_factory()


def _alternatives(kind: Any) -> tuple[Any, ...]:
    """The types of a union, or the one type."""
    union = typing.get_origin(kind) in (typing.Union, types.UnionType)
    return tuple(part for one in typing.get_args(kind) for part in _alternatives(one)) if union else (kind,)


def _is(kind: Any, value: Any) -> bool:
    origin = typing.get_origin(kind)
    if origin is Literal:
        return isinstance(value, str) and value in typing.get_args(kind)
    if kind in (int, float):
        return isinstance(value, Integral if kind is int else Real) and not isinstance(value, bool)
    expected = origin or kind
    return isinstance(value, expected) if isinstance(expected, type) else True


def _described(kind: Any) -> str:
    """A type as a message tells it: a whole number, one of a, b."""
    words = {int: "a whole number", float: "a number", bool: "true or false", str: "a text"}
    parts = []
    for one in _alternatives(kind):
        if typing.get_origin(one) is Literal:
            choices = typing.get_args(one)
            parts.append(f"one of {', '.join(choices)}" if len(choices) > 1 else repr(choices[0]))
        elif one is not type(None):
            parts.append(words.get(one) or f"a {getattr(typing.get_origin(one) or one, '__name__', one)}")
    return " or ".join(parts)
