"""Read a corpus as a stream of paragraphs, from any start, never more than a block of it in memory.

Plain text (one paragraph per line), JSON lines, parquet, WikiExtractor's output, MediaWiki XML dumps and CoNLL-U, all
but parquet also as .gz, .bz2, .xz or .zst; folders of these; and Hugging Face datasets as
`hf:name[@revision][:config][:split]`.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from wordstill.corpus.conllu import conllu_paragraphs
from wordstill.corpus.decode import Decoder, stream_paragraphs
from wordstill.corpus.hub import PREFIX, HubDataset
from wordstill.corpus.records import json_paragraphs, parquet_paragraphs
from wordstill.corpus.wikipedia import dump_paragraphs, extracted_paragraphs
from wordstill.errors import InputError
from wordstill.io.reading import explaining
from wordstill.io.stdin import spool_stdin
from wordstill.io.streams import kind_of, open_stream

__all__ = ["BEGINNING", "Corpus", "Position", "spool_stdin"]

# Part of the fingerprint: raise it when the same files begin to give other paragraphs.
READER_VERSION = 2
MIB = 1 << 20


@dataclass(frozen=True, order=True)
class Position:
    """Where in a corpus a reader stands."""

    file: int = 0
    paragraph: int = 0


BEGINNING = Position()


class Corpus:
    """The paragraphs of files, folders and Hugging Face datasets, in the order given.

    A folder's files come in the order of their paths. A paragraph has no newline, no control character but
    tabs, and at most 2**20 characters; one that comes with its parses is packed (see `conllu`). Those shorter
    than `min_characters` are left out, but count in positions. `field` names the text in JSON, parquet and
    datasets.
    """

    def __init__(self, paths: Sequence[str | Path], *, field: str = "text", min_characters: int = 0) -> None:
        if isinstance(paths, (str, Path)):
            paths = [paths]
        self.files = [file for path in paths for file in _expand(path)]
        if not self.files:
            raise InputError("No corpus was given: name at least one file or folder.")
        self.field = field
        self.min_characters = min_characters
        self._decoder = Decoder()
        self._datasets: dict[Path, HubDataset] = {}

    @property
    def replaced_bytes(self) -> int:
        """How many invalid UTF-8 sequences were replaced so far in the current iteration."""
        return self._decoder.replaced

    def fingerprint(self) -> str:
        """A SHA-256 of the settings and of each file's name, size, first and last MiB."""
        digest = hashlib.sha256(json.dumps([READER_VERSION, self.field, self.min_characters]).encode())
        for path in self.files:
            dataset = self._dataset(path)
            digest.update(_file_digest(path) if dataset is None else hashlib.sha256(str(dataset).encode()).digest())
        return digest.hexdigest()

    def paragraphs(self, start: Position = BEGINNING) -> Iterator[tuple[Position, str]]:
        """Each paragraph with the position after it; from a yielded position on, exactly the rest follows."""
        if not (0 <= start.file < len(self.files) and start.paragraph >= 0):
            raise InputError(f"The corpus has {len(self.files)} files and no {start}: was a file removed?")
        self._decoder = decoder = Decoder()
        for index in range(start.file, len(self.files)):
            taken = start.paragraph if index == start.file else 0
            number = 0
            for text in self._file_paragraphs(self.files[index], decoder):
                number += 1
                if number > taken and len(text) >= self.min_characters:
                    yield Position(index, number), text
            if number < taken:
                raise InputError(
                    f"{self.files[index]} has {number} paragraphs, not the {taken} once read: it has changed."
                )

    def _dataset(self, path: Path) -> HubDataset | None:
        if not path.as_posix().startswith(PREFIX):
            return None
        if path not in self._datasets:
            self._datasets[path] = HubDataset.parse(path.as_posix()).pinned()
        return self._datasets[path]

    def _file_paragraphs(self, path: Path, decoder: Decoder) -> Iterator[str]:
        dataset = self._dataset(path)
        if dataset is not None:
            yield from dataset.paragraphs(self.field, decoder)
            return
        with explaining(path, "archive"):
            kind = kind_of(path)
            if kind == "parquet":
                yield from parquet_paragraphs(path, self.field, decoder)
                return
            with open_stream(path) as stream:
                if kind == "json":
                    yield from json_paragraphs(stream, path, self.field, decoder)
                elif kind == "conllu":
                    yield from conllu_paragraphs(stream, path, decoder)
                elif kind == "mediawiki":
                    yield from dump_paragraphs(stream, path, decoder)
                elif kind == "wikiextractor":
                    yield from extracted_paragraphs(stream, decoder)
                else:
                    yield from stream_paragraphs(stream, decoder)


def _expand(path: str | Path) -> list[Path]:
    """The files of a path, which is itself a file, a dataset, or a folder with files at any depth."""
    if str(path).startswith(PREFIX):
        HubDataset.parse(str(path))
        return [Path(path)]
    path = Path(path)
    if not path.is_dir():
        _check_file(path)
        return [path]
    files = []
    for folder, folders, names in os.walk(path):
        folders[:] = [name for name in folders if not name.startswith(".")]
        files += [Path(folder, name) for name in names if not name.startswith(".")]
    files.sort(key=lambda file: file.relative_to(path).parts)
    for file in files:
        _check_file(file)
    if not files:
        raise InputError(f"The folder {path} has no files to read: name one with text in it.")
    return files


def _check_file(path: Path) -> None:
    if not path.exists():
        raise InputError(f"There is no file {path}: check the path of the corpus.")
    if not path.is_file():
        raise InputError(f"{path} is no regular file and cannot be read twice: pipe it in with - instead.")
    if not os.access(path, os.R_OK):
        raise InputError(f"{path} may not be read: change its permissions.")


def _file_digest(path: Path) -> bytes:
    with explaining(path), path.open("rb") as file:
        size = path.stat().st_size
        digest = hashlib.sha256(json.dumps([path.name, size]).encode())
        digest.update(file.read(MIB))
        file.seek(max(0, size - MIB))
        digest.update(file.read(MIB))
    return digest.digest()
