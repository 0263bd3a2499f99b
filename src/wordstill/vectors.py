"""WordVectors: words, their counts and one vector each. Everything at run time needs numpy alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, TypeAlias, overload

import numpy as np
import numpy.typing as npt

from wordstill.errors import InputError

Array: TypeAlias = npt.NDArray[Any]
Key: TypeAlias = str | npt.NDArray[Any]


class WordVectors:
    """One vector a word, with gensim's names for what gensim's users know.

    >>> import numpy as np
    >>> vectors = WordVectors(["king", "queen", "apple"], np.array([[2.0, 1.0], [2.0, 2.0], [0.0, 1.0]]))
    >>> vectors.most_similar("king", topn=1)[0][0]
    'queen'
    >>> "pear" in vectors
    False

    words   in a fixed order, the most frequent first where counts are known; no word twice
    matrix  one row a word; may be a read-only memory map
    counts  how often each word was seen, or None
    card    what is known of their making (teacher, corpus, method, settings, scores), kept with the vectors
    """

    def __init__(
        self,
        words: Sequence[str],
        matrix: Array,
        counts: Array | Sequence[int] | None = None,
        card: Mapping[str, Any] | None = None,
    ) -> None:
        if matrix.ndim != 2 or len(words) != matrix.shape[0]:
            raise InputError(f"{len(words)} words need a matrix of as many rows, not of shape {matrix.shape}")
        self.words = list(words)
        self.matrix = matrix
        self.counts = None if counts is None else np.asarray(counts, dtype=np.int64)
        if self.counts is not None and self.counts.shape != (len(self.words),):
            raise InputError(f"{len(words)} words need as many counts, not {self.counts.shape}")
        self.card = dict(card or {})

    @classmethod
    def load(cls, path: str | Path) -> WordVectors:
        """Read vectors in any format that wordstill knows; its own folders are memory-mapped."""
        from wordstill.formats import load

        return load(path)

    def save(self, path: str | Path, format: str | None = None, dtype: str | None = None) -> None:
        """Write to `path`, in the format its name asks for (a folder by default) or in the one named.

        dtype  the type of the stored numbers: "float32", "float16", "float64", or "int8" in a folder
        """
        from wordstill.formats import save

        save(self, path, format=format, dtype=dtype)

    # ---------------------------------------------------------------- looking up

    @cached_property
    def key_to_index(self) -> dict[str, int]:
        """The row of each word."""
        rows = {word: row for row, word in enumerate(self.words)}
        if len(rows) != len(self.words):
            twice = next(word for row, word in enumerate(self.words) if rows[word] != row)
            raise InputError(f"the word {twice!r} stands twice; each word may have one vector")
        return rows

    @property
    def index_to_key(self) -> list[str]:
        """The words in order: gensim's name for `words`."""
        return self.words

    @property
    def vectors(self) -> Array:
        """The matrix: gensim's name for it."""
        return self.matrix

    @property
    def vector_size(self) -> int:
        """The number of dimensions."""
        return int(self.matrix.shape[1])

    def __len__(self) -> int:
        return len(self.words)

    def __iter__(self) -> Iterator[str]:
        return iter(self.words)

    def __contains__(self, word: object) -> bool:
        return word in self.key_to_index

    def __getitem__(self, words: str | Sequence[str]) -> Array:
        """The vector of one word, or a matrix for a list of them."""
        if isinstance(words, str):
            return np.asarray(self.matrix[self._row(words)])
        return np.asarray(self.matrix[[self._row(word) for word in words]])

    @overload
    def get(self, word: str) -> Array | None: ...
    @overload
    def get(self, word: str, default: Array) -> Array: ...
    def get(self, word: str, default: Array | None = None) -> Array | None:
        """The word's vector, or `default` where it has none."""
        row = self.key_to_index.get(word)
        return default if row is None else np.asarray(self.matrix[row])

    def __repr__(self) -> str:
        return f"WordVectors({len(self)} words, {self.vector_size} dimensions)"

    def _row(self, word: str) -> int:
        try:
            return self.key_to_index[word]
        except KeyError:
            raise KeyError(f"the word {word!r} has no vector") from None

    # ---------------------------------------------------------------- comparing

    @cached_property
    def norms(self) -> Array:
        """The length of each vector."""
        return row_norms(self._compared)

    @cached_property
    def _compared(self) -> Array:
        """The matrix to compare with: float16 is widened once, since numpy is slow with it and rounds its sums."""
        return self.matrix.astype(np.float32) if self.matrix.dtype == np.float16 else self.matrix

    def similarity(self, first: str, second: str) -> float:
        """The cosine of two words' vectors; 0 where one of them is the zero vector."""
        return float(unit(self[first]) @ unit(self[second]))

    def most_similar(
        self,
        positive: Key | Sequence[Key],
        negative: Key | Sequence[Key] = (),
        topn: int = 10,
        restrict_vocab: int | None = None,
    ) -> list[tuple[str, float]]:
        """The words nearest in cosine to the mean of unit vectors, `negative` ones counted with a minus.

        Words may be given as vectors too. Words of the question are never in the answer.
        """
        plus, minus = _listed(positive), _listed(negative)
        if not plus and not minus:
            raise InputError("most_similar needs at least one word")
        query = np.zeros(self.vector_size, dtype=np.float32)
        for sign, keys in ((1.0, plus), (-1.0, minus)):
            for key in keys:
                query += sign * unit(self[key] if isinstance(key, str) else key)
        asked = [self._row(key) for key in (*plus, *minus) if isinstance(key, str)]
        return self._ranked(self._cosines(query, restrict_vocab), asked, topn)

    def similar_by_vector(
        self, vector: Array, topn: int = 10, restrict_vocab: int | None = None
    ) -> list[tuple[str, float]]:
        """The words nearest in cosine to a vector."""
        return self.most_similar([vector], topn=topn, restrict_vocab=restrict_vocab)

    def analogy(
        self,
        first: str,
        second: str,
        third: str,
        topn: int = 1,
        method: Literal["add", "multiply"] = "add",
    ) -> list[tuple[str, float]]:
        """`first` is to `second` as `third` is to ...: 3CosAdd, or 3CosMul (Levy and Goldberg 2014)."""
        if method == "add":
            return self.most_similar([second, third], [first], topn=topn)
        if method != "multiply":
            raise InputError(f"an analogy is solved by 'add' or 'multiply', not {method!r}")
        rows = [self._row(word) for word in (first, second, third)]
        # Cosines are moved to [0, 1], so that a product of two large negative ones is not a large score.
        away, near, base = ((1.0 + self._cosines(unit(self.matrix[row]))) / 2.0 for row in rows)
        return self._ranked(near * base / (away + 1e-3), rows, topn)

    def doesnt_match(self, words: Sequence[str]) -> str:
        """The word farthest from the mean of all."""
        if not words:
            raise InputError("doesnt_match needs at least one word")
        units = np.stack([unit(self[word]) for word in words])
        return words[int(np.argmin(units @ unit(units.mean(axis=0))))]

    def _cosines(self, query: Array, first_words: int | None = None) -> Array:
        scores = self._compared[:first_words] @ unit(query).astype(self._compared.dtype)
        with np.errstate(invalid="ignore", divide="ignore"):
            cosines = scores / self.norms[:first_words]
        # A zero vector has no direction; a NaN must never win a ranking.
        return np.asarray(np.nan_to_num(cosines, nan=0.0, posinf=0.0, neginf=0.0))

    def _ranked(self, scores: Array, without: Iterable[int], topn: int) -> list[tuple[str, float]]:
        scores[[row for row in without if row < len(scores)]] = -np.inf
        best = top_rows(scores, topn)
        return [(self.words[row], float(scores[row])) for row in best if scores[row] > -np.inf]

    # ---------------------------------------------------------------- changing

    def map(self, change: Callable[[Array], Array], **card: Any) -> WordVectors:
        """The same words with a changed matrix; `card` is added to what is known of their making."""
        return WordVectors(self.words, change(np.asarray(self.matrix)), self.counts, {**self.card, **card})

    def take(self, words: Iterable[str]) -> WordVectors:
        """The vectors of the words named, in that order."""
        chosen = list(words)
        rows = [self._row(word) for word in chosen]
        counts = None if self.counts is None else self.counts[rows]
        return WordVectors(chosen, np.asarray(self.matrix[rows]), counts, self.card)


