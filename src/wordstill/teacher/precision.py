"""Choose how the teacher computes: what measures fastest for this teacher, this machine and this amount of text.

A faster way is taken only if its word vectors match those of float32 on the user's own text. What was measured is
remembered for each machine and teacher, so that the next run chooses the same without a stopwatch.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from wordstill.errors import InputError, Unavailable
from wordstill.system.machine import recall, remember, this_machine
from wordstill.system.progress import log
from wordstill.teacher.encode import forward, lay_out, pool
from wordstill.teacher.faster import in_bfloat16, in_int8, on_gpu
from wordstill.teacher.load import Teacher
from wordstill.teacher.texts import Text

Precision = Literal["auto", "float32", "bfloat16", "float16", "int8"]
# The faster ways, in the order they are tried; the mean cosine of a word's vector with the one that float32 gives.
LEAST_COSINE = {"bfloat16": 0.999, "float16": 0.999, "int8": 0.98}
# What takes less than so many seconds in float32 is done in float32: there is nothing to gain.
SHORT_RUN = 60.0
# Before anything was measured: how much faster, and after how many seconds of compiling for each layer.
GUESSED_GAIN = {"amx_bf16": 2.2, "avx512_bf16": 1.2}
GUESSED_COMPILING = 9.0
LEAST_GAIN = 1.1


@dataclass
class Choice:
    """What was chosen and why; it goes into run.json."""

    precision: str = "float32"
    why: str = ""
    cosine: float = 1.0
    """Of the word vectors with those of float32, on the sample."""
    tokens_per_second: dict[str, float] = field(default_factory=dict)
    preparing: dict[str, float] = field(default_factory=dict)
    """Seconds until a way was ready to run: compiling, mostly."""
    attention: str = ""
    """How the compiled teacher computes attention."""


@dataclass(frozen=True)
class Sample:
    """A few batches of the user's own text, and what float32 makes of them."""

    teacher: Teacher
    batches: Sequence[Sequence[Text]]
    layers: Sequence[int]

    def vectors(self, teacher: Teacher) -> list[Any]:
        """The word vectors of the sample as a teacher computes them."""
        import torch

        vectors = []
        for texts in self.batches:
            grid = lay_out(teacher, texts)
            hidden = forward(teacher, grid, self.layers)
            with torch.inference_mode():
                vectors.append({layer: pool(states, grid).float().cpu() for layer, states in hidden.items()})
        return vectors

    def speeds(self, *teachers: Teacher) -> list[float]:
        """Return the tokens per second of teachers that are warm, taken in turns; of two turns the better one."""
        grids = [[lay_out(teacher, texts) for texts in self.batches] for teacher in teachers]
        tokens = sum(int(grid.mask.sum()) for grid in grids[0])
        best = [0.0] * len(teachers)
        for _ in range(2):
            for number, teacher in enumerate(teachers):
                began = time.perf_counter()
                for grid in grids[number]:
                    states = forward(teacher, grid, self.layers)
                    float(next(iter(states.values()))[0, 0, 0])  # a GPU is done when it answers
                best[number] = max(best[number], tokens / (time.perf_counter() - began))
        return best

    def cosine(self, own: list[Any], other: list[Any]) -> float:
        """The mean cosine of the same words' vectors, at the layer where it is least."""
        from torch.nn.functional import cosine_similarity

        means = [
            np.mean([float(cosine_similarity(a[layer], b[layer]).mean()) for a, b in zip(own, other, strict=True)])
            for layer in self.layers
        ]
        return float(min(means))


def choose_precision(
    teacher: Teacher,
    asked: Precision,
    batches: Sequence[Sequence[Text]],
    layers: Sequence[int],
    tokens: float,
) -> tuple[Teacher, Choice]:
    """Choose how the teacher computes about `tokens` tokens, of which `batches` is a sample.

    Returns the teacher in the precision chosen, and the choice with its reasons.
    """
    if asked == "float32" or not batches:
        return teacher, Choice(why="asked for" if asked == "float32" else "there is no text")
    sample = Sample(teacher, batches, layers)
    vectors = sample.vectors(teacher)
    (speed,) = sample.speeds(teacher)
    choice = Choice(tokens_per_second={"float32": round(speed, 1)})
    if asked != "auto":
        try:
            made = _tried(sample, asked, vectors, choice)
        except Unavailable as reason:
            raise InputError(f"--precision {asked} does not work here: {reason}; choose auto or float32") from None
        choice.precision, choice.why = asked, "asked for"
        return made, choice
    left = tokens / speed
    if left < SHORT_RUN:
        choice.why = f"the whole text takes about {left:.0f} s"
        return teacher, choice
    known = remembered_gains(teacher)
    reasons = []
    for way in LEAST_COSINE:
        gain, cost = _expected(teacher, way, known)
        if gain < LEAST_GAIN:
            continue
        if left * (1 - 1 / gain) < cost:
            reasons.append(f"{way} would save {left * (1 - 1 / gain):.0f} s and take {cost:.0f} s to compile")
            continue
        try:
            made = _tried(sample, way, vectors, choice)
        except Unavailable as reason:
            reasons.append(f"{way}: {reason}")
            continue
        # What is known of the gain stays, so that every run chooses the same.
        gain = known[way]["gain"] if way in known else remember_gain(teacher, way, choice)
        if gain < LEAST_GAIN:
            reasons.append(f"{way} is only {gain:.2f} times as fast")
            continue
        choice.precision = way
        choice.why = f"{gain:.1f} times as fast as float32, cosine {choice.cosine:.4f}"
        return made, choice
    choice.cosine = 1.0
    choice.why = "; ".join(reasons) or "nothing here is faster"
    return teacher, choice


