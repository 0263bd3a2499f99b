"""Attention on matrix tiles against the formula, written out in float64."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as some

from wordstill.errors import Unavailable
from wordstill.system import machine
from wordstill.teacher.amx import attention as tiles
from wordstill.teacher.compilable import NORMAL, TANH, _logistic


@pytest.fixture(scope="session")
def on_tiles() -> None:
    """Skip where there are no tiles to compute on, with the reason: no processor or compiler for them, say."""
    if reason := tiles.why_not():
        pytest.skip(f"needs attention on matrix tiles: {reason}")


needs_tiles = pytest.mark.usefixtures("on_tiles")


def literal(query: Any, key: Any, value: Any, mask: Any, scale: float) -> np.ndarray[Any, Any]:
    """One query, one head, one text at a time."""
    query, key, value = (part.double().numpy() for part in (query, key, value))
    texts, heads, queries, width = query.shape
    keys, group = key.shape[2], heads // key.shape[1]
    added = np.zeros((texts, heads, queries, keys))
    if mask is not None:
        full = mask.expand(texts, heads, queries, keys)
        added = np.where(full.numpy(), 0.0, -1e9) if mask.dtype == torch.bool else full.double().numpy()
    out = np.zeros((texts, queries, heads, width))
    for text in range(texts):
        for head in range(heads):
            for place in range(queries):
                scores = key[text, head // group] @ query[text, head, place] * scale + added[text, head, place]
                weights = np.exp(scores - scores.max())
                out[text, place, head] = weights @ value[text, head // group] / weights.sum()
    return out


def some_attention(
    seed: int, texts: int, heads: int, group: int, queries: int, keys: int, width: int, kind: str
) -> tuple[Any, ...]:
    torch.manual_seed(seed)
    # As models have them: places before heads, seen the other way round.
    query = torch.randn(texts, queries, heads * group, width).to(torch.bfloat16).transpose(1, 2)
    key, value = torch.randn(2, texts, keys, heads, width).to(torch.bfloat16).transpose(2, 3)
    mask = None
    if kind == "padding":
        mask = torch.arange(keys)[None, :] < torch.randint(1, keys + 1, (texts, 1))
        mask = mask[:, None, None, :]
    elif kind == "causal":
        mask = torch.ones(queries, keys, dtype=torch.bool).tril()[None, None]
    elif kind == "bias":
        mask = torch.randn(1, heads * group, queries, keys).to(torch.bfloat16)
        mask[..., keys // 2 + 1 :] = -torch.inf
    elif kind == "transposed":
        mask = torch.randn(texts, 1, keys, queries).transpose(2, 3)
    return query, key, value, mask


@needs_tiles
@settings(max_examples=60, deadline=None)
@given(
    some.integers(0, 1000),
    some.integers(1, 3),
    some.integers(1, 3),
    some.integers(1, 2),
    some.integers(1, 70),
    some.integers(1, 70),
    some.sampled_from([2, 8, 31, 32, 48, 64, 80, 128]),
    some.sampled_from(["none", "padding", "causal", "bias", "transposed"]),
)
def test_the_tiles_give_what_the_formula_gives(
    seed: int, texts: int, heads: int, group: int, queries: int, keys: int, width: int, kind: str
) -> None:
    query, key, value, mask = some_attention(seed, texts, heads, group, queries, keys, width, kind)
    scale = width**-0.5
    found = tiles.attend_on_tiles()(query, key, value, mask, scale)
    assert found.shape == (texts, queries, heads * group, width)
    assert found.dtype == torch.bfloat16
    # Weights are rounded to bfloat16 before they meet the values, and so is the result.
    rounded = mask if mask is None or mask.dtype == torch.bool else mask.to(torch.bfloat16)
    np.testing.assert_allclose(found.double(), literal(query, key, value, rounded, scale), atol=0.03, rtol=0.01)


@needs_tiles
def test_the_tiles_are_as_exact_as_torch_where_texts_are_long() -> None:
    query, key, value, mask = some_attention(1, 2, 3, 1, 300, 300, 64, "padding")
    exact = literal(query, key, value, mask, 0.125)
    torchs = torch.nn.functional.scaled_dot_product_attention(
        query.float(), key.float(), value.float(), attn_mask=mask
    ).transpose(1, 2)
    found = tiles.attend_on_tiles()(query, key, value, mask, 0.125)
    np.testing.assert_allclose(torchs, exact, atol=1e-5)
    assert np.abs(found.double().numpy() - exact).mean() < 2 * np.abs(torchs.bfloat16().double().numpy() - exact).mean()


@needs_tiles
def test_a_row_without_anything_to_see_is_no_nan() -> None:
    query, key, value, _ = some_attention(2, 1, 1, 1, 5, 5, 32, "none")
    for mask in (torch.zeros(1, 1, 5, 5, dtype=torch.bool), torch.full((1, 1, 5, 5), -torch.inf)):
        found = tiles.attend_on_tiles()(query, key, value, mask, 1.0)
        np.testing.assert_allclose(found[0, 0, 0].float(), value[0, 0].float().mean(0), atol=0.02)


@pytest.fixture
def fresh(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """An empty cache on a pretended machine: what its compiler makes is never loaded, and the trial does nothing."""
    features = frozenset({"amx_tile", "amx_bf16"})
    compiler = tmp_path / "compiler"
    compiler.write_text(COMPILER)
    compiler.chmod(0o755)
    pretended = machine.Machine("a processor", features, 2, 0, str(compiler))
    monkeypatch.setattr(tiles, "this_machine", lambda: pretended)
    monkeypatch.setattr(tiles.sys, "platform", "linux")
    monkeypatch.setattr(tiles, "TRIAL", "import sys; open(sys.argv[1])")
    monkeypatch.setenv("WORDSTILL_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


# A compiler as far as it is called: its last argument is the library.
COMPILER = """#!/bin/sh
for argument; do
    if [ "$argument" = -mno-amx-tile ]; then echo "error: no tiles" >&2; exit 1; fi
