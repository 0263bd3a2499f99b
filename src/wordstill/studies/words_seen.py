"""Do the papers' own settings learn, and how many words must they see? Score over words seen, beside the closed form.

  wordstill study words-seen --teacher minilm --corpus wiki.txt --words 1000000 --epochs 1 4 16 64 --out studies

x2static, dynamic-skipgram and context-to-vec with `preset=paper` (or what --set says of them), a student for each
number of epochs, all from one pass of the teacher. Each point is a whole training; where the rate is constant
(x2static) the points are moments of one training as well. The closed form, over sentences for x2static and over windows
for the others, needs one pass and no descent: it is what a method should come near to.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from wordstill.explore.charts import Series, line_chart
from wordstill.options import setting
from wordstill.studies.contract import Study
from wordstill.studies.corpus_size import short
from wordstill.studies.distilled import StudentsComparisonSettings, distilled
from wordstill.studies.points import Point, Scores

SENTENCES, WINDOWS = "closed", "closed, windows"
# The closed form that each method is compared with.
CLOSED = {"x2static": SENTENCES, "dynamic-skipgram": WINDOWS, "context-to-vec": WINDOWS}


@dataclass(frozen=True)
class WordsSeenSettings(StudentsComparisonSettings):
    """What the study of words seen is told."""

    about = "the papers' settings over more and more words seen, beside the closed form"
    several = (*StudentsComparisonSettings.several, "epochs")

    students: tuple[str, ...] = setting(tuple(CLOSED), "the methods to compare", option="")
    epochs: tuple[int, ...] = setting((1, 4, 16), "the numbers of epochs to compare", option="")


def run(settings: WordsSeenSettings) -> Study:
    """Distill one run with the closed forms, and a student per method and number of epochs; score each."""
    epochs = sorted(set(settings.epochs))
    options = settings.distill.student_options
    students = {"sentences=closed": {"view": "sentence"}, "windows=closed": {"view": "window"}}
    for method in settings.students:
        for number in epochs:
            own = {"preset": "paper", **options.get(method, {}), "epochs": str(number)}
            students[f"{method}-{number}={method}"] = own
    made = distilled(settings, "words-seen", students)
    words = made.record.corpus.words
    closed = {SENTENCES: made.vectors("sentences"), WINDOWS: made.vectors("windows")}
    points = [Point(line, words, vectors, None, {"loss": "-"}) for line, vectors in closed.items()]
    for method in settings.students:
        for number in epochs:
            name = f"{method}-{number}"
            against = (CLOSED.get(method, SENTENCES), words)
            loss = round(made.record.students[name].loss[-1][1], 3)
            points.append(Point(method, number * words, made.vectors(name), against, {"loss": loss}))
    scores = Scores(points, settings.judging)
    # The closed form is a level, to be seen beside every point.
    lines = [
        Series(one.name, list(one.values) * len(epochs)) if one.name in closed else one
        for one in scores.series(scores.columns[-1])
    ]
    seen = [number * words for number in epochs]
    return scores.study(
        f"The papers' settings over words seen, {words:,} words of text",
        partial(
            line_chart,
            seen,
            lines,
            x_label="words seen",
            y_label=scores.y_label,
            log_x=True,
            tick_labels=[short(number) for number in seen],
        ),
        line="student",
        place="words seen",
        against="the closed form",
        more={"loss": ""},
    )
