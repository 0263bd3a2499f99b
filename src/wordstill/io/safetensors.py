"""Safetensors files, memory-mapped: eight bytes of header length, a JSON header, then the arrays' bytes.

The `safetensors` package copies every array it hands to numpy. Here a file of any size opens at once, and
the system reads the rows that are used. Both packages read each other's files.
"""

from __future__ import annotations

import json
import math
import mmap
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeGuard

import numpy as np

from wordstill.arrays import Array
from wordstill.errors import InputError
from wordstill.io.files import replacing
from wordstill.io.reading import explaining, open_regular

_CODES = {
    "F64": "<f8",
    "F32": "<f4",
    "F16": "<f2",
    "BF16": "<u2",  # numpy has no bfloat16: read as its bits, then widened to float32
    "I64": "<i8",
    "I32": "<i4",
    "I16": "<i2",
    "I8": "|i1",
    "U64": "<u8",
    "U32": "<u4",
    "U16": "<u2",
    "U8": "|u1",
    "BOOL": "|b1",
}
_NAMES = {np.dtype(code): name for name, code in _CODES.items() if name != "BF16"}

# The bound that the safetensors package sets; a longer header means that this is some other file.
MAX_HEADER_BYTES = 100_000_000
_NO_METADATA: Mapping[str, str] = MappingProxyType({})


def read(path: str | Path) -> tuple[dict[str, Array], dict[str, str]]:
    """The arrays of a file, read-only and memory-mapped, and its metadata.

    bfloat16 arrays are the exception: they are widened to float32 in memory.
    """
    path = Path(path)
    with open_regular(path) as file, explaining(path):
        size = file.seek(0, 2)
        if size < 8:
            raise _broken(path, "it is shorter than the header's length")
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    header, start = _header(path, mapped, size)
    metadata = header.pop("__metadata__", {})
    if not _is_text_mapping(metadata):
        raise _broken(path, "its metadata is not a mapping of text to text")
    buffer = np.frombuffer(mapped, dtype=np.uint8, offset=start) if size > start else np.empty(0, np.uint8)
    buffer.flags.writeable = False
    arrays = {name: _array(path, buffer, name, entry) for name, entry in header.items()}
    _check_layout(path, [tuple(entry["data_offsets"]) for entry in header.values()], size - start)
    return arrays, metadata


def write(
    path: str | Path,
    arrays: Mapping[str, Array | tuple[Array, ...]],
    metadata: Mapping[str, str] = _NO_METADATA,
) -> None:
    """Write arrays, each straight from its own memory to the disk; the file appears when it is whole.

    A tuple of arrays is written as one, the rows of the second after those of the first, without joining them
    in memory. The widest numbers come first, so that every array starts at a multiple of its own item size.
    """
    if not _is_text_mapping(dict(metadata)):
        raise InputError(f"the metadata for {path} must map text to text")
    stored = {name: _storable(name, array) for name, array in arrays.items()}
    names = sorted(stored, key=lambda name: (-stored[name][0].itemsize, name))
    header: dict[str, Any] = {"__metadata__": dict(metadata)} if metadata else {}
    offset = 0
    for name in names:
        parts = stored[name]
        shape = list(parts[0].shape)
        if len(parts) > 1:
            shape[0] = sum(len(part) for part in parts)
        end = offset + sum(part.nbytes for part in parts)
        header[name] = {"dtype": _NAMES[parts[0].dtype], "shape": shape, "data_offsets": [offset, end]}
        offset = end
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode("utf-8", "backslashreplace")
    text += b" " * (-len(text) % 8)
    with replacing(Path(path)) as temporary, temporary.open("wb") as file:
        file.write(len(text).to_bytes(8, "little"))
        file.write(text)
        for name in names:
            for part in stored[name]:
                file.write(part.reshape(-1).view(np.uint8).data)


def _header(path: Path, mapped: mmap.mmap, size: int) -> tuple[dict[str, Any], int]:
    length = int.from_bytes(mapped[:8], "little")
    if length > min(MAX_HEADER_BYTES, size - 8):
        raise _broken(path, f"its header claims {length} bytes of a file of {size}")
    try:
        header = json.loads(mapped[8 : 8 + length].decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise _broken(path, "its header is not JSON") from error
    if not isinstance(header, dict):
        raise _broken(path, "its header is not a JSON object")
    return header, 8 + length


def _array(path: Path, buffer: Array, name: str, entry: Any) -> Array:
    fields: dict[str, Any] = entry if isinstance(entry, dict) else {}
    code, shape, offsets = fields.get("dtype"), fields.get("shape"), fields.get("data_offsets")
    if not isinstance(code, str) or code not in _CODES:
        raise _broken(path, f"its tensor {name!r} has the unknown type {code!r}")
    if not _is_sizes(shape) or not _is_sizes(offsets) or len(offsets) != 2:
        raise _broken(path, f"its tensor {name!r} has no valid shape and offsets")
    start, end = offsets
    dtype = np.dtype(_CODES[code])
    # Python's own product: numpy's would overflow on a shape that lies.
    if not start <= end <= len(buffer) or end - start != math.prod(shape) * dtype.itemsize:
        raise _broken(path, f"the offsets of its tensor {name!r} do not fit its shape or the file")
    try:
        array = buffer[start:end].view(dtype).reshape(shape)
    except (ValueError, OverflowError) as error:  # an empty array with another dimension beyond all bounds
        raise _broken(path, f"the shape of its tensor {name!r} is impossible") from error
    if code == "BF16":
        array = (array.astype(np.uint32) << 16).view(np.float32)
        array.flags.writeable = False
    return array


def _check_layout(path: Path, spans: list[tuple[int, ...]], length: int) -> None:
    at = 0
    for start, end in sorted(spans):
        if start != at:
            raise _broken(path, "its tensors overlap or leave a gap")
        at = end
    if at != length:
        raise _broken(path, f"its tensors end at byte {at} of {length}")


def _storable(name: str, array: Array | tuple[Array, ...]) -> list[Array]:
    parts = [np.asarray(part) for part in (array if isinstance(array, tuple) else (array,))]
    if name == "__metadata__":
        raise InputError("no tensor may be named '__metadata__', which is where the metadata stands")
    if len({(part.dtype, part.shape[1:]) for part in parts}) != 1:
        raise InputError(f"the parts of the tensor {name!r} must be of one type and one row length")
    little = parts[0].dtype.newbyteorder("<")
    if little not in _NAMES:
        raise InputError(f"the tensor {name!r} is of type {little}, which safetensors cannot hold")
    # ascontiguousarray would turn a 0-d array into one of shape (1,).
    return [np.asarray(part, dtype=little, order="C") for part in parts]


def _is_sizes(value: Any) -> TypeGuard[list[int]]:
    return isinstance(value, list) and all(type(size) is int and size >= 0 for size in value)


def _is_text_mapping(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(text, str) for pair in value.items() for text in pair)


def _broken(path: Path, reason: str) -> InputError:
    return InputError(f"{path} is not a whole safetensors file: {reason}; copy or download it again")
