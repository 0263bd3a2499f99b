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

from wordstill.arrays import Array
from wordstill.evaluation.downstream.batches import lengths_of, padded, reading_batches, training_batches
from wordstill.evaluation.downstream.crf import Crf
from wordstill.evaluation.downstream.settings import TaggingSettings
from wordstill.evaluation.downstream.spans import may_follow, spans_of, tags_of
from wordstill.evaluation.downstream.training import seeded

READ_AT_ONCE = 50
LONGEST_WORD = 30


@dataclass(frozen=True)
class Sentences:
    """Sentences made ready: the row of each word's vector, and its number among the spellings of the data set."""

    rows: list[Array]
    spellings: list[Array]


class Spellings:
    """The distinct words of a data set as rows of characters; characters that no training word has are one."""

    def __init__(self, train: Sequence[Sequence[str]], others: Sequence[Sequence[str]]) -> None:
        words = dict.fromkeys(word for text in (*train, *others) for word in text)
        self.numbers = {word: number for number, word in enumerate(words)}
        seen = dict.fromkeys(letter for text in train for word in text for letter in word)
        letters = {letter: number for number, letter in enumerate(seen, 2)}
        self.letters = len(letters) + 2
        self.table = padded([np.array([letters.get(one, 1) for one in word[:LONGEST_WORD]]) for word in words], 1, 1)
        self.lengths = (self.table > 0).sum(dim=1)

    def of(self, text: Sequence[str]) -> Array:
        """Return the number of each word."""
        return np.array([self.numbers[word] for word in text], dtype=np.int64)


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
        self.letters = nn.Embedding(spellings.letters, settings.characters, padding_idx=0)
        self.filters = nn.Conv1d(settings.characters, settings.character_filters, 3)
        self.dropout = nn.Dropout(settings.dropout)
        width, half = vectors.shape[1] + settings.character_filters, settings.hidden // 2
        self.onwards = nn.LSTM(width, half, batch_first=True)
        self.backwards = nn.LSTM(width, half, batch_first=True)
        self.emit = nn.Linear(2 * half, len(tags))
        self.crf = Crf(len(tags), allowed_moves(tags, settings) if constrained else None)

    def emissions(self, sentences: Sentences, places: Array) -> tuple[torch.Tensor, torch.Tensor]:
        """Return a score for every tag of every word, and the lengths of the sentences."""
        rows = padded([sentences.rows[place] for place in places])
        lengths = torch.from_numpy(lengths_of([sentences.rows[place] for place in places]))
        # Each distinct spelling of the batch goes through the character CNN once.
        distinct, inverse = torch.unique(padded([sentences.spellings[place] for place in places]), return_inverse=True)
        spelled = self.spelled(distinct)[inverse]
        words = self.dropout(torch.cat([self.vectors(rows), spelled], dim=2))
        # Each direction has the padding behind the words, where it does no harm: torch's quick LSTM is for sequences
        # that are not packed.
        turned = turned_places(lengths, words.shape[1])
        back = self.backwards(words[turned])[0][turned]
        states = torch.cat([self.onwards(words)[0], back], dim=2)
        return self.emit(self.dropout(states)), lengths

    def spelled(self, words: torch.Tensor) -> torch.Tensor:
        """Return the largest of each filter over the characters of words."""
        lengths = self.spellings.lengths[words]
        table = self.spellings.table[words, : int(lengths.max()) + 2]
        found = self.filters(self.dropout(self.letters(table)).transpose(1, 2))
        outside = torch.arange(found.shape[2]) >= lengths[:, None]
        pooled: torch.Tensor = found.masked_fill(outside[:, None, :], -torch.inf).max(dim=2).values
        return pooled


def turned_places(lengths: torch.Tensor, width: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the index that turns the words of each sentence around and leaves its padding where it is."""
    places = torch.arange(width).expand(len(lengths), -1)
    turned = torch.where(places < lengths[:, None], lengths[:, None] - 1 - places, places)
    return torch.arange(len(lengths))[:, None], turned


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
        with seeded(seed, epoch + 1):
            for places in training_batches(lengths, settings.batch, (seed, epoch + 1)):
                optimizer.zero_grad(set_to_none=True)
                emissions, sizes = model.emissions(sentences, places)
                gold = padded([tags[place] for place in places])
                model.crf.loss(emissions, gold, sizes).backward()  # type: ignore[no-untyped-call]
                nn.utils.clip_grad_norm_(dense, settings.clip)
                optimizer.step()
                advance(len(places))
        yield model


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
