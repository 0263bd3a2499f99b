"""wordstill: distill contextual language models into static word vectors.

>>> import wordstill
>>> vectors = wordstill.WordVectors.load("run/aggregate")
>>> len(vectors.most_similar("river", topn=3))
3

`distill`, `evaluate` and `WordVectorizer` (for scikit-learn) are imported when they are first used: looking words up
never waits for torch.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from wordstill.distillation.distill import distill as distill
    from wordstill.errors import InputError as InputError
    from wordstill.evaluation import evaluate as evaluate
    from wordstill.vectors import WordVectors as WordVectors
    from wordstill.vectors.vectorizer import WordVectorizer as WordVectorizer

_HOME = {
    "WordVectors": "wordstill.vectors",
    "WordVectorizer": "wordstill.vectors.vectorizer",
    "InputError": "wordstill.errors",
    "distill": "wordstill.distillation.distill",
    "evaluate": "wordstill.evaluation",
}
__all__ = ["InputError", "WordVectorizer", "WordVectors", "__version__", "distill", "evaluate"]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'wordstill' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return __all__
