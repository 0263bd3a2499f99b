"""Tell what this machine can do, what is missing, and what would make wordstill faster on it.

    wordstill doctor                 a few seconds
    wordstill doctor --measure       compiles bfloat16 and tries int8 too: a minute or two
    wordstill doctor --on ray        what the machines of a Ray cluster have, and what is missing there

Exit code 0 if the main job can run, 2 and the reason if not.
"""

from __future__ import annotations

import argparse
from typing import Any

from wordstill.cli.output import give_json, tell
from wordstill.errors import InputError


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument("--teacher", metavar="T", help="the teacher to measure ('minilm', if it is installed)")
    parser.add_argument("--on", metavar="WHERE", default="local", help="examine a cluster: ray, or ray://HOST:PORT")
    parser.add_argument("--measure", action="store_true", help="measure the faster precisions too, and remember them")
    parser.add_argument("--json", action="store_true", help="print JSON instead of sentences")


def run(arguments: argparse.Namespace) -> None:
    """Examine the machine, or the machines of a cluster, and print what was found."""
    if arguments.on == "local":
        from wordstill.planning.doctor import examine

        found, told = examine(arguments.teacher, measure=arguments.measure), in_words
    else:
        from wordstill.planning.cluster import examine_cluster

        found, told = examine_cluster(arguments.on, arguments.teacher or "minilm"), cluster_in_words
    if arguments.json:
        give_json(found)
    else:
        tell(told(found))
    if not found["ready"]:
        raise InputError(f"the main job cannot run here: {found['problems'][0]}")


def cluster_in_words(found: dict[str, Any]) -> str:
    """Tell what was found of a cluster in sentences."""
    lines = [f"{len(found['nodes'])} machines, {found['cpus']} cores, {found['gpus']} GPUs."]
    for node in found["nodes"]:
        lines.append(
            f"  {node['address']}: {node['cpus']} cores, {node['gpus']} GPUs, {node['memory_bytes'] / 1e9:.1f} GB; "
            f"{node['processor']}; wordstill {node['wordstill']}, torch {node['torch']}; "
            f"teacher {'found' if node['teacher'] else 'not found'}"
        )
    lines.append(f"Room for {found['workers']} workers with {found['threads']} threads each.")
    lines += ["", "The main job can run." if found["ready"] else "The main job cannot run:"]
    lines += [f"  {problem}" for problem in found["problems"]]
    if found["notes"]:
        lines += ["", *found["notes"]]
    return "\n".join(lines)


def in_words(found: dict[str, Any]) -> str:
    """Tell the findings in sentences."""
    machine, packages, disk = found["machine"], found["packages"], found["disk"]
    memory = f"{machine['memory_bytes'] / 1e9:.1f} GB of memory" if machine["memory_bytes"] else "memory unknown"
    lines = [
        f"wordstill {found['wordstill']}, Python {found['python']}",
        f"Machine: {machine['processor']}, {machine['cores']} cores, {memory}.",
        f"C++ compiler: {machine['compiler'] or 'none'}.",
        *_instructions(found),
        *_torch(found["torch"]),
        *_teacher(found["teacher"]),
        f"Teachers here: {_listed(found['teachers']['packaged'] + found['teachers']['hub_cache'])}.",
        f"Data sets here: {_listed(found['datasets']['here'])}; not here: {_listed(found['datasets']['missing'])}.",
        *([f"  {found['datasets']['note']}"] if "note" in found["datasets"] else []),
        f"Free disk: {disk['here'] / 1e9:.1f} GB here, {disk['cache'] / 1e9:.1f} GB for downloads.",
    ]
    if packages["missing"]:
        lines.append("Packages that are not installed, and what they are for:")
        lines += [f"  {package}: {use}" for package, use in packages["missing"].items()]
    lines += ["", "The main job can run." if found["ready"] else "The main job cannot run:"]
    lines += [f"  {problem}" for problem in found["problems"]]
    if found["advice"]:
        lines += ["", "What would help:", *(f"  {sentence}" for sentence in found["advice"])]
    return "\n".join(lines)


def _instructions(found: dict[str, Any]) -> list[str]:
    listed = found["instructions"]
    lines = []
    usable = [f"{name} ({one['for']})" for name, one in listed.items() if one["usable"]]
    if usable:
        lines.append(f"Instructions: {_listed(usable)}.")
    lines += [f"  {name}: {one['note']}." for name, one in listed.items() if "note" in one]
    if tiles := found["attention_on_tiles"]:
        how = "on the tiles of AMX" if tiles["usable"] else f"torch's, because {tiles['why_not']}"
        lines.append(f"  Attention in compiled bfloat16: {how}.")
    trap = found["bfloat16_trap"]
    if trap["found"]:
        kept = "it is kept from AMX in wordstill" if trap["safe"] else "nothing keeps it from AMX here"
        lines.append(
            f"  This machine has the bfloat16 trap: oneDNN would crash; {kept}. How it is known: {trap['how']}."
        )
    return lines


def _torch(torch: dict[str, Any]) -> list[str]:
    if not torch:
        return []
    gpu = torch["gpu"]
    lines = [f"torch {torch['version']}, {torch['threads']} threads, {torch['instructions']} kernels."]
    lines.append(f"GPU: {gpu['name']}, {gpu['memory_bytes'] / 1e9:.0f} GB." if gpu else "GPU: none that torch can use.")
    return lines


def _teacher(teacher: dict[str, Any]) -> list[str]:
    if "precisions" not in teacher:
        return []
    ways = teacher["precisions"]
    lines = [f"Teacher {teacher['name']} ({teacher['layers']} layers, {teacher['width']} dimensions):"]
    for name, way in ways.items():
        line = f"  {name}: {way['tokens_per_second']:,.0f} tokens/s"
        if name != "float32":
            line += f", {way['gain']:.1f} times float32, ready after {way['preparing']:.0f} s"
            line += "" if way["measured"] == "now" else " (measured before)"
        lines.append(line)
    lines += [f"  {name} does not work here: {why}" for name, why in teacher["precisions_that_do_not_work"].items()]
    chosen = teacher["precision_for_long_runs"]
    lines.append(f"  Fastest for a long run: {chosen}.")
    return lines


def _listed(names: list[str]) -> str:
    return ", ".join(names) or "none"
