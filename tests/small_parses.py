"""Small parsed texts: sentences of a made-up grammar, and batches of parsed sentences."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from texts import NOUNS, VERBS
from wordstill.corpus.conllu import ParsedSentence, write_sentence
from wordstill.corpus.vocabulary import Vocabulary
from wordstill.teacher.batch import Batch

# Levy and Goldberg's example, in both ways to hang a preposition.
UNIVERSAL = ParsedSentence(
    ["australian", "scientist", "discovers", "star", "with", "telescope"],
    [1, 2, -1, 2, 5, 2],
    ["amod", "nsubj", "root", "dobj", "case", "prep"],
)
STANFORD = ParsedSentence(UNIVERSAL.words, [1, 2, -1, 2, 2, 4], ["amod", "nsubj", "root", "dobj", "prep", "pobj"])


def write_parses(path: Path, sentences: int, seed: int = 0) -> Path:
    """Write a CoNLL-U file of sentences such as "The river flows near the old city ."."""
    draw = random.Random(seed)
    made = []
    for number in range(sentences):
        words = ["The", draw.choice(NOUNS), draw.choice(VERBS), draw.choice(["near", "with"]), "the"]
        words += [draw.choice(["old", "new"]), draw.choice(NOUNS), "."]
        relations = ["det", "nsubj", "root", "case", "det", "amod", "obl", "punct"]
        made.append(
            ("# newpar\n" if number % 3 == 0 else "")
            + write_sentence(ParsedSentence(words, [1, 2, -1, 6, 6, 6, 2, 2], relations))
        )
    path.write_text("".join(made), encoding="utf-8")
    return path


def parsed_batch(sentences: Sequence[ParsedSentence], vocabulary: Vocabulary) -> Batch:
    """Return sentences as a batch."""
    words = [word for sentence in sentences for word in sentence.words]
    relations = [relation for sentence in sentences for relation in sentence.relations]
    heads = [head for sentence in sentences for head in sentence.heads]
    lengths = [len(sentence.words) for sentence in sentences]
    return Batch(
        words=vocabulary.number(words),
        sentences=np.repeat(np.arange(len(lengths), dtype=np.int32), lengths),
        positions=np.concatenate([np.arange(length, dtype=np.int32) for length in lengths]),
        parses=np.stack([np.array(heads, dtype=np.int32), vocabulary.number_relations(relations)], axis=1),
    )


def random_parses(vocabulary: Vocabulary, number: int, seed: int, strange: bool = True) -> list[ParsedSentence]:
    """Return sentences of random words with random trees; with `strange`, words outside the vocabulary among them."""
    draw = np.random.default_rng(seed)
    names = [*vocabulary.words, *(["strange"] if strange else [])]
    made = []
    for _ in range(number):
        size = int(draw.integers(1, 9))
        root = int(draw.integers(size))
        # Every word hangs from one that is nearer to the root.
        order = [root, *(int(place) for place in draw.permutation(size) if place != root)]
        heads = [-1] * size
        for rank, place in enumerate(order[1:], 1):
            heads[place] = order[int(draw.integers(rank))]
        relations = [str(one) for one in draw.choice(vocabulary.relations, size)]
        made.append(ParsedSentence([str(one) for one in draw.choice(names, size)], heads, relations))
    return made