def unit(vector: Array) -> Array:
    """The vector at length 1, as float32; the zero vector stays what it is."""
    vector = np.asarray(vector, dtype=np.float32)
    length = np.linalg.norm(vector)
    return vector / length if length > 0 else vector


def unit_rows(matrix: Array) -> Array:
    """A float32 copy with every row at length 1; zero rows stay zero."""
    lengths = row_norms(matrix)
    lengths[lengths == 0] = 1.0
    return np.divide(matrix, lengths[:, None], dtype=np.float32, casting="same_kind")


def row_norms(matrix: Array) -> Array:
    """The Euclidean length of each row, without a second copy of the matrix."""
    squares: Array = np.einsum("ij,ij->i", matrix, matrix, dtype=np.float32, casting="same_kind")
    return np.sqrt(squares)


def top_rows(scores: Array, topn: int) -> Array:
    """The rows of the `topn` highest scores, highest first; of equal scores the earlier row first."""
    topn = min(topn, len(scores))
    if topn < len(scores):
        bar = np.partition(scores, len(scores) - topn)[len(scores) - topn] if topn else np.inf
        above = np.flatnonzero(scores > bar)
        best = np.concatenate([above, np.flatnonzero(scores == bar)[: topn - len(above)]])
    else:
        best = np.arange(len(scores))
    return best[np.lexsort((best, -scores[best]))]


def _listed(keys: Key | Sequence[Key]) -> list[Key]:
    if isinstance(keys, str) or (isinstance(keys, np.ndarray) and keys.ndim == 1):
        return [keys]
    return list(keys)
