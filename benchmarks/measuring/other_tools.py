"""What other tools take for the same text and teacher: gensim's skip-gram, model2vec's distillation."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from measuring.turns import Side, figures, in_turns, ratio, timed
from measuring.workload import Workload, time_run
from wordstill.evaluation.encoders import quiet
from wordstill.system.progress import log

EPOCHS = 10


def other_tools(workload: Workload) -> dict[str, Any]:
    """Divide the seconds of others by those of a whole run with `aggregate`, loading included on all sides."""
    import torch

    model: Any = workload.load_teacher().model
    path, threads = str(model.config.name_or_path), torch.get_num_threads()
    vocabulary = workload.vocabulary(workload.settings())
    sides: dict[str, Side] = {"wordstill": lambda: time_run(workload, students=("aggregate",)).seconds}
    notes = {}
    if find_spec("gensim") is None:
        notes["gensim_skip_gram"] = "gensim is not installed"
    else:
        sides["gensim_skip_gram"] = lambda: timed(lambda: _skip_gram(workload, threads))
    try:
        # By name: it is no dependency, and whoever checks types need not have it.
        model2vec: Any = import_module("model2vec.distill")
    except ImportError as error:
        notes["model2vec"] = str(error)
    else:
        sides["model2vec"] = lambda: timed(lambda: _distill(model2vec, path, vocabulary.words))
    log.info(" and ".join(sides))
    seconds = in_turns(sides, workload.repeats)
    others = {name: each for name, each in seconds.items() if name != "wordstill"}
    return {
        "words": workload.words,
        "vocabulary": len(vocabulary),
        "threads": threads,
        "skip_gram_epochs": EPOCHS,
        "seconds": {name: figures(each) for name, each in seconds.items()},
        **{f"{name}_over_wordstill": ratio(each, seconds["wordstill"]) for name, each in others.items()},
        **({"notes": notes} if notes else {}),
    }


def _distill(model2vec: Any, path: str, words: Sequence[str]) -> None:
    with quiet():
        model2vec.distill(model_name=path, vocabulary=words, device="cpu")


def _skip_gram(workload: Workload, threads: int) -> None:
    from gensim.models import Word2Vec

    sentences = [[word.lower() for word in sentence] for sentence in workload.sentences(workload.words)]
    Word2Vec(
        sentences, sg=1, vector_size=300, window=5, negative=5, min_count=5, epochs=EPOCHS, seed=1, workers=threads
    )
