"""Measure what downstream evaluation costs beside plain PyTorch loops on the same data. Prints JSON.

  python benchmarks/downstream.py                                   all six classification sets and chunking
  python benchmarks/downstream.py --datasets cr,trec --no-tagging   some of them

Classification: a full run (27 settings searched, the chosen one trained on both parts, one seed) against a loop that
trains ONE setting (12 epochs) with torch's own Embedding, Conv1d and random batches. Tagging: an epoch of chunking,
with its validation, against an epoch of a loop with a packed BiLSTM and a CRF by logsumexp. Vectors are random. Seconds
are those of the processor, on one thread, so that other work on the machine counts little.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from wordstill import WordVectors, evaluate
from wordstill.arrays import Array
from wordstill.evaluation.datasets import DATASETS
from wordstill.evaluation.downstream.batches import padded
from wordstill.evaluation.downstream.columns import TaggedSentences, read_column_files
from wordstill.evaluation.downstream.texts import LabelledTexts, read_text_files
from wordstill.evaluation.lookup import find

EPOCHS, BATCH, RATE = 12, 50, 3e-4
SIX = "cr,mr,mpqa,subj,trec,sst5"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--datasets", default=SIX)
    parser.add_argument("--dimensions", type=int, default=384)
    parser.add_argument("--no-tagging", action="store_true")
    options = parser.parse_args()
    torch.set_num_threads(1)
    report: dict[str, Any] = {"dimensions": options.dimensions, "classification": {}}
    for name in options.datasets.split(","):
        report["classification"][name] = classification(name, options.dimensions)
    rows = report["classification"].values()
    report["full_run_over_plain_loop"] = round(
        sum(row["full_run_seconds"] for row in rows) / sum(row["plain_loop_seconds"] for row in rows), 2
    )
    if not options.no_tagging:
        report["chunking"] = tagging(options.dimensions)
    print(json.dumps(report, indent=2))


def classification(name: str, dimensions: int) -> dict[str, float]:
    """Time a full run on one set, and a plain loop for one setting."""
    data = read_text_files(_files(name))
    vectors = _random_vectors([word for part in data.parts for text in part.words for word in text], dimensions)
    ours = _seconds(lambda: evaluate(vectors, ["classification"], [name], resamples=0, cache=False))
    theirs = _seconds(lambda: plain_cnn(vectors, data))
    return _told(full_run=ours, plain_loop=theirs)


def tagging(dimensions: int) -> dict[str, float]:
    """Time an epoch of chunking, and one of a plain loop."""
    data = read_column_files(_files("conll2000"))
    vectors = _random_vectors([word for part in data.parts for text in part.words for word in text], dimensions)
    told = {"tagging": {"epochs": "1"}}
    ours = _seconds(lambda: evaluate(vectors, ["tagging"], ["conll2000"], resamples=0, cache=False, task_options=told))
    theirs = _seconds(lambda: plain_tagger(vectors, data))
    return _told(full_run=ours, plain_loop=theirs)


def plain_cnn(vectors: WordVectors, data: LabelledTexts) -> None:
    """Train one setting as one would write it first, and test it."""
    rows, test = ([_rows(vectors, text) for text in part.words] for part in (data.train, data.test))
    labels = torch.from_numpy(data.train.labels)
    embed = nn.Embedding.from_pretrained(_with_padding(vectors), padding_idx=0)
    convolve = nn.Conv1d(vectors.vector_size, 100, 3, padding=1)
    classify = nn.Linear(100, len(data.classes))
    optimizer = torch.optim.Adam([*convolve.parameters(), *classify.parameters()], lr=RATE)

    def scores(texts: list[Array], dropout: bool) -> torch.Tensor:
        found = torch.relu(convolve(embed(padded(texts)).transpose(1, 2))).amax(dim=2)
        return classify(functional.dropout(found, 0.5, dropout))

    for _ in range(EPOCHS):
        for places in torch.randperm(len(rows)).split(BATCH):
            optimizer.zero_grad()
            functional.cross_entropy(scores([rows[place] for place in places], True), labels[places]).backward()
            optimizer.step()
    with torch.no_grad():
        for start in range(0, len(test), BATCH):
            scores(test[start : start + BATCH], False)


def plain_tagger(vectors: WordVectors, data: TaggedSentences) -> None:
    """Train one epoch of a BiLSTM-CRF with a character CNN as one would write it first."""
    names = sorted({tag for tags in data.train.tags for tag in tags})
    letters = sorted({letter for text in data.train.words for word in text for letter in word})
    numbers = {letter: number for number, letter in enumerate(letters, 1)}
    words = nn.Embedding.from_pretrained(_with_padding(vectors), padding_idx=0)
    characters, filters = nn.Embedding(len(letters) + 1, 30, padding_idx=0), nn.Conv1d(30, 50, 3, padding=1)
    lstm = nn.LSTM(vectors.vector_size + 50, 100, batch_first=True, bidirectional=True)
    emit, moves = nn.Linear(200, len(names)), nn.Parameter(torch.zeros(len(names), len(names)))
    parameters = [*characters.parameters(), *filters.parameters(), *lstm.parameters(), *emit.parameters(), moves]
    optimizer = torch.optim.SGD(parameters, lr=0.015)
    for places in torch.randperm(len(data.train)).split(10):
        texts = [data.train.words[place] for place in places]
        lengths = torch.tensor([len(text) for text in texts])
        spelled = padded([np.array([numbers[letter] for letter in word]) for text in texts for word in text])
        pooled = filters(functional.dropout(characters(spelled), 0.5).transpose(1, 2)).amax(dim=2)
        pooled = nn.utils.rnn.pad_sequence(pooled.split(lengths.tolist()), batch_first=True)
        known = words(padded([_rows(vectors, text) for text in texts]))
        packed = nn.utils.rnn.pack_padded_sequence(
            functional.dropout(torch.cat([known, pooled], 2), 0.5), lengths, batch_first=True, enforce_sorted=False
        )
        states, _ = nn.utils.rnn.pad_packed_sequence(lstm(packed)[0], batch_first=True)
        emissions = emit(functional.dropout(states, 0.5))
        gold = padded([np.array([names.index(tag) for tag in data.train.tags[place]]) for place in places])
        inside = torch.arange(gold.shape[1]) < lengths[:, None]
        sums, score = emissions[:, 0], emissions.gather(2, gold[:, :, None]).squeeze(2).mul(inside).sum()
        for step in range(1, gold.shape[1]):
            after = torch.logsumexp(sums[:, :, None] + moves, dim=1) + emissions[:, step]
            sums = torch.where(inside[:, step, None], after, sums)
            score = score + (moves[gold[:, step - 1], gold[:, step]] * inside[:, step]).sum()
        optimizer.zero_grad()
        (torch.logsumexp(sums, dim=1).sum() - score).backward()
        nn.utils.clip_grad_norm_(parameters, 5.0)
        optimizer.step()


def _seconds(run: Callable[[], object]) -> float:
    began = time.process_time()
    run()
    return time.process_time() - began


def _told(full_run: float, plain_loop: float) -> dict[str, float]:
    return {
        "full_run_seconds": round(full_run, 1),
        "plain_loop_seconds": round(plain_loop, 1),
        "ratio": round(full_run / plain_loop, 2),
    }


def _files(name: str) -> Any:
    found = find(DATASETS[name])
    if found is None:
        raise SystemExit(f"{name} is not here; name a folder with it in $WORDSTILL_DATA")
    return found.files


def _random_vectors(words: list[str], dimensions: int) -> WordVectors:
    distinct = list(dict.fromkeys(words))
    matrix = np.random.default_rng(0).standard_normal((len(distinct), dimensions), dtype=np.float32)
    return WordVectors(distinct, matrix)


def _rows(vectors: WordVectors, text: tuple[str, ...]) -> Array:
    return np.array([vectors.key_to_index[word] + 1 for word in text])


def _with_padding(vectors: WordVectors) -> torch.Tensor:
    return torch.from_numpy(np.vstack([np.zeros((1, vectors.vector_size), dtype=np.float32), vectors.matrix]))


if __name__ == "__main__":
    main()
