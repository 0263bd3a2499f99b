"""A run's folder: the vectors of each student and run.json; and, while a run is under way, its state beside them.

    run/run.json            what the finished run was told, read and made
    run/aggregate/          one folder of vectors per student
    run/unfinished/         the state of a run under way: its own run.json, the vocabulary, what was settled for all
                            processes (order.json), the shards, the sum of those that were added up (checkpoint), the
                            text as words, standard input if that is the corpus, and vectors that are written already

A new run works in `unfinished` alone. When it is whole, its vectors take their places and its record becomes run.json:
until then a finished run in the same folder stays as it is. What wordstill did not write is never removed.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import BinaryIO, NamedTuple
from uuid import uuid4

from wordstill import __version__
from wordstill.distillation.run_record import FILE, CorpusRecord, RunRecord, read_record
from wordstill.distillation.settings import DistillSettings, differences
from wordstill.errors import InputError
from wordstill.formats.folder import MEMBERS
from wordstill.io.files import only_these
from wordstill.io.stdin import spool_stdin
from wordstill.students.registry import NAME, RESERVED
from wordstill.system.progress import log
from wordstill.vectors import WordVectors

STATE = "unfinished"
# What the state of a run holds.
OWN = {FILE, "vocabulary.json", "order.json", "checkpoint", "shards", "kept", "corpus", "students", "others"}
# What a run of an older version held beside its students.
OLDER = ("checkpoint", "kept", "vocabulary.json")
# What a killed process leaves of a file that it was writing: in the state, and of a run's own names beside it. Other
# temporaries there may be those of a process that is at work.
TEMPORARY = re.compile(r"\..*\.[0-9a-f]{12}\.(tmp|old)")
LEFTOVER = re.compile(rf"\.({re.escape(FILE)}|{STATE})\.[0-9a-f]{{12}}\.(tmp|old)")
LAYER = re.compile(r"layer-\d+")


class Run(NamedTuple):
    """A finished run: its folder, and its record."""

    folder: Path
    record: RunRecord

    def vectors(self, student: str) -> WordVectors:
        """Open the vectors of one student, memory-mapped."""
        if student not in self.record.students:
            raise InputError(f"the run in {self.folder} has no {student!r}; it has: {', '.join(self.record.students)}")
        return WordVectors.load(self.folder / self.record.students[student].path)


@dataclass
class RunState:
    """The state of a run under way."""

    path: Path

    @property
    def checkpoint(self) -> Path:
        """The sum of the shards that were added up, and where the replays stand."""
        return self.path / "checkpoint"

    @property
    def shards(self) -> Path:
        """One folder per shard that was begun."""
        return self.path / "shards"

    @property
    def vocabulary(self) -> Path:
        """What was counted."""
        return self.path / "vocabulary.json"

    @property
    def order(self) -> Path:
        """What was settled for all processes."""
        return self.path / "order.json"

    @property
    def kept(self) -> Path:
        """The corpus as words, and tables that do not fit into memory."""
        return self.path / "kept"

    @property
    def text(self) -> Path:
        """The corpus as words, kept from counting for the pass over the text."""
        return self.kept / "+text.bin"  # no student's name has a +

    @property
    def others(self) -> Path:
        """The runs of other teachers, one folder each."""
        return self.path / "others"

    @property
    def students(self) -> Path:
        """The vectors that are written already."""
        return self.path / "students"

    def take_up(self, settings: DistillSettings, fingerprint: str) -> RunRecord:
        """Return the record of the run to go on with, refused if it is another one; write it where a run begins."""
        record = read_record(self.path)
        if record is None:
            record = RunRecord(settings.as_json(), CorpusRecord(fingerprint))
            record.write(self.path)
        else:
            _refuse_changes(self.path.parent, record, settings, fingerprint)
        return record

    def standard_input(self, stream: BinaryIO) -> Path:
        """Keep standard input, since it may have to be read again; what was kept before is taken as it is."""
        folder = self.path / "corpus"
        before = sorted(folder.glob("stdin*")) if folder.is_dir() else []
        return before[0] if before else spool_stdin(stream, folder)

    @property
    def has_work(self) -> bool:
        """Whether a process has saved any work on the run."""
        return self.checkpoint.exists() or next(self.shards.glob("*/checkpoint"), None) is not None

    @contextmanager
    def prepared_once(self) -> Iterator[None]:
        """Let one process at a time prepare the run; others wait, and find it prepared."""
        self.path.mkdir(parents=True, exist_ok=True)
        handle = os.open(self.path, os.O_RDONLY)
        try:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                log.info("another process prepares the run in %s; waiting for it", self.path.parent)
                fcntl.flock(handle, fcntl.LOCK_EX)
            yield
        finally:
            os.close(handle)

    def remove(self) -> None:
        """Remove all that the state of a run holds, run.json last; anything else stays where it is."""
        if not self.path.is_dir() or self.path.is_symlink():
            return
        for item in sorted(self.path.iterdir(), key=lambda item: item.name == FILE):
            if item.name in OWN or TEMPORARY.fullmatch(item.name):
                _remove(item)
        with suppress(OSError):  # something else is in it
            self.path.rmdir()


@dataclass(frozen=True)
class RunFolder:
    """Where runs are made and kept."""

    path: Path

    @property
    def state(self) -> RunState:
        """The state of the run under way, if there is one."""
        return RunState(self.path / STATE)

    def refuse(self, *, resume: bool, overwrite: bool, students: Sequence[str] = ()) -> None:
        """Refuse a folder with a run that nobody said to resume or overwrite, or with anything else in the way."""
        if resume and overwrite:
            raise InputError("--resume and --overwrite exclude each other; choose one")
        try:
            if not self.path.exists():
                return
        except (OSError, ValueError) as error:
            raise _cannot_be_made(self.path, error) from error
        if not self.path.is_dir():
            raise InputError(f"{self.path} is a file; name a folder with --out")
        record, begun = read_record(self.path), self._begun()
        if record is None:
            strangers = [item.name for item in self.path.iterdir() if not LEFTOVER.fullmatch(item.name)]
            strangers = sorted(name for name in strangers if name != STATE or self._foreign_state() is not None)
            if strangers:
                raise InputError(
                    f"{self.path} holds something that is no run ({strangers[0]}); choose another with --out"
                )
        elif (name := self._foreign_state()) is not None:
            raise InputError(f"{self.path / STATE} holds {name}, which wordstill did not write; move it away")
        if (record is not None or begun is not None) and not resume and not overwrite:
            what = "a finished run" if record is not None and record.finished else "an unfinished run"
            raise InputError(f"{self.path} already holds {what}; give --resume to go on or --overwrite to begin anew")
        if record is not None and overwrite:
            self._refuse_foreign(record, students)

    @contextmanager
    def locked(self, *, shared: bool = False) -> Iterator[None]:
        """Keep every other process out of this folder; the lock ends with the process, however it ends.

        A shared lock lets others in that ask for a shared one: those that do a share of the shards.
        """
        made = not self.path.exists()
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            handle = os.open(self.path, os.O_RDONLY)
        except (OSError, ValueError) as error:
            raise _cannot_be_made(self.path, error) from error
        try:
            fcntl.flock(handle, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
            yield
        except BlockingIOError as error:
            raise InputError(f"another process is at work on the run in {self.path}; wait for it to end") from error
        finally:
            os.close(handle)
            if made:
                with suppress(OSError):  # it holds something now
                    self.path.rmdir()

    @contextmanager
    def begin(
        self, *, resume: bool, overwrite: bool, students: Sequence[str], shared: bool = False
    ) -> Iterator[RunState]:
        """Yield the state to work on: the one there is with `resume`, else a new one.

        Beside a state that is to be overwritten the new one has a temporary name until `adopt` is called. A state that
        was begun here is removed when the input turns out to be bad before there is any work in it; a shared one, only
        before others could begin to work on it.
        """
        self.refuse(resume=resume, overwrite=overwrite, students=students)
        for leftover in self.path.iterdir():
            if LEFTOVER.fullmatch(leftover.name):
                _remove(leftover)
        going_on = resume and self._begun() is not None
        if not going_on and self._begun() is None:
            self.state.remove()  # what a process left that was killed before it wrote its record
        name = STATE if going_on or not self.state.path.exists() else f".{STATE}.{uuid4().hex[:12]}.tmp"
        state = RunState(self.path / name)
        state.path.mkdir(exist_ok=True)
        try:
            yield state
        except InputError:
            if not going_on and not (state.order.exists() if shared else state.has_work):
                state.remove()
            raise

    def adopt(self, state: RunState) -> None:
        """Let a new state take the place of the one before: its command, teacher and vocabulary are sound."""
        if state.path != self.state.path:
            self.state.remove()
            os.rename(state.path, self.state.path)
            state.path = self.state.path

    def finished(self, settings: DistillSettings, fingerprint: str | None) -> Run | None:
        """Return the finished run, if it is one of these settings and this corpus; refuse another one.

        Without a fingerprint the corpus is not compared: standard input is gone.
        """
        record = read_record(self.path)
        if record is None or not record.finished or self._begun() is not None:
            return None
        _refuse_changes(self.path, record, settings, fingerprint)
        return Run(self.path, record)

    def publish(self, state: RunState, record: RunRecord) -> Run:
        """Put the vectors of a whole run in their places, and its record; what the run before had there goes.

        Killed at any point of it, a run that is resumed ends the same way: the state stays until all is in place.
        """
        for name in record.students:
            self._student_folder(name)
        record.write(state.path)
        before = read_record(self.path)
        if before is not None:
            self._refuse_foreign(before, [name.partition("/")[0] for name in record.students])
        # From here on run.json tells of no finished run, but of all folders: those of two runs, or some of one.
        made = {**(before.students if before is not None else {}), **record.students}
        replace(record, finished=False, students=made).write(self.path)
        if before is not None:
            for student in before.students.values():
                arrived = not (state.students / student.path).exists() and student.path in record.students
                if not arrived:
                    self._remove_vectors(student.path)
            for name in OLDER:
                _remove(self.path / name)
        for name in record.students:
            if (state.students / name).exists():
                (self.path / name).parent.mkdir(parents=True, exist_ok=True)
                os.rename(state.students / name, self.path / name)
        record.write(self.path)
        state.remove()
        return Run(self.path, record)

    # ---------------------------------------------------------------- what is ours

    def _begun(self) -> RunRecord | None:
        """The record of a run under way; None where none was begun."""
        return read_record(self.state.path) if not self.state.path.is_symlink() else None

    def _foreign_state(self) -> str | None:
        """The first thing in the state's folder that is not ours."""
        path = self.state.path
        if path.is_symlink() or (path.exists() and not path.is_dir()):
            return path.name
        names = sorted(item.name for item in path.iterdir()) if path.is_dir() else []
        return next((name for name in names if name not in OWN and not TEMPORARY.fullmatch(name)), None)

    def _refuse_foreign(self, record: RunRecord, students: Sequence[str]) -> None:
        """Refuse to replace a run whose folders hold anything else, or are none of its own."""
        own = set()
        for student in record.students.values():
            folder = self._student_folder(student.path)
            own.add(PurePosixPath(student.path).parts[0])
            layers = folder.parent != self.path
            foreign = only_these(*MEMBERS)(folder)
            if foreign is None and layers and folder.parent.is_dir():
                foreign = next((item.name for item in folder.parent.iterdir() if not LAYER.fullmatch(item.name)), None)
            if foreign is not None:
                raise InputError(
                    f"{folder} holds {foreign}, which wordstill did not write; move it away, or choose another --out"
                )
        for name in students:
            if name not in own and os.path.lexists(self.path / name):
                raise InputError(
                    f"{self.path / name} is there and no student of the run before; move it away, or choose another "
                    "--out"
                )

    def _student_folder(self, path: str) -> Path:
        """A student's folder by its path in run.json, if it can be one: inside the run's folder, through no link."""
        parts = path.split("/")
        named = bool(NAME.fullmatch(parts[0])) and parts[0] not in RESERVED
        if not named or len(parts) > 2 or not all(LAYER.fullmatch(part) for part in parts[1:]):
            raise InputError(
                f"{self.path / FILE} names {path!r} as the folder of a student, which it cannot be; nothing is removed"
            )
        folder = self.path / path
        for place in (self.path / parts[0], folder):
            if place.is_symlink():
                raise InputError(f"{place} is a link, and no link is followed to remove a run; nothing is removed")
        return folder

    def _remove_vectors(self, path: str) -> None:
        folder = self._student_folder(path)
        _remove(folder)
        if folder.parent != self.path:
            with suppress(OSError):  # the next layer is in it
                folder.parent.rmdir()


def _cannot_be_made(folder: Path, error: OSError | ValueError) -> InputError:
    reason = getattr(error, "strerror", None) or error
    return InputError(f"the folder {str(folder)[:80]!r} cannot be made: {reason}")


def _refuse_changes(folder: Path, record: RunRecord, settings: DistillSettings, fingerprint: str | None) -> None:
    """Refuse to go on with a run of other settings, another corpus, or another version."""
    changed = differences(record.settings, settings.as_json())
    if record.version != __version__ and not record.finished:
        changed.append(f"wordstill itself ({record.version} before, {__version__} now)")
    if fingerprint is not None and record.corpus.fingerprint != fingerprint:
        changed.append("the corpus itself")
    if changed:
        raise InputError(f"the run in {folder} cannot be resumed with other settings; changed: {', '.join(changed)}")


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    elif os.path.lexists(path):
        path.unlink()
