"""A teacher made faster: in half precision on a GPU, compiled for bfloat16 or with int8 weights on a CPU."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from wordstill.errors import Unavailable
from wordstill.system.machine import guard, this_machine
from wordstill.teacher.amx.attention import use_tiles
from wordstill.teacher.compilable import make_compilable
from wordstill.teacher.load import Teacher
from wordstill.teacher.stack import layers_of

if TYPE_CHECKING:
    import torch


def on_gpu(teacher: Teacher, dtype: torch.dtype) -> Teacher:
    """Half precision as the GPU has it; attention is torch's fused kernel there, as on the CPU."""
    import torch

    if teacher.device.type != "cuda":
        raise Unavailable("the teacher is not on a GPU")
    if dtype == torch.bfloat16 and not torch.cuda.is_bf16_supported():
        raise Unavailable("this GPU has no bfloat16")
    return _copied(teacher, str(dtype).removeprefix("torch."), lambda model: model.to(dtype))


def in_bfloat16(teacher: Teacher) -> Teacher:
    """Every layer compiled for bfloat16, once for all shapes; it is compiled when it first runs (see `encode.forward`).

    Uncompiled bfloat16 is slower than float32 on a CPU, and so is compiled bfloat16 without instructions for it.
    """
    import torch

    if teacher.device.type != "cpu":
        raise Unavailable("it is compiled for CPUs only")
    if not this_machine().features & {"amx_bf16", "avx512_bf16"}:
        raise Unavailable("the processor has no instructions for bfloat16")
    if this_machine().compiler is None:
        raise Unavailable("there is no C++ compiler; install g++")
    if not guard().safe:
        raise Unavailable(guard().how)
    if teacher.stack is None:
        raise Unavailable(f"the layers of {teacher.name} were not found")

    attention = ""

    def compiled(model: torch.nn.Module) -> torch.nn.Module:
        nonlocal attention
        model = model.to(torch.bfloat16)
        attention = use_tiles(model)
        for layer in layers_of(model, teacher.layers) or ():
            make_compilable(layer)
            layer.forward = torch.compile(layer.forward, dynamic=True)
        return model

    return replace(_copied(teacher, "bfloat16", compiled), compiled=True, attention=attention)


def in_int8(teacher: Teacher) -> Teacher:
    """Weights in int8, one scale an output; activations in uint8 as they come. No compiler needed.

    The products that narrow (the second of each feed-forward part) stay in float32: their inputs have a few values far
    larger than all others, and rounding those cost more than half of what was lost.
    """
    import torch

    if teacher.device.type != "cpu":
        raise Unavailable("it is for CPUs only")
    if not {"x86", "fbgemm", "qnnpack"} & set(torch.backends.quantized.supported_engines):
        raise Unavailable("this build of torch has no int8 kernels")
    if not guard().safe:
        raise Unavailable(guard().how)
    try:
        from torch.ao.quantization import per_channel_dynamic_qconfig, quantize_dynamic
    except ImportError:
        raise Unavailable("this version of torch has no dynamic quantization") from None

    def quantized(model: torch.nn.Module) -> torch.nn.Module:
        chosen = {
            name: per_channel_dynamic_qconfig
            for name, part in model.named_modules()
            if isinstance(part, torch.nn.Linear) and part.in_features <= part.out_features
        }
        if not chosen:
            raise Unavailable(f"{teacher.name} has no linear layers that could be in int8")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it is announced to move to a package of its own
            return quantize_dynamic(model, chosen, dtype=torch.qint8)  # type: ignore[no-any-return,no-untyped-call]

    return _copied(teacher, "int8", quantized)


def _copied(teacher: Teacher, precision: str, change: Callable[[torch.nn.Module], torch.nn.Module]) -> Teacher:
    model = change(copy.deepcopy(teacher.model))
    layers = layers_of(model, teacher.layers)
    stack = replace(teacher.stack, layers=layers) if teacher.stack and layers else None
    return replace(teacher, model=model, stack=stack, precision=precision)
