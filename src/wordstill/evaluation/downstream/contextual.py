"""The contextual rows of the papers' tables: the teacher itself with one linear layer.

A text is the mean of its pieces' last hidden states, a word the mean of its own pieces'. Frozen, the teacher reads
every text once and the linear layer alone is trained (Adam, 3 to 6 epochs, rates 1e-4, 3e-4 and 1e-3, as X2Static does
with sentence transformers); fine-tuned, all of it is (rates 2e-5 and 5e-5). The search and the parts are those of the
static vectors. Words of the data set are read as they are written there; what does not fit the teacher is cut off.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from wordstill.arrays import Array
from wordstill.evaluation.downstream.batches import lengths_of, reading_batches, training_batches
from wordstill.evaluation.downstream.columns import TaggedSentences
from wordstill.evaluation.downstream.kept import Keeper, keeping_folder
from wordstill.evaluation.downstream.settings import TeacherSettings, read_numbers
from wordstill.evaluation.downstream.texts import LabelledTexts
from wordstill.evaluation.downstream.training import Predict, one_thread, search, seeded, trained_on_both
from wordstill.system.progress import Progress
from wordstill.teacher.encode import rectangle
from wordstill.teacher.load import Teacher, load_teacher


@dataclass(frozen=True)
class Pieces:
    """A text as the teacher reads it: its pieces, and the number of pieces of each word (or of the whole text)."""

    pieces: Array
    lengths: Array


def classes_of_texts(
    teacher: str, trained: bool, data: LabelledTexts, settings: TeacherSettings, seed: int, cache: bool
) -> list[int]:
    """Return the class that the teacher with a linear layer predicts for each test text."""
    labels = [[np.array([label]) for label in part.labels] for part in data.parts]
    words = [part.words for part in data.parts]
    return _Rows(teacher, words, labels, len(data.classes), settings, seed, cache, whole=True).predicted(trained)


def tags_of_words(
    teacher: str, trained: bool, data: TaggedSentences, settings: TeacherSettings, seed: int, cache: bool
) -> list[list[str]]:
    """Return the tags that the teacher with a linear layer predicts for the words of each test sentence."""
    names = sorted({tag for part in data.parts for tags in part.tags for tag in tags})
    numbers = {name: number for number, name in enumerate(names)}
    labels = [[np.array([numbers[tag] for tag in tags]) for tags in part.tags] for part in data.parts]
    words = [part.words for part in data.parts]
    rows = _Rows(teacher, words, labels, len(names), settings, seed, cache, whole=False)
    found = iter(rows.predicted(trained))
    return [[names[next(found)] for _ in sentence] for sentence in data.test.words]


class _Rows:
    """The texts of a data set for one teacher, and its training on them."""

    def __init__(
        self,
        name: str,
        words: Sequence[Sequence[Sequence[str]]],
        labels: Sequence[Sequence[Array]],
        classes: int,
        settings: TeacherSettings,
        seed: int,
        cache: bool,
        whole: bool,
    ) -> None:
        self.name, self.words, self.labels, self.classes = name, words, labels, classes
        self.settings, self.seed, self.cache, self.whole = settings, seed, cache, whole

    def predicted(self, trained: bool) -> list[int]:
        """Search, train with what was best, and return the class of each item of the test part."""
        teacher = load_teacher(self.name)
        told = ["teacher", _weights(teacher), trained, self.whole, asdict(self.settings), self.seed]
        kept = Keeper(keeping_folder(self.cache), [told, self.words, self.labels])
        settings, texts = self.settings, len(self.words[0])
        rates = read_numbers("teacher.rates", settings.finetuned_rates if trained else settings.frozen_rates)
        epochs = settings.first_epoch, settings.last_epoch
        total = ((len(rates) + 1) * texts + len(self.words[1])) * settings.last_epoch

        def test() -> list[int]:
            gold = np.concatenate(self.labels[1])
            with one_thread(), Progress(self.name, total, unit="texts") as progress:
                train = (self._finetuned if trained else self._frozen)(teacher, progress.advance)
                found: list[int] = trained_on_both(train, search(train, rates, epochs, gold, kept)).tolist()
            return found

        result: list[int] = kept("test", test)
        return result

    def _frozen(self, teacher: Teacher, advance: Callable[[int], None]) -> Any:
        """Let the teacher read every text once; return what trains a linear layer on what it said."""
        read = [self._read(teacher, part) for part in range(3)]

        def train(parts: Sequence[int], rate: float, epochs: int) -> Iterator[Predict]:
            items = [item for part in parts for item in read[part]]
            gold = [label for part in parts for label in self.labels[part]]
            lengths = lengths_of(items)
            with seeded(self.seed, 0):
                layer = nn.Linear(teacher.width, self.classes)
            optimizer = torch.optim.Adam(layer.parameters(), lr=rate)
            for epoch in range(1, epochs + 1):
                for places in training_batches(lengths, self.settings.batch, (self.seed, epoch)):
                    given = torch.from_numpy(np.concatenate([items[place] for place in places]))
                    _step(optimizer, layer(given), [gold[place] for place in places])
                    advance(len(places))
                yield lambda part: _most_likely(layer(torch.from_numpy(np.concatenate(read[part]))))

        return train

    def _finetuned(self, teacher: Teacher, advance: Callable[[int], None]) -> Any:
        """Return what trains the teacher with a linear layer on top, from its own weights each time."""
        pieces = [[self._pieces(teacher, text) for text in part] for part in self.words]
        begin = {name: tensor.clone() for name, tensor in teacher.model.state_dict().items()}

        def train(parts: Sequence[int], rate: float, epochs: int) -> Iterator[Predict]:
            items = [item for part in parts for item in pieces[part]]
            gold = [label for part in parts for label in self.labels[part]]
            lengths = np.array([len(item.pieces) for item in items])
            teacher.model.load_state_dict(begin)
            with seeded(self.seed, 0):
                layer = nn.Linear(teacher.width, self.classes)
            teacher.model.requires_grad_(True)
            optimizer = torch.optim.AdamW([*teacher.model.parameters(), *layer.parameters()], lr=rate)
            for epoch in range(1, epochs + 1):
                teacher.model.train()
                with seeded(self.seed, epoch):
                    for places in training_batches(lengths, self.settings.batch, (self.seed, epoch)):
                        states = _states(teacher, [items[place] for place in places])
                        _step(optimizer, layer(states), [gold[place] for place in places])
                        advance(len(places))
                teacher.model.eval()
                yield lambda part: self._predict(teacher, layer, pieces[part])

        return train

    def _predict(self, teacher: Teacher, layer: nn.Linear, texts: Sequence[Pieces]) -> Array:
        found: list[Array] = [np.zeros(0, dtype=np.int64)] * len(texts)
        for places, states in self._states_of(teacher, texts):
            sizes = [len(texts[place].lengths) for place in places]
            for place, one in zip(places, np.split(_most_likely(layer(states)), np.cumsum(sizes)[:-1]), strict=True):
                found[place] = one
        return np.concatenate(found)

    def _read(self, teacher: Teacher, part: int) -> list[Array]:
        """Return the vectors of each text of a part: one, or one per word."""
        texts = [self._pieces(teacher, text) for text in self.words[part]]
        found: list[Array] = [np.zeros(0, dtype=np.float32)] * len(texts)
        with Progress(f"{self.name} reads", len(texts), unit="texts") as progress:
            for places, states in self._states_of(teacher, texts):
                sizes = [len(texts[place].lengths) for place in places]
                for place, one in zip(places, np.split(states.numpy(), np.cumsum(sizes)[:-1]), strict=True):
                    found[place] = one
                progress.advance(len(places))
        return found

    def _states_of(self, teacher: Teacher, texts: Sequence[Pieces]) -> Iterator[tuple[Array, torch.Tensor]]:
        lengths = np.array([len(text.pieces) for text in texts])
        for places in reading_batches(lengths, self.settings.batch):
            with torch.no_grad():
                yield places, _states(teacher, [texts[place] for place in places])

    def _pieces(self, teacher: Teacher, text: Sequence[str]) -> Pieces:
        pieces, lengths = teacher.pieces(text)
        if self.whole:
            pieces = pieces[: teacher.limit]
            return Pieces(pieces, np.array([len(pieces)]))
        ends = np.minimum(np.cumsum(lengths), teacher.limit)
        return Pieces(pieces[: teacher.limit], np.diff(ends, prepend=0))


def _states(teacher: Teacher, texts: Sequence[Pieces]) -> torch.Tensor:
    """Return the mean of the last hidden states of each word's pieces (or text's); zeros where there is no piece."""
    sizes = np.array([len(text.pieces) for text in texts])
    lengths = np.concatenate([text.lengths for text in texts])
    grid = rectangle(
        teacher, np.concatenate([text.pieces for text in texts]), sizes, np.zeros_like(sizes), sizes, lengths
    )
    given = {"input_ids": grid.pieces, "attention_mask": grid.mask.astype(np.int64)}
    if grid.types is not None:
        given["token_type_ids"] = grid.types
    hidden: torch.Tensor = teacher.model(
        **{name: torch.from_numpy(array).to(teacher.device) for name, array in given.items()}
    ).last_hidden_state
    pieces = hidden.reshape(-1, hidden.shape[-1]).cpu()[torch.from_numpy(grid.places)]
    owners = torch.from_numpy(np.repeat(np.arange(len(lengths)), lengths))
    sums = torch.zeros(len(lengths), hidden.shape[-1]).index_add(0, owners, pieces)
    return sums / torch.from_numpy(np.maximum(1, lengths))[:, None]


def _step(optimizer: torch.optim.Optimizer, scores: torch.Tensor, gold: Sequence[Array]) -> None:
    optimizer.zero_grad(set_to_none=True)
    functional.cross_entropy(scores, torch.from_numpy(np.concatenate(gold))).backward()  # type: ignore[no-untyped-call]
    optimizer.step()


def _most_likely(scores: torch.Tensor) -> Array:
    return np.asarray(scores.argmax(dim=1).numpy())


def _weights(teacher: Teacher) -> list[Any]:
    """Return what tells one teacher from another: its weights, not its name."""
    return [[name, tensor.cpu().numpy()] for name, tensor in sorted(teacher.model.state_dict().items())]
