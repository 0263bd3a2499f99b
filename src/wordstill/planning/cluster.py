"""What the machines of a Ray cluster have, and what a run would miss there: for `wordstill doctor --on ray`."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from typing import Any

from wordstill import __version__
from wordstill.distillation import ray_cluster
from wordstill.distillation.shard_work import processor_kind
from wordstill.errors import InputError
from wordstill.teacher.load import find_teacher


def examine_cluster(address: str, teacher: str) -> dict[str, Any]:
    """Ask every machine of a cluster what it has, and return that with all problems, as JSON holds it."""
    with ray_cluster.connected(address):
        machines = ray_cluster.nodes()
        told = [_ask(node, teacher) for node in machines]
        threads = ray_cluster.threads_for(None)
        nodes = [
            {"address": node.address, "cpus": node.cpus, "gpus": node.gpus, "memory_bytes": node.memory, **each}
            for node, each in zip(machines, told, strict=True)
        ]
        problems = [problem for node in nodes for problem in _problems(node, teacher)]
        kinds = sorted({node["processor"] for node in nodes})
        notes = []
        if len(kinds) > 1:
            notes.append(
                f"There are {len(kinds)} kinds of processors ({'; '.join(kinds)}). Their products differ in the last "
                "bits, so a run has the same bytes only where the same kinds do the same shards."
            )
        return {
            "nodes": nodes,
            "cpus": sum(node.cpus for node in machines),
            "gpus": sum(node.gpus for node in machines),
            "threads": threads,
            "workers": ray_cluster.workers_for(threads) if machines else 0,
            "ready": not problems and bool(machines),
            "problems": problems,
            "notes": notes,
        }


def _ask(node: ray_cluster.Node, teacher: str) -> dict[str, Any]:
    """Ask one machine."""
    import ray
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    here = NodeAffinitySchedulingStrategy(node.identity, soft=False)
    with ray_cluster.errors_of_workers():
        found: dict[str, Any] = ray.get(ray.remote(num_cpus=0, scheduling_strategy=here)(describe).remote(teacher))
    return found


def describe(teacher: str) -> dict[str, Any]:
    """Tell what a worker would find on this machine."""
    try:
        torch = version("torch")
    except PackageNotFoundError:
        torch = ""
    try:
        find_teacher(teacher)
        found = True
    except InputError:
        found = False
    return {"wordstill": __version__, "torch": torch, "processor": processor_kind(), "teacher": found}


def _problems(node: dict[str, Any], teacher: str) -> list[str]:
    where, problems = node["address"], []
    if node["wordstill"] != __version__:
        problems.append(f"{where} has wordstill {node['wordstill']}, and this machine {__version__}")
    if not node["torch"]:
        problems.append(f"{where} has no torch")
    if not node["teacher"]:
        problems.append(f"{where} has no teacher {teacher}")
    return problems