def remembered_gains(teacher: Teacher) -> dict[str, dict[str, float]]:
    """Return what was measured before of this teacher's faster ways: `gain` over float32, seconds of `preparing`."""
    return recall(_name(teacher)) or {}


def remember_gain(teacher: Teacher, way: str, choice: Choice) -> float:
    """Remember what was measured of a faster way on this machine; return its gain over float32."""
    gain = round(choice.tokens_per_second[way] / choice.tokens_per_second["float32"], 3)
    measured = {"gain": gain, "preparing": round(choice.preparing[way], 1)}
    remember(_name(teacher), remembered_gains(teacher) | {way: measured})
    return gain


def recreate(teacher: Teacher, choice: Choice) -> Teacher:
    """Return the teacher in the precision chosen before, for a run that goes on."""
    if choice.precision == teacher.precision:
        return teacher
    try:
        return _made(teacher, choice.precision)
    except Unavailable as reason:
        raise InputError(
            f"the run began in {choice.precision}, which does not work here: {reason}; go on where it began, or begin "
            "anew with --overwrite"
        ) from None


def _made(teacher: Teacher, way: str) -> Teacher:
    import torch

    if teacher.device.type == "cuda" and way in ("bfloat16", "float16"):
        return on_gpu(teacher, torch.bfloat16 if way == "bfloat16" else torch.float16)
    if way == "bfloat16":
        return in_bfloat16(teacher)
    if way == "int8":
        return in_int8(teacher)
    raise Unavailable(f"{way} runs on a GPU only")


def _tried(sample: Sample, way: str, expected: list[Any], choice: Choice) -> Teacher:
    """A faster teacher that was run on the sample and found true."""
    began = time.perf_counter()
    made = _made(sample.teacher, way)
    if made.compiled:
        log.info("compiling the teacher's layers for bfloat16: a minute or two, once per run")
    try:
        sample.vectors(made)
    except Exception as error:  # compilers fail in ways of their own
        reason = str(error).strip().splitlines()[0][:200] if str(error).strip() else type(error).__name__
        raise Unavailable(f"the teacher does not compile ({reason})" if made.compiled else reason) from error
    choice.preparing[way] = time.perf_counter() - began
    choice.attention = made.attention
    vectors = sample.vectors(made)
    choice.tokens_per_second |= {
        name: round(speed, 1) for name, speed in zip(("float32", way), sample.speeds(sample.teacher, made), strict=True)
    }
    choice.cosine = round(sample.cosine(expected, vectors), 6)
    if not choice.cosine >= LEAST_COSINE[way]:
        raise Unavailable(
            f"its word vectors differ from those of float32 (mean cosine {choice.cosine:.4f}, "
            f"{LEAST_COSINE[way]} is asked for)"
        )
    return made


def _expected(teacher: Teacher, way: str, known: dict[str, Any]) -> tuple[float, float]:
    """How many times as fast as float32 a way should be, and the seconds until it is ready."""
    if way in known:
        return known[way]["gain"], known[way]["preparing"]
    if teacher.device.type == "cuda":
        return (2.0, 1.0) if way != "int8" else (0.0, 0.0)
    if way == "bfloat16":
        gain = max((GUESSED_GAIN.get(name, 0.0) for name in this_machine().features), default=0.0)
        return gain, GUESSED_COMPILING * teacher.layers
    return (1.2, 2.0) if way == "int8" else (0.0, 0.0)


def _name(teacher: Teacher) -> str:
    import torch

    size = sum(parameter.numel() for parameter in teacher.model.parameters())
    return f"{teacher.public_name} {teacher.layers}x{teacher.width} {size} {teacher.device} {torch.get_num_threads()}"
