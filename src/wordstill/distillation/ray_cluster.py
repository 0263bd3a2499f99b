"""A Ray cluster to work on: connecting to it, what it has, and work that is spread over it in order.

Nothing of wordstill listens on a network. What Ray itself opens is told in docs/scaling.md.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from wordstill.errors import InputError
from wordstill.system.machine import guard

# What `--on` takes besides `local`.
ENGINE = "ray"


@dataclass(frozen=True)
class Node:
    """A machine of the cluster."""

    identity: str
    address: str
    cpus: int
    gpus: int
    memory: int


@contextmanager
def connected(address: str) -> Iterator[None]:
    """Connect to a cluster: "ray://HOST:PORT", or with "ray" the one that $RAY_ADDRESS names or that runs here.

    Where there is none, a cluster is started on this machine alone, and ended afterwards. A connection that the calling
    program has already is used and left.
    """
    if address != ENGINE and not address.startswith(f"{ENGINE}://"):
        raise InputError(f"--on takes local, ray, or ray://HOST:PORT, not {address!r}")
    guard()  # a worker inherits what is set for products
    try:
        import ray
    except ImportError:
        raise InputError('--on ray needs Ray: pip install "wordstill[ray]"') from None
    if ray.is_initialized():
        yield
        return
    quiet = {"log_to_driver": False, "logging_level": logging.ERROR}
    try:
        if address != ENGINE:
            ray.init(address, **quiet)
        else:
            _join_or_start(quiet)
    except (ConnectionError, ValueError, RuntimeError, TimeoutError) as error:
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise InputError(f"there is no Ray cluster to work on at {address}: {reason}") from error
    try:
        yield
    finally:
        ray.shutdown()


def _join_or_start(quiet: dict[str, Any]) -> None:
    import ray

    try:
        ray.init("auto", **quiet)
    except ConnectionError:
        ray.init("local", include_dashboard=False, **quiet)


def nodes() -> list[Node]:
    """List the machines of the cluster that are alive."""
    import ray

    return [
        Node(
            identity=one["NodeID"],
            address=one["NodeManagerAddress"],
            cpus=int(one["Resources"].get("CPU", 0)),
            gpus=int(one["Resources"].get("GPU", 0)),
            memory=int(one["Resources"].get("memory", 0)),
        )
        for one in ray.nodes()
        if one["Alive"]
    ]


def threads_for(asked: int | None) -> int:
    """Return the threads of each worker: those asked for, or the cores of the smallest machine."""
    cores = [node.cpus for node in nodes() if node.cpus]
    return asked or min(cores, default=1)


def workers_for(threads: int) -> int:
    """Return how many workers the cluster has room for: one per GPU, or as many as fill the cores."""
    found = nodes()
    gpus = sum(node.gpus for node in found)
    workers = gpus or sum(node.cpus // threads for node in found)
    if not workers:
        most = max((node.cpus for node in found), default=0)
        raise InputError(
            f"no machine of the Ray cluster has the {threads} cores that a worker needs (the largest has {most}); give "
            "fewer --threads"
        )
    return workers


def spread(
    work: Callable[[Any], Any], given: Iterator[Any], ahead: int, *, cpus: float = 1.0
) -> Iterator[tuple[Any, Any]]:
    """Do work on the things given all over the cluster; yield each with its result, in order (an `InOrder`)."""
    import ray

    copy = ray.put(work)
    task = ray.remote(num_cpus=cpus, max_retries=3)(_apply)
    room = ahead + 2 * max(1, sum(node.cpus for node in nodes()))
    waiting: deque[tuple[Any, Any]] = deque()
    for one in given:
        waiting.append((one, task.remote(copy, one)))
        if len(waiting) > room:
            yield _first(waiting)
    while waiting:
        yield _first(waiting)


def _first(waiting: deque[tuple[Any, Any]]) -> tuple[Any, Any]:
    import ray

    one, result = waiting.popleft()
    with errors_of_workers():
        return one, ray.get(result)


def _apply(work: Callable[[Any], Any], one: Any) -> Any:
    return work(one)


@contextmanager
def errors_of_workers() -> Iterator[None]:
    """Raise an InputError of a worker as it was raised there, and say in a sentence that Ray gave up."""
    import ray

    try:
        yield
    except ray.exceptions.RayTaskError as error:
        if isinstance(error.cause, InputError):
            raise InputError(str(error.cause)) from error
        raise
    except ray.exceptions.RaySystemError as error:
        raise InputError(f"the Ray cluster failed ({_first_line(error)}); go on with --resume") from error


def _first_line(error: BaseException) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]
