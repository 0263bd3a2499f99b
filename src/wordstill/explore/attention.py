"""The attention of a dynamic-skipgram: how much each word of a sentence attends to the words around it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from wordstill.arrays import Array
from wordstill.errors import InputError
from wordstill.explore.charts import heat_map
from wordstill.io import safetensors
from wordstill.vectors import WordVectors

if TYPE_CHECKING:
    from wordstill.teacher.batch import Batch
    from wordstill.teacher.load import Teacher


def attention_chart(words: list[str], weights: Array) -> Any:
    """Draw the weights as a heat map."""
    return heat_map(
        words,
        words,
        weights,
        x_label="word of the window",
        y_label="centre",
        value_label="attention weight",
        limits=(0.0, float(np.nanmax(weights, initial=0.0))),
    )


def attention_weights(folder: str | Path, text: str, teacher: Teacher) -> tuple[list[str], Array]:
    """Return the words of a text, and a_j of equation 13: a row per centre, a column per word; NaN outside the window.

    `folder` is what a run left of a dynamic-skipgram: its vectors and its projection W. A word outside the
    vocabulary has no vector to attend to, but is a centre itself.
    """
    folder = Path(folder)
    vectors = WordVectors.load(folder)
    method = vectors.card.get("method", {})
    file = folder / "projection.safetensors"
    if method.get("student") != "dynamic-skipgram" or not file.is_file():
        raise InputError(
            f"{folder} has no projection of the teacher's vectors; attention needs the folder of a dynamic-skipgram "
            "as a run left it (without --dim)"
        )
    projection = safetensors.read(file)[0]
    if projection["map"].shape[1] != teacher.width:
        raise InputError(
            f"{folder} learned from a teacher of width {projection['map'].shape[1]}, and {teacher.name} has "
            f"{teacher.width}; name its own teacher ({vectors.card['teacher']})"
        )
    words, batch = words_in_context(text, vectors, method["layer"], teacher)
    centres = (batch.layers[method["layer"]] - projection["mean"]) @ projection["map"].T
    # A small table with a row per place of the text.
    table = np.asarray(vectors.matrix[np.maximum(batch.words, 0)], dtype=np.float32)
    settings = method["student_settings"]
    return words, window_attention(table, centres, batch, settings["window"], settings["attention"])


def window_attention(table: Array, centres: Array, batch: Batch, window: int, attention: bool) -> Array:
    """Return the weights with which each centre sees the words of its window; `table` has a row per place."""
    from wordstill.kernels.windows import attend, window_borders, window_words

    size = len(batch.words)
    places = np.where(batch.words >= 0, np.arange(size), -1)
    low, high = window_borders(batch.sentences, batch.positions, window)
    rows = window_words(places, np.ones(size, dtype=np.bool_), low, high, 2 * window)
    packed, coefficients = np.zeros((2, *rows.shape), dtype=np.float32)
    centres = np.ascontiguousarray(centres, dtype=np.float32)
    attend(table, centres, rows, 2 * window, attention, 0.0, packed, coefficients, centres[:0])
    weights = np.full((size, size), np.nan)
    centre, nth = np.nonzero(rows >= 0)
    weights[centre, rows[centre, nth]] = packed[centre, nth]
    return weights


def words_in_context(text: str, vectors: WordVectors, layer: int, teacher: Teacher) -> tuple[list[str], Batch]:
    """Return the words of a text that the teacher can read, and their vectors, made as in the run of `vectors`."""
    from wordstill.corpus.segment import Segmenter, SegmentSettings
    from wordstill.corpus.vocabulary import Phrases, Vocabulary
    from wordstill.teacher.encode import forward, lay_out, to_batch
    from wordstill.teacher.texts import Dropped, make_texts

    settings = vectors.card["settings"]
    segment = Segmenter(SegmentSettings(*(settings["segmentation"][name] for name in ("words", "sentences"))))
    phrases = Phrases.of(settings["vocabulary"]["forced"], segment, settings["vocabulary"]["lowercase"])
    vocabulary = Vocabulary(vectors.words, np.zeros(len(vectors), dtype=np.int64), phrases)
    read = [vocabulary.read(sentence) for sentence in segment(text)]
    words = [word for spelled, _ in read for word in spelled]
    if not words:
        raise InputError("there is no word in the text; give a sentence")
    pieces, lengths = teacher.pieces(words)
    texts = list(
        make_texts(
            np.concatenate([numbers for _, numbers in read]),
            pieces,
            lengths,
            [len(spelled) for spelled, _ in read],
            settings["context"],
            teacher.limit,
            Dropped(),
        )
    )
    seen = (lengths > 0) & (lengths <= teacher.limit)
    if not seen.any():
        raise InputError("the teacher has no pieces for any word of the text; give a sentence")
    grid = lay_out(teacher, texts)
    batch = to_batch(texts, grid, forward(teacher, grid, [layer]), settings["pooling"])
    return [word for word, one in zip(words, seen, strict=True) if one], batch


def received(weights: Array) -> Array:
    """Return how much attention each word receives, as a multiple of what it would if all weighed the same."""
    known = np.isfinite(weights)
    relative = np.where(known, weights, 0.0) * known.sum(axis=1, keepdims=True)
    number = known.sum(axis=0)
    shares: Array = np.where(number > 0, relative.sum(axis=0) / np.maximum(number, 1), np.nan)
    return shares
