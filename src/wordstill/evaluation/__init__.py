"""One evaluation for all vectors: similarity, analogy, relations, categories.

>>> from wordstill import evaluate
>>> results = evaluate("run/aggregate", datasets=["ws353", "google"])     # doctest: +SKIP
>>> print(results.table())                                                # doctest: +SKIP
"""

from __future__ import annotations

from wordstill.evaluation.compare import compare
from wordstill.evaluation.datasets import DATASETS, Dataset
from wordstill.evaluation.judging import evaluate
from wordstill.evaluation.results import Part, Result, Results

__all__ = ["DATASETS", "Dataset", "Part", "Result", "Results", "compare", "evaluate"]
