"""A run's folder: run.json, the vocabulary, the checkpoint, and one folder a student with its vectors."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from wordstill import __version__
from wordstill.corpus.read import spool_stdin
from wordstill.corpus.segmented_text import KeptText
from wordstill.corpus.vocabulary import Phrases, Vocabulary
from wordstill.distillation.settings import DistillSettings, differences
from wordstill.errors import InputError
from wordstill.io.files import write_json

# Where standard input is kept: it is part of no run, but stands beside one.
SPOOLED = "corpus"


@dataclass(frozen=True)
class RunFolder:
    """Where a run keeps what it knows and what it made."""

    path: Path

    @property
    def checkpoint(self) -> Path:
        """The students' states and the position in the corpus."""
        return self.path / "checkpoint"

    @property
    def kept(self) -> Path:
        """What only a run under way needs: the corpus as words, contexts for further epochs, tables."""
        return self.path / "kept"

    @property
    def text(self) -> Path:
        """The corpus as words, kept from counting for the teacher's pass."""
        return self.kept / "+text.bin"  # no student's name has a +

    def record(self) -> dict[str, Any] | None:
        """What run.json says, or None where there is no run."""
        path = self.path / "run.json"
        if not path.is_file():
            return None
        try:
            record = json.loads(path.read_text(encoding="utf-8"))
        except (ValueError, OSError) as error:
            raise InputError(f"{path} cannot be read as JSON; is this the folder of a run?") from error
        if not isinstance(record, dict) or "settings" not in record:
            raise InputError(f"{path} is no run.json of wordstill; choose another folder")
        return record

    def write_record(self, record: dict[str, Any]) -> None:
        """Replace run.json."""
        write_json(self.path / "run.json", record)

    def open(
        self, settings: DistillSettings, fingerprint: str, *, resume: bool, overwrite: bool
    ) -> dict[str, Any] | None:
        """Make the folder ready; what run.json says if the run in it is finished already.

        A folder with a run in it needs `resume` (with the same settings and corpus) or `overwrite`; a folder
        with anything else in it is never touched.
        """
        self.refuse(resume=resume, overwrite=overwrite)
        record = self.record()
        if record is not None and resume:
            changed = differences(record["settings"], settings.as_json())
            if record["version"] != __version__ and not record["finished"]:
                changed.append(f"wordstill itself ({record['version']} before, {__version__} now)")
            if record["corpus"]["fingerprint"] != fingerprint:
                changed.append("the corpus itself")
            if changed:
                raise InputError(
                    f"the run in {self.path} cannot be resumed with other settings; changed: {', '.join(changed)}"
                )
            return record if record["finished"] else None
        if record is not None:
            self._clear(record)
        self.write_record(
            {
                "version": __version__,
                "finished": False,
                "settings": settings.as_json(),
                "corpus": {"fingerprint": fingerprint},
                "students": {},
            }
        )
        return None

    def refuse(self, *, resume: bool, overwrite: bool) -> None:
        """Refuse a folder that holds a run which nobody said to resume or overwrite, or anything else."""
        if resume and overwrite:
            raise InputError("--resume and --overwrite exclude each other; choose one")
        if not self.path.exists():
            return
        if not self.path.is_dir():
            raise InputError(f"{self.path} is a file; name a folder with --out")
        record = self.record()
        strangers = sorted(item.name for item in self.path.iterdir() if item.name != SPOOLED)
        if record is None and strangers:
            raise InputError(f"{self.path} holds something that is no run ({strangers[0]}); choose another with --out")
        if record is not None and not resume and not overwrite:
            what = "a finished run" if record["finished"] else "an unfinished run"
            raise InputError(f"{self.path} already holds {what}; give --resume to go on or --overwrite to begin anew")

    def _clear(self, record: dict[str, Any]) -> None:
        """Remove what a run made, run.json last, so that a broken removal still looks like a run."""
        made = [student["path"].split("/")[0] for student in record["students"].values()]
        for name in (*made, "checkpoint", "kept", "vocabulary.json"):
            target = self.path / name
            if target.is_dir():
                shutil.rmtree(target)
            elif target.exists():
                target.unlink()
        (self.path / "run.json").unlink()

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep every other process out of this folder; the lock ends with the process, however it ends."""
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            handle = os.open(self.path, os.O_RDONLY)
        except OSError as error:
            raise InputError(f"the folder {self.path} cannot be made: {error.strerror}") from error
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            yield
        except BlockingIOError as error:
            raise InputError(f"another process is at work on the run in {self.path}; wait for it to end") from error
        finally:
            os.close(handle)

    def spool(self, stream: BinaryIO, *, again: bool) -> Path:
        """Keep standard input in the run's folder: it may have to be read again."""
        folder = self.path / SPOOLED
        kept = sorted(folder.glob("*")) if folder.is_dir() else []
        if kept and not again:
            return kept[0]
        shutil.rmtree(folder, ignore_errors=True)
        return spool_stdin(stream, folder)

    # ---------------------------------------------------------------- the vocabulary, counted once

    def save_vocabulary(self, vocabulary: Vocabulary, counted: dict[str, Any], text: KeptText) -> None:
        """Keep the vocabulary with what was counted, and what is known of the text kept."""
        content = {
            **counted,
            "text": {"size": text.size, "until": text.until, "whole": text.whole},
            "words_kept": vocabulary.words,
            "counts": vocabulary.counts.tolist(),
        }
        write_json(self.path / "vocabulary.json", content)

    def load_vocabulary(self, fingerprint: str, phrases: Phrases) -> tuple[Vocabulary, dict[str, Any], KeptText] | None:
        """The vocabulary counted before, if it was counted for the same corpus."""
        path = self.path / "vocabulary.json"
        if not path.is_file():
            return None
        counted = json.loads(path.read_text(encoding="utf-8"))
        if counted["fingerprint"] != fingerprint:
            return None
        words, counts = counted.pop("words_kept"), counted.pop("counts")
        text = counted.pop("text", {"whole": False})
        return Vocabulary(words, np.array(counts, dtype=np.int64), phrases), counted, KeptText(self.text, **text)
