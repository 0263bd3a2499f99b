"""Our safetensors files against the safetensors package, in both directions."""

from __future__ import annotations

import contextlib
import json
import mmap
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays_of

from wordstill.arrays import Array
from wordstill.errors import InputError
from wordstill.io import safetensors as ours

theirs = pytest.importorskip("safetensors.numpy")

TYPES = ["f8", "f4", "f2", "i8", "i4", "i2", "i1", "u8", "u4", "u2", "u1", "?"]
ARRAYS = st.sampled_from(TYPES).flatmap(
    lambda dtype: arrays_of.arrays(dtype, arrays_of.array_shapes(min_dims=0, min_side=0, max_side=4))
)
NAMES = st.text(st.characters(exclude_categories=["Cs"]), max_size=8).filter(lambda name: name != "__metadata__")


def same_bits(first: Array, second: Array) -> bool:
    return first.dtype == second.dtype and first.shape == second.shape and first.tobytes() == second.tobytes()


@given(st.dictionaries(NAMES, ARRAYS, max_size=5), st.dictionaries(NAMES, NAMES, max_size=2))
def test_the_package_reads_what_we_write_and_we_read_what_it_writes(
    tmp_path_factory: pytest.TempPathFactory, arrays: dict[str, Array], metadata: dict[str, str]
) -> None:
    folder = tmp_path_factory.mktemp("both")
    ours.write(folder / "ours", arrays, metadata)
    theirs.save_file(arrays, folder / "theirs", metadata or None)
    for read in (
        theirs.load_file(folder / "ours"),
        ours.read(folder / "ours")[0],
        ours.read(folder / "theirs")[0],
    ):
        assert read.keys() == arrays.keys()
        assert all(same_bits(read[name], arrays[name]) for name in arrays)
    assert ours.read(folder / "ours")[1] == ours.read(folder / "theirs")[1] == metadata


def test_arrays_are_read_only_memory_mapped_and_aligned(tmp_path: Path) -> None:
    ours.write(tmp_path / "a", {"odd": np.ones(3, np.uint8), "wide": np.ones(3)}, {"a": "b"})
    arrays, _ = ours.read(tmp_path / "a")
    for array in arrays.values():
        base: Any = array
        while isinstance(base, np.ndarray):
            base = base.base
        assert isinstance(base.obj if isinstance(base, memoryview) else base, mmap.mmap)
        assert array.flags.aligned
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 2


def test_strided_and_big_endian_arrays_are_written_as_their_values(tmp_path: Path) -> None:
    matrix = np.arange(12, dtype=">f4").reshape(3, 4).T[::2]
    ours.write(tmp_path / "a", {"a": matrix})
    np.testing.assert_array_equal(theirs.load_file(tmp_path / "a")["a"], matrix)


def test_bfloat16_is_widened_exactly(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    from safetensors.torch import save_file

    tensor = torch.tensor([[1.0, -2.5], [float("inf"), 1e-40]], dtype=torch.bfloat16)
    save_file({"a": tensor}, tmp_path / "a")
    read = ours.read(tmp_path / "a")[0]["a"]
    assert same_bits(read, tensor.float().numpy())


@pytest.mark.parametrize("array", [np.array(["text"]), np.array([1j]), np.array([None])])
def test_a_type_the_format_cannot_hold_is_refused(tmp_path: Path, array: Array) -> None:
    with pytest.raises(InputError, match="cannot hold"):
        ours.write(tmp_path / "a", {"a": array})
    assert not (tmp_path / "a").exists()


def test_the_name_of_the_metadata_is_refused_for_a_tensor(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="__metadata__"):
        ours.write(tmp_path / "a", {"__metadata__": np.ones(1)})


def file_of(header: Any, data: bytes = b"", length: int | None = None) -> bytes:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return (len(text) if length is None else length).to_bytes(8, "little") + text + data


def entry(start: int, end: int, shape: Any = (1,), dtype: Any = "F32") -> dict[str, Any]:
    return {"dtype": dtype, "shape": shape, "data_offsets": [start, end]}


MALFORMED = {
    "empty": b"",
    "shorter than the length": b"\x08\0\0",
    "header cut off": file_of({"a": entry(0, 4)})[:-3],
    "huge header": file_of({}, length=2**63),
    "header longer than allowed": file_of({}, length=ours.MAX_HEADER_BYTES + 1),
    "not JSON": file_of(b"{nonsense}"),
    "not UTF-8": file_of(b'{"\xff": 1}'),
    "nested without end": file_of(b"[" * 100_000),
    "a list": file_of([]),
    "an entry that is no object": file_of({"a": 3}, bytes(4)),
    "an unknown type": file_of({"a": entry(0, 4, dtype="F33")}, bytes(4)),
    "a type that is a list": file_of({"a": entry(0, 4, dtype=["F32"])}, bytes(4)),
    "no shape": file_of({"a": {"dtype": "F32", "data_offsets": [0, 4]}}, bytes(4)),
    "a negative shape": file_of({"a": entry(0, 4, [-1])}, bytes(4)),
    "a shape that overflows": file_of({"a": entry(0, 4, [2**62, 2, 2])}, bytes(4)),
    "an empty array beyond all bounds": file_of({"a": entry(0, 0, [0, 2**70])}),
    "three offsets": file_of({"a": {**entry(0, 4), "data_offsets": [0, 4, 4]}}, bytes(4)),
    "offsets beyond the end": file_of({"a": entry(0, 8, [2])}, bytes(4)),
    "offsets backwards": file_of({"a": entry(4, 0)}, bytes(4)),
    "offsets that do not fit the shape": file_of({"a": entry(0, 4, [3])}, bytes(4)),
    "overlapping": file_of({"a": entry(0, 8, [2]), "b": entry(4, 12, [2])}, bytes(12)),
    "a gap": file_of({"a": entry(0, 4), "b": entry(8, 12)}, bytes(12)),
    "bytes that belong to nobody": file_of({"a": entry(0, 4)}, bytes(8)),
    "metadata that is no mapping of text": file_of({"__metadata__": {"a": 1}}),
}


@pytest.mark.parametrize("content", MALFORMED.values(), ids=MALFORMED.keys())
def test_a_malformed_file_is_refused_with_its_name(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "bad.safetensors").write_bytes(content)
    with pytest.raises(InputError, match=r"bad\.safetensors is not a whole safetensors file"):
        ours.read(tmp_path / "bad.safetensors")


@given(st.binary(max_size=60), st.integers(0, 100))
def test_random_damage_is_refused_or_read_but_never_crashes(
    tmp_path_factory: pytest.TempPathFactory, damage: bytes, position: int
) -> None:
    path = tmp_path_factory.mktemp("damage") / "a"
    ours.write(path, {"a": np.arange(6.0).reshape(2, 3), "b": np.ones(2, np.int32)})
    content = path.read_bytes()
    path.write_bytes(content[:position] + damage + content[position + len(damage) :])
    with contextlib.suppress(InputError):
        ours.read(path)


def test_a_missing_file_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read: No such file"):
        ours.read(tmp_path / "nothing")
