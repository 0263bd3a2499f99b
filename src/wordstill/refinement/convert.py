"""convert: vectors from one format to another, and smaller where that is asked for."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wordstill.formats import READ, TYPES, WRITTEN, Format, check_target, detect, format_to_write, load, save
from wordstill.io.sizes import bytes_of, in_units
from wordstill.options import Options, build, setting
from wordstill.refinement.smaller import smaller, without_unheld
from wordstill.system.progress import log
from wordstill.vectors import WordVectors


@dataclass(frozen=True)
class ConvertSettings(Options):
    """In which format vectors are read and written, and how much of them."""

    read_as: str | None = setting(
        None, f"the format of IN, whatever its content: {', '.join(READ)}", option="--from", metavar="FORMAT"
    )
    format: str | None = setting(
        None,
        f"the format of OUT, whatever its name: {', '.join(WRITTEN)}",
        option="--to",
        aliases=("--format",),
        metavar="FORMAT",
    )
    dtype: str | None = setting(
        None, f"the type of the stored numbers: {', '.join(TYPES)} (int8 in folders and ONNX only)", metavar="TYPE"
    )
    dimensions: int | None = setting(None, "reduce the vectors to N dimensions by PCA", low=1, option="--dim")
    top: int | None = setting(None, "keep the N most frequent words (the first N where counts are not known)", low=1)
    min_count: int | None = setting(None, "keep the words that were seen N times or more", low=0)
    drop: bool = setting(False, "leave out words that the format cannot hold, instead of refusing them")
    overwrite: bool = setting(False, "replace OUT where it holds vectors and nothing else")


def convert(
    source: WordVectors | str | Path, target: str | Path, settings: ConvertSettings | None = None, **options: Any
) -> WordVectors:
    """Write vectors to `target`, in the format that its name asks for; return what was written.

    >>> len(convert("run/closed", "few.bin", top=20))
    20

    `options` are the settings of `ConvertSettings` by name.
    """
    settings = settings or build(ConvertSettings, options)
    target = Path(target)
    check_target(target, settings.format, settings.overwrite)
    chosen = format_to_write(target, settings.format)
    vectors = source if isinstance(source, WordVectors) else _read(source, settings.read_as)
    vectors = smaller(vectors, settings.top, settings.min_count, settings.dimensions)
    if settings.drop:
        vectors, left_out = without_unheld(vectors, chosen.holds)
        if left_out:
            shown = ", ".join(repr(word[:30]) for word in left_out[:5])
            log.info("left out %s words that %s cannot hold: %s", f"{len(left_out):,}", chosen.name, shown)
    save(vectors, target, format=chosen.name, dtype=settings.dtype)
    files = chosen.files(target)
    size = in_units(sum(bytes_of(path) for path in files))
    log.info("wrote %s as %s: %s%s", ", ".join(map(str, files)), chosen.name, size, _lost(vectors, chosen))
    return vectors


def _read(source: str | Path, read_as: str | None) -> WordVectors:
    name = read_as or detect(source)
    vectors = load(source, name)
    counts = "no counts" if vectors.counts is None else "with counts"
    size = f"{len(vectors):,} words, {vectors.vector_size} dimensions of {vectors.matrix.dtype.name}"
    log.info("read %s as %s: %s, %s", source, name, size, counts)
    for note in vectors.card.get("notes", ()):
        log.info("note: %s", note)
    return vectors


def _lost(vectors: WordVectors, chosen: Format) -> str:
    """Tell what the vectors have and the format does not keep."""
    lost = [
        *(["counts"] if vectors.counts is not None and not chosen.keeps_counts else []),
        *(["the model card"] if vectors.card and not chosen.keeps_card else []),
    ]
    return f"; not kept by this format: {' and '.join(lost)}" if lost else ""
