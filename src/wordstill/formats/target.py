"""Whether vectors may be written to a place: nothing is replaced that wordstill did not write."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from wordstill.errors import InputError
from wordstill.formats.format import Format
from wordstill.formats.text_heads import head_of
from wordstill.io.files import check_replaceable, only_files


def refuse_existing(path: Path, chosen: Format) -> None:
    """Refuse a path where one of the files that the chosen format writes exists."""
    for place in chosen.files(path):
        if place.exists():
            raise InputError(f"{place} exists; give another name, or --overwrite to replace it")


def refuse_foreign(path: Path, chosen: Format, formats: Sequence[Format]) -> None:
    """Refuse a path where something is in the way that wordstill did not write.

    A folder is replaced where the chosen format wrote all that is in it, and a file where any of the formats may
    have written it. The second file of a pair is replaced only together with the first one of the same pair.
    """
    if chosen.members:
        if path.is_file():
            raise InputError(f"{path} is a file and would be replaced by a folder; choose another name")
        check_replaceable(path, chosen.first_foreign)
        return
    if path.is_dir():
        raise InputError(f"{path} is a folder and would be replaced by a file; choose another name")
    check_replaceable(path, only_files(lambda place: _is_ours(place, formats)))
    for beside in chosen.files(path)[1:]:
        if beside.is_dir():
            raise InputError(f"{beside} is a folder and would be replaced by a file; choose another name")
        check_replaceable(beside, only_files(lambda place: _is_ours(path, [chosen])))


def _is_ours(path: Path, formats: Sequence[Format]) -> bool:
    """Return whether wordstill may have written a file in one of the formats."""
    try:
        head = head_of(path)
    except InputError:  # it cannot be read, or is damaged
        return False
    return bool(head) and any(format.owns(path, head) for format in formats if not format.members)
