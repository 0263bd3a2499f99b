"""One declaration of a setting: checks, keywords, texts and the command line come from it."""

from __future__ import annotations

import argparse
from dataclasses import dataclass, field
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as some

from wordstill.cli.options import add_settings, read_settings
from wordstill.distillation.settings import DistillSettings, ExecutionSettings
from wordstill.errors import InputError
from wordstill.evaluation.settings import EvaluationSettings
from wordstill.options import Options, all_fields, build, setting
from wordstill.refinement.convert import ConvertSettings
from wordstill.refinement.steps import METHODS
from wordstill.students.registry import STUDENTS


@dataclass(frozen=True)
class Oven(Options):
    """Settings inside settings."""

    heat: int = setting(180, "degrees", low=50, high=300, group="oven")
    fan: bool = setting(False, "blow")
    words: str = setting("none", "what is written on it", option="--oven-words", keyword="oven_words")


@dataclass(frozen=True)
class Cake(Options):
    """Every kind of setting."""

    words: int | None = setting(None, "how many words are said over it", low=1)
    kind: Literal["plain", "rich"] = setting("plain", "which one")
    sugar: float = setting(0.5, "how sweet", low=0)
    nuts: tuple[str, ...] = setting((), "which nuts", metavar="NUT")
    low: int = setting(1, "from and to", low=1, option="--layers", metavar=("LOW", "HIGH"), partner="high")
    high: int | None = setting(None, "to", low=1, option="")
    cover: bool = setting(True, "leave it bare", option="--bare", off=True)
    layer: int | Literal["top"] = setting("top", "the layer")
    oven: Oven = field(default_factory=Oven)


def typed(*words: str) -> Cake:
    parser = argparse.ArgumentParser()
    add_settings(parser, Cake)
    return read_settings(parser.parse_args(words), Cake)


def test_what_is_not_said_keeps_its_default_and_what_is_said_is_read_by_its_type() -> None:
    assert typed() == Cake()
    cake = typed(
        *("--words", "7", "--kind", "rich", "--sugar", "1e-1", "--nuts", "hazel", "pine", "--layers", "2", "5"),
        *("--bare", "--layer", "3", "--heat", "200", "--fan", "--oven-words", "hot"),
    )
    assert cake == Cake(7, "rich", 0.1, ("hazel", "pine"), 2, 5, False, 3, Oven(200, True, "hot"))
    assert cake == build(
        Cake,
        {
            "words": 7, "kind": "rich", "sugar": 0.1, "nuts": ("hazel", "pine"), "low": 2, "high": 5, "cover": False,
            "layer": 3, "heat": 200, "fan": True, "oven_words": "hot",
        },
    )  # fmt: skip
    assert build(Cake, {"oven": Oven(60)}) == Cake(oven=Oven(60))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"words": 0}, "--words must be at least 1, not 0"),
        ({"words": 2.5}, "--words is a whole number, not 2.5"),
        ({"words": True}, "--words is a whole number, not True"),
        ({"kind": "dry"}, "--kind is one of plain, rich, not 'dry'"),
        ({"sugar": float("inf")}, "--sugar must be at least 0, not inf"),
        ({"sugar": float("nan")}, "--sugar must be at least 0, not nan"),
        ({"heat": 301}, "--heat must be between 50 and 300, not 301"),
        ({"layer": "bottom"}, "--layer is a whole number or 'top', not 'bottom'"),
        ({"icing": 1}, "there is no setting 'icing'; there are: cover, fan, heat"),
    ],
)
def test_bad_values_are_refused_by_name(given: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message.replace("(", r"\(")):
        build(Cake, given)


@given(some.dictionaries(some.sampled_from(["words", "kind", "sugar", "layer", "heat"]), some.text(max_size=6)))
def test_any_text_is_read_or_refused(texts: dict[str, str]) -> None:
    words = [word for name, text in texts.items() for word in (f"--{name}={text}",)]
    try:
        cake = typed(*words)
    except InputError:
        return
    assert 50 <= cake.oven.heat <= 300
    assert cake.sugar >= 0


SETTINGS = [DistillSettings, ExecutionSettings, EvaluationSettings, ConvertSettings]
SETTINGS += [entry.settings for entry in STUDENTS.values()] + [method.settings for method in METHODS.values()]


@pytest.mark.parametrize("kind", SETTINGS, ids=lambda kind: kind.__name__)
def test_every_setting_says_what_it_is_once(kind: type[Options]) -> None:
    fields = list(all_fields(kind))
    assert all(item.declared.help for item in fields)
    options = [item.option for item in fields if item.option and not item.owner]
    assert len(options) == len(set(options))
    keywords = [item.keyword for item in fields]
    assert len(keywords) == len(set(keywords))
    parser = argparse.ArgumentParser()
    add_settings(parser, kind)
    assert parser.format_help()
    assert read_settings(parser.parse_args([]), kind) == kind()


@pytest.mark.parametrize("number", [10**400, -(10**400)])
def test_a_whole_number_of_hundreds_of_digits_is_out_of_range(number: int) -> None:
    with pytest.raises(InputError, match="must be at least 1"):
        EvaluationSettings(top=number)
