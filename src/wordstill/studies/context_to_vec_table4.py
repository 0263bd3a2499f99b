"""Table 4 of Context-to-Vec (Zheng et al. 2022): ways to refine the same vectors, on seven similarity sets.

  wordstill study context-to-vec-table4 run/aggregate --lexicon ppdb-xl.txt
  wordstill study context-to-vec-table4 glove.txt --lexicon ppdb-xl.txt --lexicon wordnet --antonyms wordnet

The paper's four rows (none, retrofit, spectral, graph-retrofit), the paper's own weights for the last, and
graph-retrofit with antonyms where some are given. Differences are paired, against the unrefined vectors.
"""

from __future__ import annotations

import argparse
import sys
from functools import partial
from typing import Any

from wordstill.explore.charts import bar_chart
from wordstill.options import listed
from wordstill.studies import Study
from wordstill.studies.points import judged_sets, series
from wordstill.vectors import WordVectors

SETS = ("ws353", "ws353s", "ws353r", "simlex999", "rw2034", "men3k", "rg65")


def configure(parser: argparse.ArgumentParser) -> None:
    """Add this study's arguments."""
    add = parser.add_argument
    add("vectors", metavar="VECTORS", help="the vectors to refine")
    add("--lexicon", metavar="FILE", action="append", required=True, help="a file, `wordnet` or `wordnet+`; repeatable")
    add("--antonyms", metavar="FILE", action="append", default=[], help="a file or `wordnet`; adds a row")
    add("--set", metavar="METHOD.OPTION=VALUE", action="append", default=[], help="an option of a method")
    add("--datasets", metavar="NAME,..", default=",".join(SETS), help="other sets than the paper's seven")
    add("--split", choices=("dev", "test"), help="judge only one half of every set")
    add("--resamples", metavar="N", type=int, default=1000, help="draws of the bootstrap (1000)")


def run(arguments: argparse.Namespace) -> Study:
    """Refine in each way, evaluate all, compare each with none."""
    from wordstill.evaluation import compare, evaluate
    from wordstill.evaluation.results import OVERALL
    from wordstill.options import given_options
    from wordstill.refinement import read_lexicons

    lexicon = read_lexicons(arguments.lexicon)
    antonyms = read_lexicons(arguments.antonyms, "antonyms")
    vectors = WordVectors.load(arguments.vectors)
    ways = refined_in_each_way(vectors, lexicon, antonyms, given_options(arguments.set))
    results = evaluate(ways, datasets=listed(arguments.datasets), split=arguments.split, resamples=arguments.resamples)
    names = judged_sets(results)
    records, rows, bars = [], [], []
    columns = [*names, OVERALL] if len(names) > 1 else names
    for way in ways:
        against = {one.dataset: one for one in compare(results, way, "none", arguments.resamples)}
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
    coverage = ", ".join(f"{name} {100 * results.find(name, 'none').coverage:.0f} %" for name in names)
    title = f"Ways to refine {arguments.vectors}"
    shown = [name if name != OVERALL else "average" for name in columns]
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


def refined_in_each_way(
    vectors: WordVectors, lexicon: Any, antonyms: Any, options: dict[str, dict[str, str]]
) -> dict[str, WordVectors]:
    """The rows of the table."""
    from wordstill.refinement import refine

    def way(method: str, lexicon: Any = None, antonyms: Any = None, **more: str) -> WordVectors:
        own = {method: {**options.get(method, {}), **more}}
        return refine(vectors, [method], lexicon, antonyms, own, lambda line: print(line, file=sys.stderr))

    ways = {
        "none": vectors,
        "retrofit": way("retrofit", lexicon),
        "spectral": way("spectral"),
        "graph-retrofit": way("graph-retrofit", lexicon),
        "graph-retrofit, paper's weights": way("graph-retrofit", lexicon, variant="paper"),
    }
    if antonyms is not None:
        ways["graph-retrofit, antonyms"] = way("graph-retrofit", lexicon, antonyms)
    return ways
