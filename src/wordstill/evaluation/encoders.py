"""Other encoders of texts, judged beside word vectors: `--encoder-rows KIND:WHAT,..`.

  model2vec:FOLDER                 a static model of model2vec, such as potion-base-8M
  model2vec-distill:TEACHER        what model2vec's own `distill` makes of a teacher, with its defaults
  model2vec-distill:TEACHER@384    the same with 384 dimensions (its default is 256)
  sentence-transformers:FOLDER     any model of sentence-transformers
  wordllama                        the weights that its package carries

Each is asked for the vectors of whole texts, and cuts and weights them as its own package does. A package is imported
when its encoder is asked for. Names that are no folder are those of the Hub, as everywhere.
"""

from __future__ import annotations

import io
import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stderr
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from wordstill.arrays import Array
from wordstill.errors import InputError
from wordstill.io.reading import read_by_library
from wordstill.system.progress import Progress

# Texts that an encoder gets at a time: enough for any batch of its own, few enough to show its progress.
_CHUNK = 2048


@dataclass(frozen=True)
class TextEncoder:
    """Something that turns texts into vectors: its name in the tables, and a function from texts to rows."""

    name: str
    rows: Callable[[list[str]], Any]

    def encode(self, texts: Sequence[str]) -> Array:
        """Return one float32 row per text; a text that stands twice is read once."""
        places = {text: place for place, text in enumerate(dict.fromkeys(texts))}
        different = list(places)
        made = []
        with Progress(f"{self.name} reads", len(different), unit="texts") as progress:
            for start in range(0, len(different), _CHUNK):
                chunk = different[start : start + _CHUNK]
                made.append(np.asarray(self.rows(chunk), dtype=np.float32))
                progress.advance(len(chunk))
        return np.concatenate(made)[[places[text] for text in texts]] if made else np.zeros((0, 0), dtype=np.float32)


@dataclass(frozen=True)
class EncoderKind:
    """A kind of encoder.

    form      how one is written
    open      opens one by what stands behind the colon
    modules   what must be there to import
    package   what to install where it is not
    """

    form: str
    open: Callable[[str], Callable[[list[str]], Any]]
    modules: tuple[str, ...]
    package: str


def check_encoder_rows(rows: Sequence[str]) -> None:
    """Refuse what names no encoder, has no package here, or has the name of another, before anything is judged."""
    names = []
    for row in rows:
        kind, _, what = row.partition(":")
        entry = KINDS.get(kind)
        if entry is None or bool(what) != (":" in entry.form):
            forms = ", ".join(one.form for one in KINDS.values())
            raise InputError(f"{row!r} is no encoder to judge; give one of {forms}")
        if kind == "model2vec-distill":
            _dimensions(what)
        lacking = next((module for module in entry.modules if find_spec(module) is None), None)
        if lacking is not None:
            raise InputError(f"{row} needs {lacking}, which is not installed: pip install '{entry.package}'")
        names.append(encoder_name(row))
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"two encoders are called {name}; give folders of different names")


def encoder_name(row: str) -> str:
    """Return what an encoder is called in tables: its kind, and the last part of a path."""
    kind, colon, what = row.partition(":")
    return f"{kind}{colon}{Path(what).name}" if Path(what).is_dir() else row


def open_encoder(row: str) -> TextEncoder:
    """Open an encoder by the kind and place that `--encoder-rows` names."""
    check_encoder_rows([row])
    kind, _, what = row.partition(":")
    with quiet():
        return TextEncoder(encoder_name(row), KINDS[kind].open(what))


@contextmanager
def quiet() -> Iterator[None]:
    """Keep bars and messages of other packages off the terminal, and undo what they set up for all messages."""
    root = logging.getLogger()
    handlers, level, disabled = list(root.handlers), root.level, root.manager.disable
    logging.disable(logging.WARNING)
    try:
        with redirect_stderr(io.StringIO()):
            yield
    finally:
        logging.disable(disabled)
        root.handlers[:] = handlers
        root.setLevel(level)


def teacher_encoder(name: str, title: str) -> TextEncoder:
    """Return a teacher's own sentence vectors, under a title."""
    from wordstill.teacher.load import load_teacher
    from wordstill.teacher.sentences import sentence_pooling, sentence_vectors

    teacher = load_teacher(name)
    pooling = sentence_pooling(teacher)
    return TextEncoder(title, lambda texts: sentence_vectors(teacher, texts, pooling))


def _model2vec(folder: str) -> Callable[[list[str]], Any]:
    model2vec: Any = import_module("model2vec")
    with read_by_library(folder, "a model of model2vec"):
        model = model2vec.StaticModel.from_pretrained(folder)
    return _of_model2vec(model)


def _model2vec_distill(what: str) -> Callable[[list[str]], Any]:
    from wordstill.teacher.load import find_teacher

    name, dimensions = _dimensions(what)
    given = {} if dimensions is None else {"pca_dims": dimensions}
    with read_by_library(name, "a teacher of model2vec's distill"):
        # It says that it works with older versions of transformers alone; the import fails where that is so.
        distill: Any = import_module("model2vec.distill").distill
        model = distill(model_name=find_teacher(name), device="cpu", **given)
    return _of_model2vec(model)


def _of_model2vec(model: Any) -> Callable[[list[str]], Any]:
    return lambda texts: model.encode(texts, use_multiprocessing=False)


def _dimensions(what: str) -> tuple[str, int | None]:
    """Return the teacher, and the dimensions behind @, where some are given."""
    name, at, number = what.rpartition("@")
    if not at:
        return what, None
    if not name or not number.isdecimal() or int(number) < 1:
        raise InputError(f"model2vec-distill:{what} needs a number of dimensions behind @, such as minilm@384")
    return name, int(number)


def _sentence_transformers(folder: str) -> Callable[[list[str]], Any]:
    package: Any = import_module("sentence_transformers")
    with read_by_library(folder, "a model of sentence-transformers"):
        model = package.SentenceTransformer(folder, device="cpu", trust_remote_code=False)
    return lambda texts: model.encode(texts, show_progress_bar=False)


def _wordllama(what: str) -> Callable[[list[str]], Any]:
    package: Any = import_module("wordllama")
    folder = Path(package.__file__).parent
    with read_by_library("wordllama", "the weights of its package"):
        # Its wheel has the tokenizer where it looks in a cache, and not where it looks in its own package.
        model = package.WordLlama.load(cache_dir=folder, disable_download=True)
    return lambda texts: model.embed(texts)


KINDS: dict[str, EncoderKind] = {
    "model2vec": EncoderKind("model2vec:FOLDER", _model2vec, ("model2vec",), "model2vec"),
    "model2vec-distill": EncoderKind(
        "model2vec-distill:TEACHER",
        _model2vec_distill,
        ("model2vec", "skeletoken", "torch", "transformers"),
        "model2vec[distill]",
    ),
    "sentence-transformers": EncoderKind(
        "sentence-transformers:FOLDER", _sentence_transformers, ("sentence_transformers",), "sentence-transformers"
    ),
    "wordllama": EncoderKind("wordllama", _wordllama, ("wordllama",), "wordllama"),
}
