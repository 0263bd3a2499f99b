"""Faster teachers: layers that are not run, int8, compiled bfloat16, and how one of them is chosen."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from small_models import KINDS, make_model
from wordstill.errors import InputError, Unavailable
from wordstill.system.machine import Machine, this_machine
from wordstill.teacher import precision
from wordstill.teacher.amx.attention import why_not
from wordstill.teacher.encode import forward, lay_out
from wordstill.teacher.load import Teacher, load_teacher
from wordstill.teacher.precision import Choice, choose_precision, recreate
from wordstill.teacher.texts import Dropped, Text, make_texts

HOURS = 1e9
"""Tokens to do, so many that every gain pays."""


def texts_of(teacher: Teacher, sentences: Sequence[Sequence[str]]) -> list[Text]:
    made = []
    for words in sentences:
        pieces, lengths = teacher.pieces(words)
        numbers = np.zeros(len(words), dtype=np.int32)
        made += make_texts(numbers, pieces, lengths, [len(words)], "sentence", teacher.limit, Dropped())
    return made


SENTENCES = [["the", "river", "Danube"], ["quick", "brown", "foxes", "jump", "over", "it"], ["Yes", "."]]


@pytest.fixture(scope="module")
def bert(tmp_path_factory: pytest.TempPathFactory) -> Teacher:
    return load_teacher(make_model("bert", tmp_path_factory.mktemp("bert")))


@pytest.fixture(autouse=True)
def nothing_remembered(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("WORDSTILL_CACHE", str(tmp_path / "cache"))


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "t5"])
def test_layers_above_the_highest_one_asked_for_are_not_run(kind: str, tmp_path: Path) -> None:
    teacher = load_teacher(make_model(kind, tmp_path))
    assert teacher.stack is not None
    ran: list[int] = []
    for number, layer in enumerate(teacher.stack.layers, start=1):
        layer.register_forward_hook(lambda *_, number=number: ran.append(number))
    grid = lay_out(teacher, texts_of(teacher, SENTENCES))
    everything = forward(teacher, grid, [0, 1, 2, 3])
    for wanted, run in (([0], []), ([1], [1]), ([0, 2], [1, 2]), ([3], [1, 2, 3])):
        ran.clear()
        found = forward(teacher, grid, wanted)
        assert list(found) == wanted
        assert ran == run
        for layer in wanted:
            torch.testing.assert_close(found[layer], everything[layer])


def test_a_short_run_stays_in_float32_without_trying_anything(bert: Teacher, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(precision, "_made", lambda *_: pytest.fail("something was tried"))
    chosen, choice = choose_precision(bert, "auto", [texts_of(bert, SENTENCES)], [3], tokens=100)
    assert chosen is bert
    assert choice.precision == "float32"
    assert "the whole text takes about" in choice.why
    assert choose_precision(bert, "float32", [], [3], HOURS)[1].why == "asked for"


class Pretended:
    """Teachers of other precisions that differ from float32 by a given noise, at pretended speeds."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, noise: dict[str, float], speeds: dict[str, float]) -> None:
        self.made: list[str] = []

        def make(teacher: Teacher, way: str) -> Teacher:
            if way not in noise:
                raise Unavailable("it is not there")
            self.made.append(way)
            from wordstill.teacher.faster import _copied

            def spoil(model: Any) -> Any:
                torch.manual_seed(0)
                for parameter in model.parameters():
                    parameter.add_(torch.randn_like(parameter) * noise[way] * parameter.std())
                return model

            with torch.no_grad():
                return _copied(teacher, way, spoil)

        monkeypatch.setattr(precision, "_made", make)
        monkeypatch.setattr(
            precision.Sample, "speeds", lambda self, *teachers: [speeds[teacher.precision] for teacher in teachers]
        )
        pretended = Machine("a processor", frozenset({"amx_bf16"}), 2, 0, "g++")
        monkeypatch.setattr(precision, "this_machine", lambda: pretended)


