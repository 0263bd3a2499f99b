"""Attention on a processor's matrix tiles (AMX): `attention.cpp`, built on this machine and called from torch."""

from __future__ import annotations

import ctypes
import hashlib
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wordstill.errors import Unavailable
from wordstill.io.files import cache_folder
from wordstill.system.children import run_python
from wordstill.system.machine import this_machine

if TYPE_CHECKING:
    import torch

SOURCE = Path(__file__).with_name("attention.cpp")
NAME = "wordstill_tiles"
"""Of the attention as transformers knows it."""
FLAGS = [
    *("-O3", "-std=c++17", "-shared", "-fPIC", "-fopenmp"),
    *("-mavx512f", "-mavx512bw", "-mavx512vl", "-mavx512bf16", "-mamx-tile", "-mamx-bf16"),
]
# Run in a process of its own, so that it alone dies where tiles are claimed but do not work.
TRIAL = """
import ctypes, sys
library = ctypes.CDLL(sys.argv[1])
assert library.wordstill_tiles() == 0
size, strides = (ctypes.c_int64 * 6)(1, 1, 1, 1, 32, 1), (ctypes.c_int64 * 3)(32, 32, 32)
library.wordstill_room.restype = ctypes.c_int64
room = ctypes.create_string_buffer(library.wordstill_room(ctypes.c_int64(1), ctypes.c_int64(32)) + 64)
start = ctypes.c_void_p(-(-ctypes.addressof(room) // 64) * 64)
numbers, out = (ctypes.c_uint16 * 32)(*[0x3F80] * 32), (ctypes.c_uint16 * 32)()
library.wordstill_attend(
    numbers, numbers, numbers, None, out, size, strides, strides, strides, strides,
    ctypes.c_int64(0), ctypes.c_float(1), start, ctypes.c_int64(1),
)
assert list(out) == [0x3F80] * 32
"""
Attend = Callable[..., Any]


class Deadly(Unavailable):
    """The processor claims tiles, but whoever uses them dies."""