done
: > "$argument"
"""


def test_the_library_is_built_once_and_leaves_nothing_else(fresh: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    built = tiles._built()
    assert list(fresh.iterdir()) == [built]
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: pytest.fail("something was run"))
    assert tiles._built() == built


def test_a_compiler_that_knows_no_tiles_is_named(fresh: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tiles, "FLAGS", [*tiles.FLAGS, "-mno-amx-tile", "-mno-amx-bf16"])
    with pytest.raises(Unavailable, match=r"compiler cannot build it: .*error"):
        tiles._built()
    assert list(fresh.iterdir()) == []


def test_tiles_that_kill_are_found_out_in_another_process(fresh: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tiles, "TRIAL", "import os, signal; os.kill(os.getpid(), signal.SIGILL)")
    with pytest.raises(tiles.Deadly, match="dies of an illegal instruction"):
        tiles._built()
    assert list(fresh.iterdir()) == []
    monkeypatch.setattr(tiles, "TRIAL", "raise SystemExit('the result is wrong')")
    with pytest.raises(Unavailable, match="a trial failed: the result is wrong"):
        tiles._built()


def test_a_home_that_cannot_be_written_to(fresh: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fresh.write_text("a file, and no folder")
    built = tiles._built()
    assert built.is_file()
    shutil.rmtree(built.parent)


def test_processors_without_tiles_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = machine.Machine("some processor", frozenset({"avx2"}), 2, 0, "g++")
    monkeypatch.setattr(tiles, "this_machine", lambda: plain)
    with pytest.raises(Unavailable, match="the processor has no AMX"):
        tiles._built()


def test_the_activations_are_those_of_torch() -> None:
    x = torch.linspace(-30, 30, 60_001)
    exact = torch.nn.functional.gelu(x.double())
    assert (_logistic(NORMAL)(x).double() - exact).abs().max() < 2.6e-5
    by_tanh = torch.nn.functional.gelu(x.double(), approximate="tanh")
    assert (_logistic(TANH)(x).double() - by_tanh).abs().max() < 2e-6
    # Far from zero it is the line, or nothing.
    huge = torch.tensor([-1e4, -300.0, 300.0, 1e4])
    assert _logistic(NORMAL)(huge).tolist() == [0.0, 0.0, 300.0, 1e4]
