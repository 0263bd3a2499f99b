"""Figure 7 of Wang et al. (2021): the attention of each word of a sentence to the words around it.

  wordstill study attention-map --teacher minilm --corpus wiki.txt --words 500000 --out studies

A dynamic-skipgram is distilled (or found in the folder), and the weights a_j of its equation 13 are drawn for a
sentence: a row per centre, a column per word of its window. The paper finds that the most related words receive most
attention, and stop words hardly any. `received` in the table is a word's mean weight, over what it would be if all
words of a window weighed the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from wordstill.arrays import Array
from wordstill.explore.attention import attention_chart, attention_weights, received
from wordstill.options import setting
from wordstill.studies.contract import Study
from wordstill.studies.distilled import DistilledStudySettings, distilled
from wordstill.teacher.load import load_teacher


@dataclass(frozen=True)
class AttentionMapSettings(DistilledStudySettings):
    """What the study of attention in a sentence is told."""

    about = "the attention of each word of a sentence to its neighbors (Wang et al., Figure 7)"

    sentence: str = setting("football is the most popular sport in Brazil", "the sentence to look at", metavar="TEXT")


def run(settings: AttentionMapSettings) -> Study:
    """Distill, and look at one sentence."""
    made = distilled(settings, "attention-map", {"dynamic-skipgram": {}})
    teacher = load_teacher(str(settings.distill.teacher))
    words, weights = attention_weights(made.folder / "dynamic-skipgram", settings.sentence, teacher)
    shares = received(weights)
    unknown = [word for word, column in zip(words, weights.T, strict=True) if np.isnan(column).all()]
    return Study(
        title=f"Attention in “{settings.sentence}”",
        records=[
            {"centre": words[i], "centre_place": i, "word": words[j], "place": j, "weight": float(weights[i, j])}
            for i, j in np.argwhere(np.isfinite(weights)).tolist()
        ],
        head=["word", "received", "attends to"],
        rows=[
            [word, "-" if np.isnan(share) else f"{share:.2f}", _most_attended(words, row)]
            for word, share, row in zip(words, shares, weights, strict=True)
        ],
        draw=partial(attention_chart, words, weights),
        notes=[f"Outside the vocabulary, so never attended to: {', '.join(unknown)}."] if unknown else [],
    )


def _most_attended(words: list[str], row: Array, number: int = 3) -> str:
    """Tell the words with the greatest weights in a row."""
    order = [int(j) for j in np.argsort(-row, kind="stable") if np.isfinite(row[j])][:number]
    return ", ".join(f"{words[j]} {row[j]:.2f}" for j in order) or "-"
