"""One evaluation for all vectors. What they are judged by is in `tasks`, one file per task.

>>> from wordstill import evaluate
>>> results = evaluate("run/aggregate", datasets=["ws353", "google"])     # doctest: +SKIP
>>> print(results.table())                                                # doctest: +SKIP
"""

from __future__ import annotations

from wordstill.evaluation.compare import compare
from wordstill.evaluation.datasets import DATASETS, Dataset
from wordstill.evaluation.judging import evaluate
from wordstill.evaluation.results import Part, Result, Results
from wordstill.evaluation.settings import EvaluationSettings

__all__ = ["DATASETS", "Dataset", "EvaluationSettings", "Part", "Result", "Results", "compare", "evaluate"]
