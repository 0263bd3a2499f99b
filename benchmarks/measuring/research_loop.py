"""Measure whole runs against a plain loop, written the way research code on the same method works.

Sentences drawn from the same text, in random batches of 128 padded to the longest, float32; a Python loop over the
targets; an embedding with sparse gradients, autograd, torch's SparseAdam. Both sides read sentence by sentence and
learn x2static (the loop with the paper's constants); the run distills two more students besides.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from measuring.turns import figures, ratio
from measuring.workload import TimedRun, Workload, time_run
from wordstill.corpus.vocabulary import Vocabulary
from wordstill.errors import InputError
from wordstill.kernels.sampling import keep_probabilities
from wordstill.system.progress import log
from wordstill.teacher.encode import Grid
from wordstill.teacher.load import Teacher

TEXTS = 128
NEGATIVES = 10
CLAMP = 20.0
LOOP_WORDS = 60_000


def run_over_loop(workload: Workload) -> dict[str, Any]:
    """Divide the words per second of whole runs by those of the plain loop.

    The loop's steps are taken between a run's batches.
    """
    plain = plain_model(workload.load_teacher())
    vocabulary = workload.vocabulary(workload.settings(context="sentence"))
    sentences = list(workload.sentences(min(workload.words, LOOP_WORDS)))
    list(plain_loop(plain, sentences[:TEXTS], vocabulary))  # warm
    time_run(workload, words=1000, students=workload.students[-1])
    results: dict[str, Any] = {"loop_words": sum(map(len, sentences))}
    for precision in workload.precisions:
        given = {"students": workload.students[-1], "context": "sentence", "precision": precision}
        loops: list[Loop] = []
        runs: list[TimedRun] = []
        try:
            for _ in range(workload.repeats):
                log.info("a whole run in %s, and steps of the plain loop between its batches", precision)
                loops.append(Loop(plain_loop(plain, sentences, vocabulary), workload.words))
                runs.append(time_run(workload, loops[-1].between, **given))
                loops[-1].finish()
        except InputError as error:
            results[precision] = {"note": str(error)}
            continue
        speeds = [loop.words / loop.seconds for loop in loops]
        last = runs[-1].record
        results[precision] = {
            "run_over_loop": ratio([run.words_per_second for run in runs], speeds),
            "run_over_loop_with_loading": ratio([last.corpus.words / run.seconds for run in runs], speeds),
            "words_per_second": figures([run.words_per_second for run in runs]),
            "loop_words_per_second": figures(speeds),
            "padding": last.padding,
            "loop_padding": round(loops[-1].padded / max(1, loops[-1].real), 3),
        }
    return results


class Stepped(NamedTuple):
    """What a step of the plain loop read."""

    words: int
    real: int
    padded: int
    left: float
    """The share of the loop that is still to do."""


class Loop:
    """The plain loop, taken step by step between the batches of a run over so many words, and what it took."""

    def __init__(self, steps: Iterator[Stepped], words: int) -> None:
        self.steps, self.run_words = steps, words
        self.seen = self.words = self.real = self.padded = 0
        self.left, self.seconds = 1.0, 0.0

    def between(self, teacher: Teacher, grid: Grid, layers: Sequence[int]) -> None:
        """Take a step if the run is further than the loop."""
        self.seen += len(grid.lengths)
        if 1.0 - self.left < self.seen / self.run_words:
            self.step()

    def step(self) -> None:
        """Take a step, if there is one left."""
        began = time.perf_counter()
        done = next(self.steps, None)
        if done is not None:
            self.seconds += time.perf_counter() - began
            self.words += done.words
            self.real += done.real
            self.padded += done.padded
        self.left = done.left if done is not None else 0.0

    def finish(self) -> None:
        """Take all steps that are left."""
        while self.left > 0:
            self.step()


def plain_model(teacher: Teacher) -> tuple[Any, Any]:
    """Load the tokenizer and the model as transformers gives them."""
    import torch
    from transformers import AutoModel, AutoTokenizer
    from transformers.utils import logging as transformers_logging

    quiet: Any = transformers_logging
    quiet.disable_progress_bar()
    quiet.set_verbosity_error()  # unused heads are no news
    loaded: Any = teacher.model
    path = loaded.config.name_or_path
    tokenizer = AutoTokenizer.from_pretrained(path)
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token
    model = AutoModel.from_pretrained(path, dtype=torch.float32).eval()
    if getattr(model.config, "is_encoder_decoder", False):
        model = model.get_encoder()
    return tokenizer, model


def plain_loop(
    plain: tuple[Any, Any], sentences: Sequence[list[str]], vocabulary: Vocabulary, seed: int = 0
) -> Iterator[Stepped]:
    """Learn one epoch, step by step."""
    import torch
    from torch.nn.functional import softplus

    tokenizer, model = plain
    width = int(model.config.hidden_size)
    longest = min(int(tokenizer.model_max_length), 512)
    numbers = vocabulary.numbers
    keep = keep_probabilities(vocabulary.frequencies, 5e-6)
    shares = np.asarray(vocabulary.counts, dtype=np.float64) ** 0.5
    draws = np.random.default_rng(seed).choice(len(shares), 1_000_000, p=shares / shares.sum())
    draw = random.Random(seed)
    torch.manual_seed(seed)
    table = torch.nn.Embedding(len(vocabulary), width, sparse=True)
    torch.nn.init.uniform_(table.weight, -1.0 / width, 1.0 / width)
    optimizer: Any = torch.optim.SparseAdam(table.parameters(), lr=1e-3)
    order = list(range(len(sentences)))
    draw.shuffle(order)
    for first in range(0, len(order), TEXTS):
        texts = [sentences[place] for place in order[first : first + TEXTS]]
        inputs = tokenizer(
            texts, is_split_into_words=True, padding=True, truncation=True, max_length=longest, return_tensors="pt"
        )
        mask = inputs["attention_mask"]
        stepped = Stepped(
            sum(map(len, texts)), int(mask.sum()), mask.numel(), max(0.0, 1.0 - (first + TEXTS) / len(order))
        )
        with torch.no_grad():
            hidden = model(**inputs).last_hidden_state
            contexts = (hidden * mask[:, :, None]).sum(1) / mask.sum(1)[:, None]
        owners, targets, negatives = [], [], []
        for number, text in enumerate(texts):
            for word in text:
                target = numbers.get(word.lower())
                if target is None or draw.random() > keep[target]:
                    continue
                owners.append(number)
                targets.append(target)
                negatives.append([int(draws[draw.randrange(len(draws))]) for _ in range(NEGATIVES)])
        if not targets:
            yield stepped
            continue
        context = contexts[torch.tensor(owners)]
        positive = (table(torch.tensor(targets)) * context).sum(-1).clamp(-CLAMP, CLAMP)
        negative = (table(torch.tensor(negatives)) * context[:, None, :]).sum(-1).clamp(-CLAMP, CLAMP)
        loss: Any = (softplus(-positive) + softplus(negative).sum(-1)).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        yield stepped
