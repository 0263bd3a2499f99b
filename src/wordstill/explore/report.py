"""One HTML file about vectors: scores, a map of their words, neighbours, training, cards. It needs no network.

    import wordstill
    wordstill.report(["run/aggregate", "run/closed"], "report.html")

The page is `assets/report.html`; `page` puts the data into it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wordstill import __version__
from wordstill.distillation.run_record import record_above
from wordstill.errors import InputError
from wordstill.evaluation import Results, evaluate
from wordstill.evaluation.datasets import DATASETS
from wordstill.evaluation.lookup import find
from wordstill.evaluation.settings import read_names, settings_from
from wordstill.evaluation.sources import Source, sources
from wordstill.evaluation.tasks import all_tasks
from wordstill.explore.displayed_words import displayed, frequency_order
from wordstill.explore.page import ONLY_PAGES, page
from wordstill.explore.report_data import card_lines, read_scores, run_summary, score_table
from wordstill.explore.wordmap import MAP_WORDS, word_map
from wordstill.io.files import check_replaceable, replacing
from wordstill.options import Options, setting
from wordstill.vectors import WordVectors

MOST_MODELS, MOST_WORDS, MOST_MAP_WORDS = 12, 50, 60_000
SCRIPTS = ("base.js", "charts.js", "wordmap.js", "report.js")
# Shown where nobody names words; those without a vector are replaced by frequent ones.
WORDS = ("river", "president", "blue", "music", "doctor", "london", "run", "quickly")

Scores = Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class ReportSettings(Options):
    """What a report shows.

    >>> ReportSettings(words=("river", "bank")).map_words
    20000
    """

    words: tuple[str, ...] = setting((), "words whose neighbours are listed", metavar="WORD,..", read=read_names)
    datasets: tuple[str | Path, ...] | None = setting(
        None, "data sets to judge (all that are here)", metavar="NAME,..", read=read_names
    )
    title: str = setting("Word vectors", "the page's title", metavar="TEXT")
    map_words: int = setting(MAP_WORDS, "the most frequent words, which are on the map", low=1, high=MOST_MAP_WORDS)


def report(
    vectors: Any,
    out: str | Path,
    *,
    scores: Scores | Results | str | Path | None = None,
    settings: ReportSettings | None = None,
    **keywords: Any,
) -> Path:
    """Write a report on vectors to `out`, and return its path; of files that are there, only a report is replaced.

    >>> report("run", "report.html", datasets=["my-pairs.tsv"], words=["river"]).name
    'report.html'

    vectors   what `evaluate` takes: paths, run folders (for all their students), names with vectors
    scores    what `evaluate` returned, its JSON, or the path of that; without it all data sets that are here are judged
    settings  everything that can be chosen, as one object, instead of keywords
    keywords  words (whose neighbours are listed), datasets (to judge instead), title, map_words
    """
    settings = settings_from(ReportSettings, settings, keywords)
    path = Path(out)
    check_replaceable(path, ONLY_PAGES)
    judged = sources(vectors)
    if len(judged) > MOST_MODELS:
        raise InputError(f"a report shows at most {MOST_MODELS} vectors side by side, not {len(judged)}")
    models = {source.name: source.word_vectors() for source in judged}
    results, notes = _scores(models, scores, settings.datasets)
    runs, run_numbers = _runs(judged)
    data = {
        "title": settings.title,
        "version": __version__,
        "models": [
            {
                "name": displayed(name),
                "words": len(one),
                "dimensions": one.vector_size,
                "counted": None if one.counts is None else int(one.counts.sum()),
                "card": card_lines(one.card),
                "run": run_numbers[name],
            }
            for name, one in models.items()
        ],
        "scores": results,
        "notes": notes,
        "chosen": chosen_words(models, settings.words),
        "map": word_map(list(models.values()), settings.map_words).as_json(),
        "runs": runs,
    }
    with replacing(path, ours=ONLY_PAGES) as temporary:
        temporary.write_bytes(page("report.html", SCRIPTS, data))
    return path


def chosen_words(models: Mapping[str, WordVectors], words: Sequence[str]) -> list[dict[str, Any]]:
    """Find the nearest words, of the whole vocabulary, of each chosen word in each model; None without a vector."""
    if len(words) > MOST_WORDS:
        raise InputError(f"a report lists the neighbours of at most {MOST_WORDS} words, not {len(words)}")
    for word in words:
        if not any(word in vectors for vectors in models.values()):
            raise InputError(f"the word {word!r} has no vector in any of these; leave it out of --words")
    return [
        {
            "word": displayed(word),
            "near": [
                [[displayed(near), round(cosine, 4)] for near, cosine in vectors.most_similar(word, topn=10)]
                if word in vectors
                else None
                for vectors in models.values()
            ],
        }
        for word in words or default_words(next(iter(models.values())))
    ]


def default_words(vectors: WordVectors, count: int = 6) -> list[str]:
    """Choose well-known words that have a vector, or else frequent ones that are neither short nor numbers."""
    known = [word for word in WORDS if word in vectors][:count]
    frequent = (vectors.words[row] for row in frequency_order(vectors).tolist()[100:])
    ordinary = (word for word in frequent if word.isalpha() and len(word) > 3 and word not in known)
    known += [word for word, _ in zip(ordinary, range(count - len(known)), strict=False)]
    return known or vectors.words[:count]


def _scores(
    models: Mapping[str, WordVectors],
    scores: Scores | Results | str | Path | None,
    datasets: Sequence[str | Path] | None,
) -> tuple[list[dict[str, Any]], list[str]]:
    if scores is None:
        quick = [task.name for task in all_tasks() if task.quick]
        if datasets is None and not any(find(entry) for entry in DATASETS.values() if entry.task in quick):
            return [], ["No data set is on this machine: `wordstill data list` shows what can be had."]
        scores = evaluate(dict(models), datasets=datasets)
    elif isinstance(scores, str | Path):
        scores = read_scores(Path(scores))
    notes = list(scores.notes) if isinstance(scores, Results) else []
    listed = [one.as_dict() for one in scores] if isinstance(scores, Results) else scores
    table = score_table(listed, list(models))
    if listed and not table:
        judged = ", ".join(dict.fromkeys(str(one["vectors"]) for one in listed))
        raise InputError(f"the scores are of {judged}; none is of {', '.join(models)}")
    return table, notes


def _runs(judged: Iterable[Source]) -> tuple[list[dict[str, Any]], dict[str, int | None]]:
    """Tell of the runs that made the vectors, each once; return that, and the number of each model's run."""
    found: dict[Path, dict[str, Any]] = {}
    numbers: dict[str, int | None] = {}
    for source in judged:
        run = record_above(source.path) if source.path is not None else None
        if run is not None and run[0] not in found:
            found[run[0]] = run_summary(*run)
        numbers[source.name] = None if run is None else list(found).index(run[0])
    return list(found.values()), numbers
