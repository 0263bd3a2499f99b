"""Table 4 of Context-to-Vec (Zheng et al. 2022): ways to refine the same vectors, on seven similarity sets.

  wordstill study context-to-vec-table4 run/aggregate --lexicon ppdb-xl.txt
  wordstill study context-to-vec-table4 glove.txt --lexicon ppdb-xl.txt --lexicon wordnet --antonyms wordnet

The paper's four rows (none, retrofit, spectral, graph-retrofit), the paper's own weights for the last, and
graph-retrofit with antonyms where some are given. Differences are paired, against the unrefined vectors.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from wordstill.evaluation import evaluate
from wordstill.explore.charts import bar_chart
from wordstill.lexicons.lexicon import Lexicon, read_lexicons
from wordstill.options import given_options, setting
from wordstill.refinement.steps import refine
from wordstill.studies.contract import ScoredStudySettings, Study
from wordstill.studies.points import column_titles, differences, judged_sets, score_columns, series
from wordstill.vectors import WordVectors


@dataclass(frozen=True)
class Table4Settings(ScoredStudySettings):
    """What the study of ways to refine is told."""

    about = "retrofit, spectral and graph-retrofit on the same vectors, seven similarity sets"
    required = ("vectors", "lexicon")

    vectors: str | Path = setting("", "the vectors to refine", option="")
    lexicon: tuple[str | Path, ...] = setting((), "a file, `wordnet` or `wordnet+`; repeatable", option="")
    antonyms: tuple[str | Path, ...] = setting((), "a file or `wordnet`; adds a row", option="")
    options: Mapping[str, Mapping[str, str]] = setting(
        help="an option of a method", factory=dict, option="--set", metavar="METHOD.OPTION=VALUE", read=given_options
    )
    datasets: tuple[str | Path, ...] = setting(
        ("ws353", "ws353s", "ws353r", "simlex999", "rw2034", "men3k", "rg65"), "the data sets to judge on", option=""
    )


def run(settings: Table4Settings) -> Study:
    """Refine in each way, evaluate all, compare each with none."""
    ways = refine_in_each_way(
        WordVectors.load(settings.vectors),
        read_lexicons(settings.lexicon),
        read_lexicons(settings.antonyms, "antonyms"),
        settings.options,
    )
    results = evaluate(ways, settings=settings.judging)
    columns = score_columns(results)
    records, rows, bars = [], [], []
    for way in ways:
        against = differences(results, way, "none", settings.judging)
        row = [way]
        for name in columns:
            result, difference = results.find(name, way), against[name]
            clear = way != "none" and (difference.low > 0 or difference.high < 0)
            row.append(f"{100 * result.score:.1f}{'*' if clear else ' '}")
            records.append(
                result.as_dict()
                | {
                    "difference": difference.score,
                    "difference_low": difference.low,
                    "difference_high": difference.high,
                }
            )
        rows.append(row)
        bars.append(series(way, [results.find(name, way) for name in columns]))
    coverage = ", ".join(f"{name} {100 * results.find(name, 'none').coverage:.0f} %" for name in judged_sets(results))
    title, shown = f"Ways to refine {settings.vectors}", column_titles(columns)
    return Study(
        title=title,
        records=records,
        head=["", *shown],
        rows=rows,
        draw=partial(bar_chart, shown, bars, title=title, y_label="Spearman × 100"),
        notes=[
            "Spearman times 100; pairs with a missing word skipped. Coverage: " + coverage + ".",
            "*: the 95 % interval of the paired difference to none leaves out 0; intervals are in the JSON.",
        ],
    )


def refine_in_each_way(
    vectors: WordVectors, lexicon: Lexicon | None, antonyms: Lexicon | None, options: Mapping[str, Mapping[str, str]]
) -> dict[str, WordVectors]:
    """Return the refined vectors of each row of the table."""

    def refined(
        method: str, lexicon: Lexicon | None = None, antonyms: Lexicon | None = None, **more: str
    ) -> WordVectors:
        return refine(vectors, method, lexicon, antonyms, {method: {**options.get(method, {}), **more}})

    ways = {
        "none": vectors,
        "retrofit": refined("retrofit", lexicon),
        "spectral": refined("spectral"),
        "graph-retrofit": refined("graph-retrofit", lexicon),
        "graph-retrofit, paper's weights": refined("graph-retrofit", lexicon, variant="paper"),
    }
    if antonyms is not None:
        ways["graph-retrofit, antonyms"] = refined("graph-retrofit", lexicon, antonyms)
    return ways
