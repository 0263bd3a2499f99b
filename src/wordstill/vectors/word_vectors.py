"""WordVectors: words, their counts and one vector each. Everything at run time needs numpy alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, overload

import numpy as np

from wordstill.arrays import Array as Array
from wordstill.arrays import in_range as in_range
from wordstill.arrays import row_norms as row_norms
from wordstill.arrays import top_rows as top_rows
from wordstill.arrays import unit as unit
from wordstill.arrays import unit_rows as unit_rows
from wordstill.errors import InputError

if TYPE_CHECKING:
    from wordstill.vectors.encoding import Encoder
    from wordstill.vectors.pieces import Pieces
    from wordstill.vectors.subwords import Subwords

Key: TypeAlias = str | Array | tuple[str | Array, float]
"""A word or a vector, or either with a weight."""
Oov: TypeAlias = str | Sequence[str] | None
"""What may answer for a word outside the table: "case", "pieces", "subwords", several after another, or nothing."""


class WordVectors:
    """One vector per word, with gensim's names for what gensim's users know.

    >>> import numpy as np
    >>> vectors = WordVectors(["king", "queen", "apple"], np.array([[2.0, 1.0], [2.0, 2.0], [0.0, 1.0]]))
    >>> vectors.most_similar("king", topn=1)[0][0]
    'queen'
    >>> "pear" in vectors
    False

    words   in a fixed order, the most frequent first where counts are known; no word twice
    matrix  one row per word; may be a read-only memory map
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
        self.subwords: Subwords | None = None
        """The model of spellings for words outside the table, where one is stored with it."""
        self.pieces: Pieces | None = None
        """Rows of pieces, into which a text's unknown words fall apart, where some are stored with it."""
        self.path: Path | None = None
        """Where the vectors were loaded from."""
        self._encoders: dict[tuple[str, ...], Encoder] = {}

    @classmethod
    def load(cls, path: str | Path) -> WordVectors:
        """Read vectors in any format that wordstill knows; its own folders are memory-mapped."""
        from wordstill.formats import load

        vectors = load(path)
        vectors.path = Path(path).absolute()
        return vectors

    def save(self, path: str | Path, format: str | None = None, dtype: str | None = None) -> None:
        """Write to `path`, in the format its name asks for (a folder by default) or in the one named.

        Vectors that are there already are replaced when the new ones are whole; anything else there is refused.

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
    def get(self, word: str, default: None = None, oov: Oov = None) -> Array | None: ...
    @overload
    def get(self, word: str, default: Array, oov: Oov = None) -> Array: ...
    def get(self, word: str, default: Array | None = None, oov: Oov = None) -> Array | None:
        """The word's vector, or what the rules of `oov` find, or `default` where there is none.

        >>> import numpy as np
        >>> vectors = WordVectors(["sun", "flower"], np.array([[2.0, 0.0], [0.0, 2.0]]))
        >>> vectors.get("moon") is None
        True
        >>> vectors.get("Sun-flower", oov="case,pieces").tolist()
        [1.0, 1.0]
        """
        row = self.key_to_index.get(word)
        if row is not None:
            return np.asarray(self.matrix[row])
        if not oov:
            return default
        from wordstill.vectors.oov import answer

        found = answer(self, word, oov)
        return default if found is None else found[0]

    def get_vector(self, word: str, norm: bool = False, oov: Oov = None) -> Array:
        """The word's vector, at length 1 if `norm`; a KeyError where it has none and no rule of `oov` finds one."""
        vector = self.get(word, oov=oov)
        if vector is None:
            raise KeyError(f"the word {word!r} has no vector")
        return unit(vector) if norm else vector

    @cached_property
    def folded_index(self) -> dict[str, int]:
        """The row of each word with case put aside; of words that differ in case alone the first."""
        rows: dict[str, int] = {}
        for row, word in enumerate(self.words):
            rows.setdefault(word.casefold(), row)
        return rows

    def __sklearn_clone__(self) -> WordVectors:
        # Vectors are never changed: a clone of an estimator that holds them needs no second copy.
        return self

    def __getstate__(self) -> dict[str, Any]:
        # Encoders are made again where they are needed.
        return {**self.__dict__, "_encoders": {}}

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
        return row_norms(self._widened)

    @cached_property
    def _widened(self) -> Array:
        """The matrix; float16 is widened once, since numpy is slow with it and rounds its sums."""
        return self.matrix.astype(np.float32) if self.matrix.dtype == np.float16 else self.matrix

    @cached_property
    def _compared(self) -> tuple[Array, Array]:
        """The matrix to compare with, whose numbers no product takes out of range, and the lengths of its rows."""
        matrix = in_range(self._widened)
        return matrix, self.norms if matrix is self._widened else row_norms(matrix)

    def similarity(self, first: str, second: str, oov: Oov = None) -> float:
        """The cosine of two words' vectors; 0 where one of them is the zero vector."""
        return float(self.get_vector(first, True, oov) @ self.get_vector(second, True, oov))

    def distance(self, first: str, second: str, oov: Oov = None) -> float:
        """One minus the cosine."""
        return 1.0 - self.similarity(first, second, oov)

    def distances(self, word_or_vector: str | Array, other_words: Sequence[str] = ()) -> Array:
        """One minus the cosine with each of the other words, or with every word."""
        query = self[word_or_vector] if isinstance(word_or_vector, str) else word_or_vector
        if not len(other_words):
            return np.asarray(1.0 - self._cosines(query))
        return np.asarray(1.0 - unit_rows(self[other_words]) @ unit(query))

    def get_mean_vector(
        self,
        keys: Sequence[Key],
        weights: Sequence[float] | Array | None = None,
        pre_normalize: bool = True,
        post_normalize: bool = False,
        ignore_missing: bool = True,
        oov: Oov = None,
    ) -> Array:
        """The weighted mean of the (unit) vectors of words; each may be given as a vector.

        >>> import numpy as np
        >>> vectors = WordVectors(["sun", "flower"], np.array([[2.0, 0.0], [0.0, 2.0]]))
        >>> vectors.get_mean_vector(["sun", "flower", "moon"]).tolist()
        [0.5, 0.5]
        """
        if not len(keys):
            raise InputError("a mean needs at least one word")
        total, sum_of_weights = np.zeros(self.vector_size, dtype=np.float64), 0.0
        for key, weight in zip(keys, np.ones(len(keys)) if weights is None else weights, strict=True):
            vector = self.get(key, oov=oov) if isinstance(key, str) else np.asarray(key)
            if vector is not None:
                total += weight * (unit(vector) if pre_normalize else vector)
                sum_of_weights += abs(weight)
            elif not ignore_missing:
                raise KeyError(f"the word {key!r} has no vector")
        if sum_of_weights > 0:
            total /= sum_of_weights
        return unit(total) if post_normalize else total.astype(np.result_type(np.float32, self.matrix.dtype))

    def encode(
        self, texts: str | Iterable[str], *, normalize: bool = False, oov: Oov = None, batch_size: int = 1024
    ) -> Array:
        """Return the vector of a text, or one row per text: the mean of the vectors of its words.

        Words are found as sentence-transformers finds them in a saved folder, and the vectors are the same. A word
        without a vector counts as zeros: the mean gets shorter and keeps its direction.

        >>> import numpy as np
        >>> vectors = WordVectors(["sun", "moon"], np.array([[2.0, 0.0], [0.0, 2.0]]))
        >>> vectors.encode(["Sun, moon", "moon"], normalize=True).astype(float).round(2).tolist()
        [[0.71, 0.71], [0.0, 1.0]]

        normalize   bring every vector to length 1; one without a known word stays zero
        oov         what may answer for a word without a vector: "case", "pieces", "subwords"
        batch_size  texts that are held at a time, whatever gives them
        """
        if isinstance(texts, str):
            return np.asarray(self.encode([texts], normalize=normalize, oov=oov)[0])
        batches = list(self.encode_batches(texts, normalize=normalize, oov=oov, batch_size=batch_size))
        if not batches:
            return np.zeros((0, self.vector_size), dtype=np.float32)
        return np.concatenate(batches)

    def encode_batches(
        self, texts: Iterable[str], *, normalize: bool = False, oov: Oov = None, batch_size: int = 1024
    ) -> Iterator[Array]:
        """Yield what `encode` returns, a batch of texts at a time: for more texts than memory holds."""
        return self._encoder(oov).batches(texts, batch_size, normalize)

    def _encoder(self, oov: Oov) -> Encoder:
        """Return the encoder of earlier calls, which knows many pieces of texts already."""
        from wordstill.vectors.encoding import Encoder
        from wordstill.vectors.oov import rules_of

        rules = rules_of(oov)
        if rules not in self._encoders:
            self._encoders[rules] = Encoder(self, oov=rules)
        return self._encoders[rules]

    def n_similarity(self, first: Sequence[str], second: Sequence[str]) -> float:
        """The cosine of the means of two lists of words."""
        means = [self.get_mean_vector(words, pre_normalize=False, post_normalize=True) for words in (first, second)]
        return float(means[0] @ means[1])

    def most_similar(
        self,
        positive: Key | Sequence[Key] = (),
        negative: Key | Sequence[Key] = (),
        topn: int = 10,
        restrict_vocab: int | None = None,
        oov: Oov = None,
    ) -> list[tuple[str, float]]:
        """The words nearest in cosine to the mean of unit vectors, `negative` ones counted with a minus.

        Words may be given as vectors too, and either with a weight. Words of the question are never in the answer.

        >>> import numpy as np
        >>> vectors = WordVectors(["sun", "star", "sea"], np.array([[2.0, 0.0], [1.0, 1.0], [0.0, 1.0]]))
        >>> vectors.most_similar("sun", topn=1)[0][0]
        'star'
        >>> [word for word, _ in vectors.most_similar(positive=[("sun", 0.1), "star"])]
        ['sea']
        """
        plus, minus = _listed(positive), _listed(negative)
        if not plus and not minus:
            raise InputError("most_similar needs at least one word")
        query = np.zeros(self.vector_size, dtype=np.float32)
        for key, weight in (*plus, *((key, -weight) for key, weight in minus)):
            query += weight * unit(self.get_vector(key, oov=oov) if isinstance(key, str) else key)
        return self._ranked(self._cosines(query, restrict_vocab), self._asked(plus, minus), topn)

    def similar_by_word(self, word: str, topn: int = 10, restrict_vocab: int | None = None) -> list[tuple[str, float]]:
        """The words nearest in cosine to a word."""
        return self.most_similar(word, topn=topn, restrict_vocab=restrict_vocab)

    similar_by_key = similar_by_word

    def similar_by_vector(
        self, vector: Array, topn: int = 10, restrict_vocab: int | None = None
    ) -> list[tuple[str, float]]:
        """The words nearest in cosine to a vector."""
        return self.most_similar([np.asarray(vector)], topn=topn, restrict_vocab=restrict_vocab)

    def most_similar_cosmul(
        self,
        positive: Key | Sequence[Key] = (),
        negative: Key | Sequence[Key] = (),
        topn: int = 10,
        restrict_vocab: int | None = None,
        epsilon: float = 1e-6,
    ) -> list[tuple[str, float]]:
        """The words with the largest product of cosines with `positive` over that with `negative` words (3CosMul)."""
        plus, minus = _listed(positive), _listed(negative)
        if not plus and not minus:
            raise InputError("most_similar_cosmul needs at least one word")

        def product(keys: list[tuple[str | Array, float]]) -> Array:
            # Cosines are moved to [0, 1], so that a product of two large negative ones is not a large score.
            of_keys = (self._cosines(self[key] if isinstance(key, str) else key, restrict_vocab) for key, _ in keys)
            return np.asarray(np.prod([(1.0 + cosines) / 2.0 for cosines in of_keys], axis=0))

        return self._ranked(product(plus) / (product(minus) + epsilon), self._asked(plus, minus), topn)

    def analogy(
        self,
        first: str,
        second: str,
        third: str,
        topn: int = 1,
        method: Literal["add", "multiply"] = "add",
        oov: Oov = None,
    ) -> list[tuple[str, float]]:
        """`first` is to `second` as `third` is to ...: 3CosAdd, or 3CosMul (Levy and Goldberg 2014).

        >>> import numpy as np
        >>> rows = np.array([[1.0, 0.0, 1.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 1.0, 0.0]])
        >>> WordVectors(["king", "queen", "man", "woman"], rows).analogy("man", "king", "woman")[0][0]
        'queen'
        """
        if method == "add":
            return self.most_similar([second, third], [first], topn=topn, oov=oov)
        if method != "multiply":
            raise InputError(f"an analogy is solved by 'add' or 'multiply', not {method!r}")
        keys: list[Key] = [word if word in self else self.get_vector(word, oov=oov) for word in (first, second, third)]
        return self.most_similar_cosmul(keys[1:], keys[:1], topn=topn, epsilon=1e-3)

    def closer_than(self, first: str, second: str) -> list[str]:
        """The words nearer to `first` than `second` is."""
        cosines = self._cosines(self[first])
        closer = np.flatnonzero(cosines > cosines[self._row(second)])
        return [self.words[row] for row in closer if row != self._row(first)]

    def rank(self, first: str, second: str) -> int:
        """The place of `second` among the neighbours of `first`, from 1."""
        return len(self.closer_than(first, second)) + 1

    def rank_by_centrality(self, words: Sequence[str], oov: Oov = None) -> list[tuple[float, str]]:
        """The words with the cosine of each to the mean of all, the nearest to it first."""
        if not words:
            raise InputError("give at least one word")
        units = np.stack([self.get_vector(word, True, oov) for word in words])
        cosines = (units @ unit(units.mean(axis=0))).tolist()
        return [(cosines[place], words[place]) for place in sorted(range(len(words)), key=lambda at: -cosines[at])]

    def doesnt_match(self, words: Sequence[str], oov: Oov = None) -> str:
        """The word farthest from the mean of all.

        >>> import numpy as np
        >>> rows = np.array([[1.0, 0.1], [1.0, 0.2], [0.0, 1.0]])
        >>> WordVectors(["sun", "star", "sea"], rows).doesnt_match(["sea", "sun", "star"])
        'sea'
        """
        if not words:
            raise InputError("doesnt_match needs at least one word")
        return self.rank_by_centrality(words, oov)[-1][1]

    def _asked(self, *keys: list[tuple[str | Array, float]]) -> list[int]:
        named = (key for listed in keys for key, _ in listed if isinstance(key, str))
        return [self.key_to_index[key] for key in named if key in self.key_to_index]

    def _cosines(self, query: Array, first_words: int | None = None) -> Array:
        matrix, lengths = self._compared
        with np.errstate(invalid="ignore", divide="ignore"):
            scores = matrix[:first_words] @ unit(query).astype(matrix.dtype)
            cosines = scores / lengths[:first_words]
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
        taken = WordVectors(chosen, np.asarray(self.matrix[rows]), counts, self.card)
        taken.subwords, taken.pieces = self.subwords, self.pieces
        return taken


def _listed(keys: Key | Sequence[Key]) -> list[tuple[str | Array, float]]:
    """Each word or vector with its weight."""
    if isinstance(keys, str) or (isinstance(keys, np.ndarray) and keys.ndim == 1):
        return [(keys, 1.0)]
    if isinstance(keys, tuple) and len(keys) == 2 and isinstance(keys[1], int | float):
        return [(keys[0], float(keys[1]))]
    return [pair for key in keys for pair in _listed(key)]
