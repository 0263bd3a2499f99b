"""Hugging Face datasets as a corpus, streamed: `hf:name[@revision][:config][:split]`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wordstill.corpus.decode import Decoder, text_paragraphs
from wordstill.corpus.records import text_of
from wordstill.errors import InputError

PREFIX = "hf:"


@dataclass(frozen=True)
class HubDataset:
    """One split of one dataset; `name` is a Hub name or a local folder that `datasets` can load."""

    name: str
    config: str | None
    split: str
    revision: str | None

    @classmethod
    def parse(cls, path: str) -> HubDataset:
        """The dataset a path names; the split is `train` unless named."""
        parts = path[len(PREFIX) :].split(":")
        name, _, revision = parts[0].partition("@")
        if not name or len(parts) > 3:
            raise InputError(f"{path} names no dataset: write hf:name[@revision][:config][:split].")
        parts += [""] * (3 - len(parts))
        return cls(name, parts[1] or None, parts[2] or "train", revision or None)

    def pinned(self) -> HubDataset:
        """The same with the commit its revision stands for now, so that a resumed run reads the same rows."""
        if Path(self.name).exists():
            return self
        try:
            from huggingface_hub import HfApi
        except ImportError:
            raise self._needs_packages() from None
        try:
            commit = HfApi().dataset_info(self.name, revision=self.revision).sha
        except Exception as error:  # what the client raises has no common class and changes with its version
            raise self._cannot_be_read(error) from error
        return HubDataset(self.name, self.config, self.split, commit)

    def paragraphs(self, field: str, decoder: Decoder) -> Iterator[str]:
        """The paragraphs of the text column `field`, row by row."""
        for number, row in enumerate(self._rows(), 1):
            text = text_of(row, field, f"{self}, row {number}")
            yield from text_paragraphs(decoder.without_surrogates(text))

    def _rows(self) -> Iterator[dict[str, Any]]:
        try:
            from datasets import load_dataset  # type: ignore[import-not-found,unused-ignore]
        except ImportError:
            raise self._needs_packages() from None
        try:
            yield from load_dataset(self.name, self.config, split=self.split, revision=self.revision, streaming=True)
        except Exception as error:  # as above
            raise self._cannot_be_read(error) from error

    def _needs_packages(self) -> InputError:
        return InputError(f'{self} is a Hugging Face dataset: pip install "wordstill[corpora]" to read it.')

    def _cannot_be_read(self, error: Exception) -> InputError:
        first_line = str(error).strip().partition("\n")[0]
        return InputError(f"{self} cannot be read ({first_line}): check its name, its split and the network.")

    def __str__(self) -> str:
        revision = f"@{self.revision}" if self.revision else ""
        return f"{PREFIX}{self.name}{revision}:{self.config or ''}:{self.split}"
