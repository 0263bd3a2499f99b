"""How this process computes while a run lasts: its threads, and how often Python looks for garbage."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def use_threads(number: int | None) -> None:
    """Compute with so many threads; None leaves it to the libraries (all cores)."""
    if number is None:
        return
    import numba
    import torch

    torch.set_num_threads(number)
    numba.set_num_threads(min(number, numba.config.NUMBA_NUM_THREADS))


@contextmanager
def numpy_on_one_thread() -> Iterator[None]:
    """Keep numpy's own BLAS, and scipy's, which compiled loops call, to one thread.

    Its idle threads go on spinning for a while, on the very cores that the teacher needs: between small products they
    halved the teacher's speed. One thread also adds up in the same order on every machine.
    """
    import scipy.linalg.cython_blas  # type: ignore[import-untyped]  # noqa: F401  # only what is loaded can be limited
    from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

    pools = ThreadpoolController()
    paths = [Path(pool["filepath"]) for pool in pools.info()]
    own = [str(path) for path in paths if any(part.startswith(("numpy", "scipy")) for part in path.parts)]
    with pools.select(filepath=own).limit(limits=1):
        yield


@contextmanager
def few_full_collections() -> Iterator[None]:
    """Let Python look through all its objects for garbage a hundred times as rarely.

    Those of torch and transformers are a million, a quarter of a second each time, and loading them begins the search
    again and again. Young objects are looked through as ever.
    """
    young, middle, old = gc.get_threshold()
    gc.set_threshold(young, middle, 100 * old)
    try:
        yield
    finally:
        gc.set_threshold(young, middle, old)
