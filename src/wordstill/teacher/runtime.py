"""How the teacher computes on this machine: precision and threads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from wordstill.errors import InputError

if TYPE_CHECKING:
    import torch

Precision = Literal["auto", "float32", "bfloat16"]


def use_threads(number: int | None) -> None:
    """Compute with so many threads; None leaves it to the libraries (all cores)."""
    if number is None:
        return
    import numba
    import torch

    torch.set_num_threads(number)
    numba.set_num_threads(min(number, numba.config.NUMBA_NUM_THREADS))


def choose_precision(asked: Precision, device: torch.device) -> torch.dtype:
    """What to compute with: `auto` is bfloat16 on a GPU that has it, float32 elsewhere."""
    import torch

    on_gpu = device.type == "cuda"
    if asked == "auto":
        return torch.bfloat16 if on_gpu and torch.cuda.is_bf16_supported() else torch.float32
    if asked == "bfloat16" and not on_gpu:
        # Uncompiled it is slower than float32, and kills the process with an illegal instruction on machines that
        # claim matrix extensions they do not have.
        raise InputError("bfloat16 runs on a GPU alone; choose float32 for this machine")
    return torch.bfloat16 if asked == "bfloat16" else torch.float32
