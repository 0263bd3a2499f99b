"""A BiLSTM-CRF with a character CNN, in the shape of NCRF++ (Yang and Zhang 2018; Ma and Hovy 2016).

    word  = its vector, and the largest of 50 filters over its characters
    state = one BiLSTM of 200 states over the words of a sentence, dropout before and after it
    tags  = a linear layer, and a CRF over it

SGD with rate 0.015 / (1 + 0.05 epoch) on the sum of the losses of 10 sentences. The epoch that is best on the
validation part is tested.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from wordstill.arrays import Array
from wordstill.evaluation.downstream.batches import lengths_of, padded, reading_batches, training_batches
from wordstill.evaluation.downstream.bilstm import BiLstm
from wordstill.evaluation.downstream.crf import Crf
from wordstill.evaluation.downstream.settings import TaggingSettings
from wordstill.evaluation.downstream.spans import may_follow, spans_of, tags_of
from wordstill.evaluation.downstream.training import seeded
from wordstill.kernels.chains import largest_rows

READ_AT_ONCE = 50
LONGEST_WORD = 30
CHARACTERS_SEEN = 3
# Part of the seed of dropout, which shall not draw what the order of the batches draws.
DROPPING = 1


@dataclass(frozen=True)
class Sentences:
    """Sentences made ready: the row of each word's vector, and its number among the spellings of the data set."""

    rows: list[Array]
    spellings: list[Array]


class Spellings:
    """The distinct words of a data set as characters; characters that no training word has are one.

    letters  the numbers of all words' characters behind each other, a 0 before and after each word
    starts   where the 0 before each word stands; the last is the end of all
    """

    def __init__(self, train: Sequence[Sequence[str]], others: Sequence[Sequence[str]]) -> None:
        words = dict.fromkeys(word for text in (*train, *others) for word in text)
        self.numbers = {word: number for number, word in enumerate(words)}
        seen = dict.fromkeys(letter for text in train for word in text for letter in word)
        known = {letter: number for number, letter in enumerate(seen, 2)}
        self.kinds = len(known) + 2
        coded = [[0, *(known.get(one, 1) for one in word[:LONGEST_WORD]), 0] for word in words]
        self.letters = np.array([number for word in coded for number in word], dtype=np.int64)
        self.starts = np.cumsum([0, *map(len, coded)])

    def of(self, text: Sequence[str]) -> Array:
        """Return the number of each word."""
        return np.array([self.numbers[word] for word in text], dtype=np.int64)

    def behind_each_other(self, words: Array) -> tuple[Array, Array]:
        """Return the characters of these words, with the 0 before and after each, and where each word begins."""
        sizes = self.starts[words + 1] - self.starts[words]
        begins = np.cumsum(sizes) - sizes
        places = np.arange(sizes.sum()) + np.repeat(self.starts[words] - begins, sizes)
        return self.letters[places], begins


class Dropout(nn.Module):
    """torch's dropout with numpy's random numbers, which take a tenth of the time; shares are multiples of 2^-16."""

    def __init__(self, share: float) -> None:
        super().__init__()
        self.dropped = round(share * 2**16)
        self.generator = np.random.default_rng(0)  # train_tagger gives each epoch one of its own

    def forward(self, values: torch.Tensor) -> torch.Tensor:
        """Drop a share of the values while training."""
        if not self.training or not self.dropped:
            return values
        drawn = self.generator.integers(0, 2**16, tuple(values.shape), dtype=np.uint16)
        factor = np.float32(2**16 / (2**16 - self.dropped))
        return values * torch.from_numpy((drawn >= self.dropped) * factor)