@cache
def attend_on_tiles() -> Attend:
    """The operator `attend(query, key, value, mask, scale)`; raises `Unavailable` where there are no tiles.

    Query, key and value are bfloat16 and texts x heads x places x width, where one head of keys may serve several of
    queries; the mask is boolean or added, and broadcast. What it gives is texts x places x heads x width.
    """
    import torch

    library = _load(_built())

    def attend(
        query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, mask: torch.Tensor | None, scale: float
    ) -> torch.Tensor:
        texts, heads, queries, width = query.shape
        keys = key.shape[2]
        query, key, value = (part if part.stride(3) == 1 else part.contiguous() for part in (query, key, value))
        kind, address, strides = 0, None, _numbers(0, 0, 0)
        if mask is not None:
            kind = 1 if mask.dtype == torch.bool else 2
            mask = (mask if kind == 1 else mask.to(query.dtype)).expand(texts, heads, queries, keys)
            mask = mask if mask.stride(3) == 1 else mask.contiguous()
            address, strides = mask.data_ptr(), _numbers(*mask.stride()[:3])
        out = query.new_empty(texts, queries, heads, width)
        threads = torch.get_num_threads()
        room = torch.empty(library.wordstill_room(keys, width) * threads + 64, dtype=torch.uint8)
        library.wordstill_attend(
            query.data_ptr(),
            key.data_ptr(),
            value.data_ptr(),
            address,
            out.data_ptr(),
            _numbers(texts, heads, queries, keys, width, heads // key.shape[1]),
            *(_numbers(*part.stride()[:3]) for part in (query, key, value)),
            strides,
            kind,
            scale,
            -(-room.data_ptr() // 64) * 64,
            threads,
        )
        return out

    schema = "(Tensor query, Tensor key, Tensor value, Tensor? mask, float scale) -> Tensor"
    operator = torch.library.custom_op("wordstill::attend", attend, mutates_args=(), schema=schema)
    operator.register_fake(
        lambda query, key, value, mask, scale: query.new_empty(
            query.shape[0], query.shape[2], query.shape[1], query.shape[3]
        )
    )
    return operator


def why_not() -> str:
    """Why attention cannot run on tiles here; nothing if it can."""
    try:
        _load(_built())
    except Unavailable as reason:
        return str(reason)
    return ""


def use_tiles(model: torch.nn.Module) -> str:
    """Let a model's attention run on tiles, in place; how it runs now, in a few words."""
    from transformers import AttentionInterface, AttentionMaskInterface
    from transformers.masking_utils import sdpa_mask

    try:
        attend = attend_on_tiles()
    except Deadly:
        raise
    except Unavailable as reason:
        return f"torch's ({reason})"
    found = False
    for module in model.modules():
        if hasattr(module, "fused_attention"):  # see attention.py
            module.fused_attention = attend  # type: ignore[assignment]
            found = True
    config: Any = model.config
    if not found and getattr(config, "_attn_implementation", None) == "sdpa":
        AttentionInterface.register(NAME, _attention)
        AttentionMaskInterface.register(NAME, sdpa_mask)
        model.set_attn_implementation(NAME)  # type: ignore[operator]
        found = True
    return "on matrix tiles (AMX)" if found else "the model's own"


def _attention(
    module: torch.nn.Module,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attention_mask: torch.Tensor | None,
    scaling: float | None = None,
    **others: Any,
) -> tuple[torch.Tensor, None]:
    """Attention as transformers calls it; what the tiles cannot do goes to torch's kernel."""
    import torch

    unusual = any(others.get(name) is not None for name in ("softcap", "position_bias", "cache"))
    if attention_mask is None or unusual or query.dtype != torch.bfloat16:
        from transformers.integrations.sdpa_attention import sdpa_attention_forward

        return sdpa_attention_forward(module, query, key, value, attention_mask, scaling=scaling, **others)
    # By its name in torch: compilers look into Python functions, and would look into the building of it.
    attend = torch.ops.wordstill.attend
    return attend(query, key, value, attention_mask, scaling or query.shape[-1] ** -0.5), None


def _numbers(*values: int) -> Any:
    return (ctypes.c_int64 * len(values))(*values)


def _load(path: Path) -> ctypes.CDLL:
    library = ctypes.CDLL(str(path))
    pointer, number = ctypes.c_void_p, ctypes.c_int64
    library.wordstill_room.argtypes, library.wordstill_room.restype = [number, number], number
    library.wordstill_attend.argtypes = [pointer] * 10 + [number, ctypes.c_float, pointer, number]
    library.wordstill_attend.restype = None
    if library.wordstill_tiles() != 0:
        raise Unavailable("the system does not let this process use AMX")
    return library


def _built() -> Path:
    """The library for this machine, built and tried once and kept in the cache folder."""
    machine = this_machine()
    if os.environ.get("WORDSTILL_NO_TILES"):
        raise Unavailable("WORDSTILL_NO_TILES is set")
    if not sys.platform.startswith("linux") or not {"amx_tile", "amx_bf16"} <= machine.features:
        raise Unavailable("the processor has no AMX")
    if machine.compiler is None:
        raise Unavailable("there is no C++ compiler")
    source = SOURCE.read_bytes()
    told = [machine.name.encode(), machine.compiler.encode(), " ".join(FLAGS).encode(), source]
    path = cache_folder() / f"attention-{hashlib.sha256(b'|'.join(told)).hexdigest()[:16]}.so"
    if path.is_file():
        return path
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        folder = tempfile.mkdtemp(dir=path.parent)
    except OSError:  # a home that cannot be written to: it is built again next time
        folder = tempfile.mkdtemp()
        path = Path(folder) / path.name
    made = Path(folder) / "new.so"
    try:
        done = subprocess.run(
            [machine.compiler, *FLAGS, str(SOURCE), "-o", str(made)], capture_output=True, text=True, check=False
        )
        if done.returncode:
            first = next((line for line in done.stderr.splitlines() if "error" in line), f"exit code {done.returncode}")
            raise Unavailable(f"{machine.compiler} cannot build it: {first.strip()[:160]}")
        tried = run_python(TRIAL, str(made))
        if tried.returncode == -signal.SIGILL:
            raise Deadly("the processor claims AMX, but a process that uses it dies of an illegal instruction")
        if tried.returncode:
            last = (tried.stderr.strip().splitlines() or [f"exit code {tried.returncode}"])[-1]
            raise Unavailable(f"a trial failed: {last[:160]}")
        made.replace(path)
    finally:
        made.unlink(missing_ok=True)
        if path.parent != Path(folder):
            Path(folder).rmdir()
    return path
