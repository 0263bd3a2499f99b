"""What others take for the same text and teacher: gensim's skip-gram, model2vec's distillation."""

from __future__ import annotations

import tempfile
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from wordstill.benchmarking.material import Subject, counted_of, sentences_of, whole_run
from wordstill.benchmarking.repeated import Side, figures, in_turns, ratio, timed
from wordstill.benchmarking.runs import teacher_of

EPOCHS = 10


def others(subject: Subject) -> dict[str, Any]:
    """The seconds of others over those of a whole run with `aggregate`, loading included on all sides."""
    import torch

    teacher = teacher_of(subject)
    with tempfile.TemporaryDirectory() as name:
        vocabulary, *_ = counted_of(subject, subject.settings(), Path(name))
    model: Any = teacher.model
    path = str(model.config.name_or_path)
    threads = torch.get_num_threads()
    sides: dict[str, Side] = {"wordstill": lambda: whole_run(subject, students=("aggregate",)).seconds}
    notes = {}
    if find_spec("gensim") is None:
        notes["gensim_skip_gram"] = "gensim is not installed"
    else:
        sides["gensim_skip_gram"] = lambda: timed(lambda: _skip_gram(subject, threads))
    try:
        # By name: it is no dependency, and whoever checks types need not have it.
        model2vec: Any = import_module("model2vec.distill")
    except ImportError as error:
        notes["model2vec"] = str(error)
    else:
        sides["model2vec"] = lambda: timed(
            lambda: model2vec.distill(model_name=path, vocabulary=vocabulary.words, device="cpu")
        )
    subject.say(" and ".join(name for name in sides))
    seconds = in_turns(sides, subject.repeats)
    return {
        "words": subject.words,
        "vocabulary": len(vocabulary),
        "threads": threads,
        "skip_gram_epochs": EPOCHS,
        "seconds": {name: figures(each) for name, each in seconds.items()},
        **{
            f"{name}_over_wordstill": ratio(seconds[name], seconds["wordstill"])
            for name in seconds
            if name != "wordstill"
        },
        **({"notes": notes} if notes else {}),
    }


def _skip_gram(subject: Subject, threads: int) -> None:
    from gensim.models import Word2Vec

    sentences = [[word.lower() for word in sentence] for sentence in sentences_of(subject, subject.words)]
    Word2Vec(
        sentences, sg=1, vector_size=300, window=5, negative=5, min_count=5, epochs=EPOCHS, seed=1, workers=threads
    )
