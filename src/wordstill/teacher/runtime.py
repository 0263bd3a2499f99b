"""How the teacher runs on this machine."""

from __future__ import annotations


def use_threads(number: int | None) -> None:
    """Compute with so many threads; None leaves it to the libraries (all cores)."""
    if number is None:
        return
    import numba
    import torch

    torch.set_num_threads(number)
    numba.set_num_threads(min(number, numba.config.NUMBA_NUM_THREADS))