def test_what_is_fastest_and_true_is_chosen_and_remembered(
    bert: Teacher, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    pretended = Pretended(monkeypatch, {"bfloat16": 1e-2, "int8": 1e-2}, {"float32": 1e3, "bfloat16": 3e3, "int8": 2e3})
    batches = [texts_of(bert, SENTENCES)]
    chosen, choice = choose_precision(bert, "auto", batches, [3], HOURS)
    assert chosen.precision == choice.precision == "bfloat16"
    assert 0.999 < choice.cosine < 1
    assert choice.why.startswith("3.0 times as fast")
    assert recreate(bert, choice).precision == "bfloat16"
    # The next run knows the gain, and that a few seconds of compiling do not pay for a short text.
    (known,) = json.loads((tmp_path / "cache" / "machine.json").read_text()).values()
    assert known["bfloat16"]["gain"] == 3.0
    known["bfloat16"]["preparing"] = 1e4
    monkeypatch.setattr(precision, "recall", lambda name: known)
    chosen, choice = choose_precision(bert, "auto", batches, [3], 1e6)
    assert choice.precision == "int8"
    assert pretended.made == ["bfloat16", "bfloat16", "int8"]


def test_a_way_whose_vectors_differ_is_not_taken(bert: Teacher, monkeypatch: pytest.MonkeyPatch) -> None:
    Pretended(monkeypatch, {"bfloat16": 0.3, "int8": 0.5}, {"float32": 1e3, "bfloat16": 3e3, "int8": 2e3})
    batches = [texts_of(bert, SENTENCES)]
    chosen, choice = choose_precision(bert, "auto", batches, [3], HOURS)
    assert chosen is bert
    assert "bfloat16: its word vectors differ from those of float32 (mean cosine 0.9" in choice.why
    with pytest.raises(InputError, match="--precision int8 does not work here: its word vectors differ"):
        choose_precision(bert, "int8", batches, [3], HOURS)


def test_a_way_that_is_not_faster_is_not_taken(bert: Teacher, monkeypatch: pytest.MonkeyPatch) -> None:
    Pretended(monkeypatch, {"bfloat16": 1e-3, "int8": 1e-3}, {"float32": 1e3, "bfloat16": 900.0, "int8": 1050.0})
    chosen, choice = choose_precision(bert, "auto", [texts_of(bert, SENTENCES)], [3], HOURS)
    assert chosen is bert
    assert choice.why == "bfloat16 is only 0.90 times as fast; int8 is only 1.05 times as fast"


def test_a_run_that_goes_on_elsewhere_is_told_so(bert: Teacher) -> None:
    with pytest.raises(InputError, match="the run began in float16, which does not work here"):
        recreate(bert, Choice("float16"))


INT8 = """
from wordstill.system.machine import guard
guard()
import sys
sys.path[:0] = [{tests!r}, {here!r}]
import torch
from test_precision import REAL, texts_of
from wordstill.teacher.load import load_teacher
from wordstill.teacher.precision import choose_precision

teacher = load_teacher("minilm")
chosen, choice = choose_precision(teacher, "int8", [texts_of(teacher, REAL)], [6], 1e9)
print(choice.precision, choice.cosine)
print(*(name for name, part in chosen.model.named_modules() if type(part) is torch.nn.Linear))
"""
REAL = [
    [word for word in text.split(" ") if word]
    for text in (
        "The river Danube flows through ten countries before it reaches the Black Sea .",
        "In microseconds the quick brown fox jumps over the lazy dog , she said .",
    )
]


def in_a_fresh_process(program: str, folder: Path, **values: Any) -> str:
    """Run a program where torch is not imported yet: a cap on oneDNN must be set before."""
    here = Path(__file__).parent
    text = program.format(tests=str(here.parent), here=str(here), **values)
    done = subprocess.run([sys.executable, "-c", text], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


@pytest.mark.slow
def test_int8_matches_the_real_teacher(tmp_path: Path) -> None:
    chosen, narrowing = in_a_fresh_process(INT8, tmp_path).splitlines()
    assert chosen.split()[0] == "int8"
    assert 0.98 <= float(chosen.split()[1]) < 0.9999
    # What narrows stays in float32.
    assert narrowing.split() == [f"encoder.layer.{number}.output.dense" for number in range(6)]


PROGRAM = """
import sys
from wordstill.system.machine import guard
guard()
sys.path[:0] = [{tests!r}, {here!r}]
import torch
from small_models import make_model
from test_precision import SENTENCES, texts_of
from wordstill.teacher.encode import forward, lay_out
from wordstill.teacher.load import load_teacher
from wordstill.teacher.precision import choose_precision
from pathlib import Path

for kind in {kinds!r}:
    teacher = load_teacher(make_model(kind, Path(kind)))
    texts = texts_of(teacher, SENTENCES * 3)
    before = torch._dynamo.utils.counters["stats"]["unique_graphs"]
    fast, choice = choose_precision(teacher, "bfloat16", [texts], [1, teacher.layers], 1e9)
    compiled = torch._dynamo.utils.counters["stats"]["unique_graphs"] - before
    # Other numbers of rows, other lengths, one row, rows of one length, one piece.
    for part in (texts[:5], texts[:1], [texts[0]] * 4, texts * 2, texts_of(teacher, [["the"]])):
        grid = lay_out(fast, part)
        states = forward(fast, grid, [teacher.layers])[teacher.layers]
        assert torch.isfinite(states.reshape(-1, states.shape[-1])[torch.from_numpy(grid.places)]).all()
    again = torch._dynamo.utils.counters["stats"]["unique_graphs"] - before
    print(kind, choice.precision, choice.cosine, compiled, again, choice.attention)
"""


@pytest.mark.skipif(
    this_machine().compiler is None or not this_machine().features & {"amx_bf16", "avx512_bf16"},
    reason="needs a C++ compiler and a processor with instructions for bfloat16",
)
def test_encoders_and_decoders_are_compiled_once_for_all_shapes(tmp_path: Path) -> None:
    reason = why_not()
    if "dies" in reason:
        pytest.skip(reason)
    kinds = ("mpnet", "gpt2", "llama")
    printed = in_a_fresh_process(PROGRAM, tmp_path, kinds=kinds)
    lines = [line.split() for line in printed.splitlines() if line.startswith(kinds)]
    assert [line[:2] for line in lines] == [[kind, "bfloat16"] for kind in kinds]
    for _, _, cosine, compiled, later, *attention in lines:
        assert 0.999 <= float(cosine) < 1
        # Three layers, each of them one graph, and no other for other shapes.
        assert compiled == later == "3"
        assert " ".join(attention) == "on matrix tiles (AMX)" if not reason else attention[0] == "torch's"
