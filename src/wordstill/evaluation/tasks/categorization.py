"""Categorization: do clusters of the vectors match the classes that people sort the words into?

Purity: every cluster is given its most frequent class; the share of words whose class that is.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from wordstill.arrays import Array
from wordstill.errors import InputError
from wordstill.evaluation.dataset_lines import bad_line, read_rows
from wordstill.evaluation.intervals import Mean
from wordstill.evaluation.settings import EvaluationSettings
from wordstill.evaluation.space import Space
from wordstill.evaluation.split import keep_half
from wordstill.evaluation.tasks.task import Judgement, Task, judgement

STARTS = 10
SEEDS = 5


@dataclass(frozen=True)
class Categories:
    """Words and the class of each."""

    words: list[str]
    labels: list[str]


def read_categories(path: Path) -> Categories:
    """Read a word and its category per line; lines without a word are left out.

    Files with column names may have them in any order: `word` with `category` or `class`. The `_N` that the
    ESSLLI nouns end in is cut.
    """
    found, columns = Categories([], []), (0, 1)
    for number, fields in read_rows(path):
        if number == 1 and "word" in fields and ("category" in fields or "class" in fields):
            columns = (fields.index("word"), fields.index("category" if "category" in fields else "class"))
            continue
        if len(fields) <= max(columns) or not fields[columns[1]]:
            raise bad_line(path, number, "a word and its category", fields)
        word = fields[columns[0]].removesuffix("_N")
        if word:
            found.words.append(word)
            found.labels.append(fields[columns[1]])
    if not found.words:
        raise InputError(f"{path} has no words; expected a word and its category per line")
    return found


def judge(space: Space, categories: Categories, settings: EvaluationSettings) -> Judgement:
    """Judge a space by the purity of its clusters."""
    if settings.compat == "web":
        outcome = categorization_of_web(space, categories, settings.seed)
    else:
        outcome = categorization(space, categories, settings.seeds or SEEDS, settings.seed)
    return judgement(outcome, space.find(categories.words) >= 0)


def categorization(space: Space, categories: Categories, seeds: int = 5, seed: int = 0) -> Mean:
    """Return how often each word has its cluster's class, over `seeds` runs of k-means; NaN where it is missing.

    k is the number of classes among the words that are covered.
    """
    rows = space.find(categories.words)
    covered = rows >= 0
    values = np.full(len(rows), np.nan)
    if covered.any():
        classes = _numbered(categories.labels)[covered]
        vectors = space.unit(rows[covered])
        k = min(len(np.unique(classes)), len(np.unique(rows[covered])))
        runs = [in_majority(classes, _k_means(vectors, k, seed + run)) for run in range(seeds)]
        values[covered] = np.mean(runs, axis=0)
    return Mean(values)


def categorization_of_web(space: Space, categories: Categories, seed: int = 0) -> Mean:
    """Do as the `web` harness: missing words at the mean vector, and the best of six clusterings by its purity."""
    cluster = _sklearn().AgglomerativeClustering
    vectors = space.unit_or_mean(space.find(categories.words))
    classes = _numbered(categories.labels)
    k = len(np.unique(classes))
    clusterings = [cluster(k, metric="euclidean", linkage="ward").fit_predict(vectors)]
    clusterings += [
        cluster(k, metric=metric, linkage=linkage).fit_predict(vectors)
        for metric in ("cosine", "euclidean")
        for linkage in ("average", "complete")
    ]
    clusterings.append(_k_means(vectors, k, seed))
    return Mean(max((in_majority(classes, found) for found in clusterings), key=np.mean))


def in_majority(classes: Array, clusters: Array) -> Array:
    """Return 1 for each word whose class is the most frequent of its cluster, else 0; the mean is the purity."""
    table = np.zeros((clusters.max() + 1, classes.max() + 1), dtype=np.int64)
    np.add.at(table, (clusters, classes), 1)
    return np.asarray(table.argmax(axis=1)[clusters] == classes, dtype=np.float64)


def _k_means(vectors: Array, k: int, seed: int) -> Array:
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    k_means = _sklearn().KMeans(n_clusters=k, n_init=STARTS, random_state=seed)
    # One thread: on so few words more are slower, and the result does not depend on how many there are.
    with threadpool_limits(limits=1):
        return np.asarray(k_means.fit(vectors).labels_)


def _numbered(labels: list[str]) -> Array:
    return np.asarray(np.unique(labels, return_inverse=True)[1])


def _sklearn() -> Any:
    try:
        import sklearn.cluster
    except ImportError:
        raise InputError("categorization needs scikit-learn: pip install 'wordstill[evaluate]'") from None
    return sklearn.cluster


TASK = Task(
    name="categorization",
    title="Categories",
    metric="purity",
    about="purity of clusters, the mean over runs of k-means",
    missing="wrong",
    read=read_categories,
    halve=lambda categories, split: keep_half(categories, ([word] for word in categories.words), split),
    judge=judge,
    recognizes=lambda line, fields: len(fields) >= 2,  # what no task before it recognizes
    harnesses=("web",),
)
