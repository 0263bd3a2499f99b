"""A few hundred of the campaign's damaged inputs, and the campaign's own checks."""

from __future__ import annotations

import pickle
import random
from pathlib import Path

import pytest

from campaign import mutated
from campaign.case import Case, Place, Wrong
from campaign.mutations import WAYS, mutate
from campaign.readers import READERS, Reader
from wordstill.errors import InputError

SEED, CASES_A_TEST, TESTS = 22, 25, 12
WITH_CODE = [name for name in READERS if name.startswith("code-")]


@pytest.mark.parametrize("first", range(0, TESTS * CASES_A_TEST, CASES_A_TEST))
def test_damaged_input_is_read_or_refused_in_one_sentence(place: Place, first: int) -> None:
    for number in range(first, first + CASES_A_TEST):
        case = Case(SEED, f"mutated-{number}", place)
        try:
            mutated.run(case)
        except Exception as error:
            pytest.fail(f"{case.name} of seed {SEED} ({case.what}): {error!r}")


@pytest.mark.parametrize("name", [name for name in READERS if name not in WITH_CODE])
def test_every_sample_is_sound(place: Place, name: str) -> None:
    READERS[name].read(place.samples / name)


@pytest.mark.parametrize("name", WITH_CODE)
@pytest.mark.filterwarnings("ignore:Detected pickle protocol")
def test_code_that_an_input_brings_along_does_not_run(place: Place, name: str) -> None:
    if name == "code-teacher-map":  # a model that needs none of the code it brings along
        READERS[name].read(place.samples / name)
    else:
        with pytest.raises(InputError):
            READERS[name].read(place.samples / name)
    assert not place.canary.exists()


def test_every_sample_has_a_reader(place: Place) -> None:
    assert {folder.name for folder in place.samples.iterdir()} == READERS.keys()


def test_a_mutation_follows_from_the_seed_alone() -> None:
    content = bytes(range(256)) * 4 + b"12 words\nand 7 more\n"
    for number in range(50):
        assert mutate(content, random.Random(number)) == mutate(content, random.Random(number))
    changed = [way(content, random.Random(number)) != content for way in WAYS for number in range(20)]
    assert sum(changed) > 0.9 * len(changed)


def careless(folder: Path) -> object:
    return pickle.loads((folder / "v.bin").read_bytes())  # noqa: S301


@pytest.mark.parametrize(
    ("read", "why"),
    [
        (careless, "code of an input was run"),
        (lambda folder: (folder / "v.bin").unlink(), "has changed"),
        (lambda folder: (folder / "more").write_text("x"), "has changed"),
    ],
    ids=["runs code", "removes a file", "writes a file"],
)
def test_the_campaign_sees_what_a_bad_reader_does(
    place: Place, monkeypatch: pytest.MonkeyPatch, read: object, why: str
) -> None:
    monkeypatch.setitem(READERS, "code-pickle", Reader(read))  # type: ignore[arg-type]
    monkeypatch.setattr(mutated, "NAMES", ["code-pickle"])
    monkeypatch.setattr(mutated, "WEIGHTS", [1])
    monkeypatch.setattr(mutated, "mutate", lambda content, draw: (content, "nothing"))
    with pytest.raises(Wrong, match=why):
        mutated.run(Case(SEED, "mutated-0", place))
