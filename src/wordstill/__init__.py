"""wordstill: distill contextual language models into static word vectors.

>>> import wordstill
>>> vectors = wordstill.WordVectors.load("run/aggregate")
>>> len(vectors.most_similar("river", topn=3))
3

Everything is imported when it is first used: looking words up never waits for torch. Nothing is printed: messages go to
the logger `wordstill`, and `progress_shown` shows progress.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from wordstill.distillation.distill import distill as distill
    from wordstill.distillation.run_folder import Run as Run
    from wordstill.distillation.settings import DistillSettings as DistillSettings
    from wordstill.distillation.settings import ExecutionSettings as ExecutionSettings
    from wordstill.distillation.share import distill_share as distill_share
    from wordstill.errors import InputError as InputError
    from wordstill.evaluation import EvaluationSettings as EvaluationSettings
    from wordstill.evaluation import evaluate as evaluate
    from wordstill.explore.plot_kinds import plot as plot
    from wordstill.explore.report import ReportSettings as ReportSettings
    from wordstill.explore.report import report as report
    from wordstill.refinement.combine import combine as combine
    from wordstill.refinement.convert import ConvertSettings as ConvertSettings
    from wordstill.refinement.convert import convert as convert
    from wordstill.refinement.steps import refine as refine
    from wordstill.studies import study as study
    from wordstill.studies.tuning import tune as tune
    from wordstill.system.progress import progress_shown as progress_shown
    from wordstill.vectors import WordVectors as WordVectors
    from wordstill.vectors.vectorizer import WordVectorizer as WordVectorizer

# Where each public name is at home.
_HOME = {
    "ConvertSettings": "wordstill.refinement.convert",
    "DistillSettings": "wordstill.distillation.settings",
    "EvaluationSettings": "wordstill.evaluation",
    "ExecutionSettings": "wordstill.distillation.settings",
    "InputError": "wordstill.errors",
    "ReportSettings": "wordstill.explore.report",
    "Run": "wordstill.distillation.run_folder",
    "WordVectorizer": "wordstill.vectors.vectorizer",
    "WordVectors": "wordstill.vectors",
    "combine": "wordstill.refinement.combine",
    "convert": "wordstill.refinement.convert",
    "distill": "wordstill.distillation.distill",
    "distill_share": "wordstill.distillation.share",
    "evaluate": "wordstill.evaluation",
    "plot": "wordstill.explore.plot_kinds",
    "progress_shown": "wordstill.system.progress",
    "refine": "wordstill.refinement.steps",
    "report": "wordstill.explore.report",
    "study": "wordstill.studies",
    "tune": "wordstill.studies.tuning",
}
__all__ = [*_HOME, "__version__"]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'wordstill' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return __all__
