"""WordVectorizer: texts to the mean of their words' vectors, as a scikit-learn transformer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from wordstill.arrays import Array
from wordstill.errors import InputError
from wordstill.vectors import Oov, WordVectors
from wordstill.vectors.encoding import Encoder


class WordVectorizer(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """A text's vector: the mean of its words' vectors, each as it is, at length one, or weighted by its rarity.

    vectors     a path to vectors, or WordVectors. A pickle holds the path alone, and opens the vectors again
    weighting   "mean"; "unit": rows count by their direction alone, which classifiers may like better; or "sif":
                a / (a + f(w)), f(w) being the word's share of the counts stored with the vectors (Arora et al. 2017)
    a           the constant of "sif"
    remove_component  take out the first principal direction of the texts given to `fit`
    tokenizer   a function from a text to its words; None for that of `WordVectors.encode`
    oov         what may answer for a word without a vector: "case", "pieces", "subwords"

    A text without a known word is a zero vector.

    >>> import numpy as np
    >>> from wordstill import WordVectorizer, WordVectors
    >>> vectors = WordVectors(["sun", "moon", "fish"], np.array([[2.0, 0.0], [1.0, 1.0], [0.0, 1.0]]), [10, 8, 2])
    >>> WordVectorizer(vectors).fit_transform(["Sun and moon!", "fish"]).tolist()
    [[1.5, 0.5], [0.0, 1.0]]
    """

    def __init__(
        self,
        vectors: str | Path | WordVectors,
        *,
        weighting: Literal["mean", "unit", "sif"] = "mean",
        a: float = 1e-3,
        remove_component: bool = False,
        tokenizer: Callable[[str], Sequence[str]] | None = None,
        oov: Oov = None,
    ) -> None:
        self.vectors = vectors
        self.weighting = weighting
        self.a = a
        self.remove_component = remove_component
        self.tokenizer = tokenizer
        self.oov = oov

    def fit(self, X: Iterable[str], y: Any = None) -> WordVectorizer:
        """Open the vectors; with `remove_component` find the direction that the texts share."""
        if self.weighting not in ("mean", "unit", "sif"):
            raise InputError(f"weighting is 'mean', 'unit' or 'sif', not {self.weighting!r}")
        if self.weighting == "sif" and not self.a > 0:
            raise InputError(f"a must be more than 0, not {self.a}")
        self._opened_from: str | Path | WordVectors | None = None  # other weights may be asked for now
        self._n_features_out = self._open().vector_size
        self.component_: Array | None = None
        if self.remove_component:
            means = self._means(X)
            # Uncentred, as the paper has it; the sign is of no account.
            self.component_ = np.linalg.svd(means, full_matrices=False)[2][0] if len(means) else None
        else:
            _texts(X)
        return self

    def transform(self, X: Iterable[str]) -> Array:
        """Return one row per text."""
        check_is_fitted(self, "_n_features_out")
        means = self._means(X)
        if self.component_ is not None:
            means -= np.outer(means @ self.component_, self.component_)
        return means

    def _means(self, X: Iterable[str]) -> Array:
        texts = _texts(X)
        vectors = self._open()
        if self.tokenizer is None:
            means = np.zeros((len(texts), vectors.vector_size), dtype=np.float32)
            done = 0
            for batch in self._encoder.batches(texts):
                means[done : done + len(batch)] = batch
                done += len(batch)
            return means
        matrix = np.zeros((len(texts), vectors.vector_size), dtype=np.float32)
        for row, text in enumerate(texts):
            words = self.tokenizer(text)
            known = [word for word in words if word in vectors]
            rows = [vectors.key_to_index[word] for word in known]
            found = np.asarray(vectors.matrix[rows], dtype=np.float32)
            weights = self._weights[rows]
            if self.oov and len(known) < len(words):
                others = [vectors.get(word, oov=self.oov) for word in words if word not in vectors]
                answered = [vector for vector in others if vector is not None]
                found = np.vstack([found, *answered])
                weights = np.concatenate([weights, np.full(len(answered), self._outside, dtype=np.float32)])
            if len(found):
                matrix[row] = weights @ found / len(found)
        return matrix

    def _open(self) -> WordVectors:
        """The vectors with what is derived from them; none of it is pickled."""
        given = self.vectors
        if getattr(self, "_opened_from", None) is not given:
            vectors = given if isinstance(given, WordVectors) else WordVectors.load(given)
            if self.weighting == "sif" and vectors.counts is None:
                raise InputError("weighting='sif' needs counts, and these vectors have none; use weighting='mean'")
            weights = np.ones(len(vectors), dtype=np.float32)
            self._outside = 1.0  # a word outside the table is as rare as can be
            if self.weighting == "sif" and vectors.counts is not None:
                shares = vectors.counts / max(1, int(vectors.counts.sum()))
                weights = (self.a / (self.a + shares)).astype(np.float32)
            elif self.weighting == "unit":
                lengths = np.linalg.norm(vectors.matrix.astype(np.float32), axis=1)
                weights = 1 / np.maximum(lengths, np.finfo(np.float32).tiny)
                self._outside = 1 / max(float(lengths.mean()), float(np.finfo(np.float32).tiny))
            self._weights = weights
            self._encoder = Encoder(vectors, weights, self.oov, known_only=True, outside=self._outside)
            self._opened, self._opened_from = vectors, given
        return self._opened

    def __getstate__(self) -> dict[str, Any]:
        state = super().__getstate__()
        for derived in ("_weights", "_outside", "_encoder", "_opened", "_opened_from"):
            state.pop(derived, None)
        if isinstance(self.vectors, WordVectors):
            if self.vectors.path is None:
                raise InputError(
                    "a WordVectorizer pickles the path of its vectors, and these were never saved; "
                    "save them and give the path"
                )
            state["vectors"] = str(self.vectors.path)
        return dict(state)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string, tags.input_tags.two_d_array = True, False
        return tags


def _texts(X: Iterable[str]) -> list[str]:
    if isinstance(X, str):
        raise ValueError("give a list of texts, not one text")
    texts = list(X)
    for text in texts:
        if not isinstance(text, str):
            raise ValueError(f"every text must be a string, not {type(text).__name__}")
    return texts
