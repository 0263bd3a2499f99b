"""The figures of the papers' tables: scores with their coverage, layers chosen crosswise, neighbours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np

from wordstill.errors import InputError
from wordstill.evaluation import EvaluationSettings, Result, evaluate
from wordstill.evaluation.datasets import DATASETS
from wordstill.evaluation.lookup import find
from wordstill.evaluation.results import AVERAGE_TITLES
from wordstill.evaluation.split import Split
from wordstill.lexicons.lexicon import Lexicon
from wordstill.refinement.steps import refine
from wordstill.studies.table_rows import WORDS, PaperTable, RowKind
from wordstill.studies.table_runs import Made
from wordstill.vectors import WordVectors

NEIGHBOURS = 6


@dataclass(frozen=True)
class Cell:
    """One figure: a score times 100 with its coverage, or words, or why there is none."""

    score: float | None = None
    coverage: float | None = None
    text: str = ""
    failure: str = ""

    @property
    def shown(self) -> str:
        """What the table shows."""
        if self.failure or self.score is None:
            return self.failure or self.text or "-"
        share = "" if self.coverage is None else f" ({100 * self.coverage:.0f} %)"
        return f"{self.score:.1f}{share}{self.text}" if isfinite(self.score) else f"-{share}"

    def as_json(self) -> dict[str, Any]:
        """Return what the JSON holds."""
        known = {name: value for name, value in vars(self).items() if value not in (None, "")}
        if self.score is not None and not isfinite(self.score):
            known["score"] = None
        return known


class Judge:
    """Scores vectors once per data set, however many tables ask for them."""

    def __init__(self, judging: EvaluationSettings, lexicon: Lexicon | None) -> None:
        self.judging, self.lexicon = judging, lexicon
        self.own = judging.datasets or ()
        self.notes: list[str] = []
        self.absent: set[str] = set()
        self.results: dict[tuple[Any, str | None, tuple[Any, ...]], dict[str, Result]] = {}
        self.refined: dict[Path, WordVectors] = {}

    def columns(self, table: PaperTable) -> list[str]:
        """Return the columns of a table: its own, or the data sets that the study was told."""
        if table.columns == WORDS:
            return list(WORDS)
        names = [Path(str(name).rpartition(":")[2]).stem for name in self.own] if self.own else list(table.columns)
        absent = [name for name in names if not self.own and find(DATASETS[name]) is None]
        if set(absent) - self.absent:
            self.absent |= set(absent)
            self.notes.append(f"Not on this machine and left empty: {', '.join(absent)} (wordstill data get NAME).")
        return [*names, "average"] if table.average or (self.own and len(names) > 1) else names

    def cells(self, table: PaperTable, columns: Sequence[str], kind: RowKind, made: Made) -> list[Cell]:
        """Return the figures of one row; whatever goes wrong is told in its first cell."""
        try:
            if made.failure:
                raise InputError(made.failure)
            if table.columns == WORDS:
                return [_neighbours(WordVectors.load(made.last), word) for word in columns]
            if kind.layer != "last":
                scores = self._crosswise(made, columns, per_set=kind.layer == "per set")
            else:
                vectors: Any = self._refined(made.last) if kind.refined else made.last
                found = self._scores((made.last, kind.refined), vectors, None, columns)
                scores = {name: Cell(100 * one.score, one.coverage) for name, one in found.items()}
        except Exception as error:  # whatever it is, the other rows do not depend on it
            return [Cell(failure=str(error) or type(error).__name__), *[Cell() for _ in columns[1:]]]
        if "average" in columns:
            values = [scores[name].score for name in columns if name in scores]
            whole = len(values) == len(columns) - 1
            scores["average"] = Cell(float(np.mean([one for one in values if one is not None])) if whole else None)
        return [scores.get(name, Cell()) for name in columns]

    def _refined(self, path: Path) -> WordVectors:
        if self.lexicon is None:
            raise InputError("this row needs a lexicon; give one with --refine-lexicon")
        if path not in self.refined:
            self.refined[path] = refine(WordVectors.load(path), "graph-retrofit", self.lexicon)
        return self.refined[path]

    def _scores(self, key: Any, vectors: Any, split: Split | None, columns: Sequence[str]) -> dict[str, Result]:
        """Judge vectors on the data sets of these columns that are here."""
        sets = self.own or tuple(name for name in columns if name != "average" and name not in self.absent)
        if not sets:
            return {}
        where = (key, split, tuple(sets))
        if where not in self.results:
            told = replace(self.judging, datasets=sets, split=split or self.judging.split, resamples=0)
            found = evaluate({"row": vectors}, settings=told)
            self.results[where] = {one.dataset: one for one in found if one.dataset not in AVERAGE_TITLES}
        return self.results[where]

    def _crosswise(self, made: Made, columns: Sequence[str], *, per_set: bool) -> dict[str, Cell]:
        """Choose a layer on one half of the items and score it on the other, both ways round."""
        if self.judging.split is not None:
            raise InputError("a layer is chosen on one half of the items and scored on the other; leave out --split")
        both: tuple[Split, Split] = ("dev", "test")
        halves = {
            split: {layer: self._scores((path, False), path, split, columns) for layer, path in made.layers.items()}
            for split in both
        }
        names = list(next(iter(halves["dev"].values())))
        cells: dict[str, Cell] = {}
        for name in names:
            scores, layers, items, covered = [], [], 0, 0
            for chosen_on, scored_on in (both, both[::-1]):
                asked = [name] if per_set else names
                layer = _best_layer(halves[chosen_on], asked)
                result = halves[scored_on][layer][name]
                scores.append(100 * result.score)
                layers.append(layer.removeprefix("layer-").lstrip("0") or "0")
                items, covered = items + result.items, covered + result.covered
            told = f", layer {'/'.join(dict.fromkeys(layers))}"
            cells[name] = Cell(float(np.mean(scores)), covered / items if items else 0.0, told)
        return cells


def _best_layer(scores: Mapping[str, Mapping[str, Result]], names: Sequence[str]) -> str:
    """Return the layer with the best mean over these sets; a score that is none counts as the worst."""

    def mean(layer: str) -> float:
        value = float(np.mean([scores[layer][name].score for name in names]))
        return value if isfinite(value) else -2.0

    return max(scores, key=mean)


def _neighbours(vectors: WordVectors, word: str) -> Cell:
    if word not in vectors:
        return Cell(failure=f"no vector for {word}")
    return Cell(text=", ".join(neighbour for neighbour, _ in vectors.most_similar(word, topn=NEIGHBOURS)))