class Tagger(nn.Module):
    """The model above."""

    def __init__(
        self,
        vectors: torch.Tensor,
        spellings: Spellings,
        tags: Sequence[str],
        settings: TaggingSettings,
        constrained: bool,
        finetune: bool,
    ) -> None:
        super().__init__()
        self.spellings = spellings
        self.vectors = nn.Embedding.from_pretrained(  # type: ignore[no-untyped-call]
            vectors.clone() if finetune else vectors, freeze=not finetune, padding_idx=0, sparse=finetune
        )
        self.letters = nn.Embedding(spellings.kinds, settings.characters, padding_idx=0)
        self.filters = nn.Linear(CHARACTERS_SEEN * settings.characters, settings.character_filters)
        self.dropout = Dropout(settings.dropout)
        half = settings.hidden // 2
        self.bilstm = BiLstm(vectors.shape[1], settings.character_filters, half)
        self.emit = nn.Linear(2 * half, len(tags))
        self.crf = Crf(len(tags), allowed_moves(tags, settings) if constrained else None)

    def emissions(self, sentences: Sentences, places: Array) -> tuple[torch.Tensor, torch.Tensor]:
        """Return a score for every tag of every word, and the lengths of the sentences."""
        rows = padded([sentences.rows[place] for place in places])
        lengths = torch.from_numpy(lengths_of([sentences.rows[place] for place in places]))
        # Each distinct spelling of the batch goes through the character CNN once.
        distinct, inverse = torch.unique(padded([sentences.spellings[place] for place in places]), return_inverse=True)
        spelled = functional.embedding(inverse, self.spelled(distinct.numpy()))
        states = self.bilstm(self.dropout(self.vectors(rows)), self.dropout(spelled), lengths)
        return self.emit(self.dropout(states)), lengths

    def spelled(self, words: Array) -> torch.Tensor:
        """Return the largest of each filter over the characters of words."""
        letters, begins = self.spellings.behind_each_other(words)
        read = self.dropout(self.letters(torch.from_numpy(letters)))
        found: torch.Tensor = self.filters(torch.cat([read[:-2], read[1:-1], read[2:]], dim=1))
        # The filter at a word's first place sees the 0 before it; its last two places would see the next word.
        ends = np.append(begins[1:], len(letters)) - 2
        where = largest_rows(found.detach().numpy(), begins, ends)
        return found.gather(0, torch.from_numpy(where))


def allowed_moves(tags: Sequence[str], settings: TaggingSettings) -> torch.Tensor:
    """Make the table of what may follow what; see `Crf`."""
    ends = [*tags, None]
    return torch.tensor([[may_follow(before, after, settings.scheme) for after in ends] for before in ends])


def in_scheme(tags: Sequence[str], settings: TaggingSettings) -> list[str]:
    """Write the tags of one sentence in the scheme that is trained on."""
    return tags_of(spans_of(tags), len(tags), settings.scheme)


def train_tagger(
    model: Tagger,
    sentences: Sentences,
    tags: list[Array],
    settings: TaggingSettings,
    seed: int,
    advance: Callable[[int], None] = lambda sentences: None,
) -> Iterator[Tagger]:
    """Train a tagger and yield it after each epoch."""
    lengths = lengths_of(sentences.rows)
    dense = [one for name, one in model.named_parameters() if one.requires_grad and not name.startswith("vectors")]
    trained = list(model.vectors.parameters()) if model.vectors.weight.requires_grad else []
    groups: list[dict[str, Any]] = [{"params": dense, "weight_decay": settings.penalty}]
    if trained:
        groups.append({"params": trained})
    optimizer = torch.optim.SGD(groups, lr=settings.rate)
    for epoch in range(settings.epochs):
        for group in optimizer.param_groups:
            group["lr"] = settings.rate / (1 + settings.decay * epoch)
        model.train()
        model.dropout.generator = np.random.default_rng((seed, epoch + 1, DROPPING))
        for places in training_batches(lengths, settings.batch, (seed, epoch + 1)):
            optimizer.zero_grad(set_to_none=True)
            emissions, sizes = model.emissions(sentences, places)
            gold = padded([tags[place] for place in places])
            model.crf.loss(emissions, gold, sizes).backward()  # type: ignore[no-untyped-call]
            if settings.clip:
                nn.utils.clip_grad_norm_(dense, settings.clip)
            optimizer.step()
            advance(len(places))
        yield model


def trained_parameters(model: Tagger) -> dict[str, torch.Tensor]:
    """Return copies of the parameters that are trained."""
    return {name: one.detach().clone() for name, one in model.named_parameters() if one.requires_grad}


def predict_tags(model: Tagger, sentences: Sentences) -> list[list[int]]:
    """Return the numbers of the best tags of each sentence."""
    model.eval()
    found: list[list[int]] = [[] for _ in sentences.rows]
    with torch.inference_mode():
        for places in reading_batches(lengths_of(sentences.rows), READ_AT_ONCE):
            for place, tags in zip(places, model.crf.best(*model.emissions(sentences, places)), strict=True):
                found[place] = tags
    return found


def make_tagger(
    vectors: Array,
    spellings: Spellings,
    tags: Sequence[str],
    settings: TaggingSettings,
    *,
    constrained: bool,
    finetune: bool,
    seed: int,
) -> Tagger:
    """Make a tagger whose parameters are drawn from a seed."""
    with seeded(seed, 0):
        return Tagger(torch.from_numpy(vectors), spellings, tags, settings, constrained, finetune)
