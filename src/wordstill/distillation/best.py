"""best: the students' views of each word mixed into one, and refined by what lexicons know.

    view                    with a dictionary   without one
    aggregate               1                   1, not centred
    closed                  0.35, rotated       0.2, rotated
    definition              1.4
    asked                                       0.7, not centred
    another teacher's       1.7 definition, 0.85 alone, beside the others in its own space

The weights are fixed. They were found on similarity sets (docs/best.md tells how). What lexicons say
of pairs of words weighs a dictionary no better than these do, and the views of a text worse. It is measured all the
same, and told: what each view adds.

Where a lexicon is given, or the dictionary is WordNet, the mix is retrofitted to it as strongly as WordNet's
associated words allow (see `refinement/strength.py`), antonyms pushed apart.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from wordstill.distillation.order import Order
from wordstill.distillation.other_teachers import other_students
from wordstill.distillation.run_record import BestRecord
from wordstill.distillation.settings import DistillSettings
from wordstill.distillation.writing import Writer
from wordstill.lexicons.graph import lay_over
from wordstill.lexicons.lexicon import Lexicon, join, read_lexicon, read_relation, wordnets
from wordstill.refinement.evidence import Evidence, gather_evidence
from wordstill.refinement.mixing import Mixed, View, mix
from wordstill.refinement.strength import Refined, refine_by_evidence
from wordstill.students.registry import BEST, best_views
from wordstill.system.progress import Progress, log
from wordstill.vectors import WordVectors

WEIGHTS = {"aggregate": 1.0, "closed": 0.35, "definition": 1.4}
WITHOUT_DICTIONARY = {"aggregate": 1.0, "closed": 0.2, "asked": 0.7}
OF_OTHERS = {"definition": 1.7, "alone": 0.85}
# Without a dictionary, what all rows have in common tells rare words from others; with one, definitions do.
NOT_CENTRED = {"aggregate", "asked"}
# Views of another space than the contextual vectors', which are rotated onto these.
ROTATED = {"closed"}


@dataclass(frozen=True)
class Knowledge:
    """What lexicons say, as far as it was named for the run."""

    synonyms: Lexicon | None
    """What the mix is refined with."""
    antonyms: Lexicon | None
    independent: tuple[Lexicon, ...]
    """Lexicons that are no WordNet, whose words a dictionary does not define by each other."""
    associated: Lexicon | None
    """What guards the strength of refining."""


def views_of(order: Order) -> dict[str, str]:
    """Return the students that `best` is mixed of, and the view that each is; with all layers, the last is taken."""
    if not order.settings.makes_best:
        return {}
    views = best_views(dictionary=bool(order.settings.dictionary))
    last = f"/layer-{order.layers:02d}"
    return {name: view for view in views for name in (view, view + last) if name in order.needs}


def write_best(writer: Writer, views: Mapping[str, WordVectors]) -> BestRecord | None:
    """Mix the views, refine the mix and write it as `best`, first among what was made; None where nobody asked."""
    if not writer.job.order.settings.makes_best:
        return None
    order, clock = writer.job.order, writer.job.clock
    with Progress("mixing", 2) as progress:
        with clock.part("mixing"):
            known = read_knowledge(order.settings)
            decoder = writer.teacher is not None and writer.teacher.decoder
            shared = in_common(views, other_students(order.settings), decoder=decoder)
            guards = gathered([known.associated], shared[0].vectors, order.settings.seed)
            evidence = [*guards, *gathered(known.independent, shared[0].vectors, order.settings.seed)]
            mixed = mix(shared, evidence, fixed=True)
        progress.advance(1)
        with clock.part("refining"):
            refined = _refine(mixed.vectors, known, guards, order.settings.seed)
        progress.advance(1)
    record = _record(order, mixed, refined, known)
    vectors = mixed.vectors if refined is None else refined.vectors
    told = {"student": BEST, **dict(record.lines())}
    writer.write(BEST, WordVectors(vectors.words, vectors.matrix, vectors.counts, told))
    writer.made = {BEST: writer.made.pop(BEST), **writer.made}
    return record


def read_knowledge(settings: DistillSettings) -> Knowledge:
    """Read the lexicons of a run, and what its dictionary knows of relations."""
    own = [source for source in settings.lexicon if not wordnets([source])]
    everything = wordnets([*settings.lexicon, *settings.dictionary])
    # wordnet+ names more pairs than the synonyms of the same database.
    related = [source for source in settings.lexicon if source not in own]
    named = [*related, *(place for place in everything if place not in wordnets(related))]
    independent = tuple(read_lexicon(source) for source in own)
    akin = read_relation(everything, "akin")
    synonyms = [*independent, *(read_lexicon(source) for source in named), *([] if akin is None else [akin])]
    return Knowledge(
        synonyms=join(synonyms) if synonyms else None,
        antonyms=read_relation(everything, "antonyms"),
        independent=independent,
        associated=read_relation(everything, "associated"),
    )


def in_common(
    views: Mapping[str, WordVectors], others: Mapping[str, str] | None = None, *, decoder: bool = False
) -> list[View]:
    """Make views of the words that all of them have, in the order of the first.

    others   which view each name of another teacher's is
    decoder  whether the first teacher is one: its vectors share a mean that says nothing
    """
    others = others or {}
    kinds = {name: others.get(name, name) for name in views}
    dictionary = "definition" in views
    weights = WEIGHTS if dictionary else WITHOUT_DICTIONARY
    first = next(iter(views.values()))
    words = [word for word in first.words if all(word in vectors for vectors in views.values())]
    return [
        View(
            name,
            vectors if vectors.words == words else vectors.take(words),
            OF_OTHERS[kinds[name]] if name in others else weights[name],
            # Views of other teachers stand beside those of the first. So does a sentence vector that is pooled in
            # several ways: it is wider.
            f"{name.removeprefix(kinds[name])} {vectors.vector_size} wide",
            rotate=name in ROTATED,
            centre=dictionary or decoder or name not in NOT_CENTRED,
        )
        for name, vectors in views.items()
    ]


def gathered(lexicons: Sequence[Lexicon | None], vectors: WordVectors, seed: int) -> list[Evidence]:
    """Draw evidence from each lexicon that knows enough of the words."""
    found = (gather_evidence(one, vectors.key_to_index, seed) for one in lexicons if one is not None)
    return [one for one in found if one is not None]


def _refine(vectors: WordVectors, known: Knowledge, guards: Sequence[Evidence], seed: int) -> Refined | None:
    if known.synonyms is None:
        return None
    if not lay_over(known.synonyms, vectors.key_to_index, known.antonyms).pairs:
        log.warning("no pair of %s has a vector for both words: best is not refined", known.synonyms.name)
        return None
    return refine_by_evidence(vectors, known.synonyms, known.antonyms, guards, seed)


def _record(order: Order, mixed: Mixed, refined: Refined | None, known: Knowledge) -> BestRecord:
    told, defined = mixed.as_json(), order.definitions
    record = BestRecord(views=told["views"], scores=told["scores"])
    if defined is not None:
        record = replace(record, dictionary=defined.name, defined=len(defined.covered), definitions=len(defined.texts))
    if refined is not None and known.synonyms is not None:
        record = replace(
            record,
            lexicon=known.synonyms.name,
            antonyms=known.antonyms.name if known.antonyms is not None else "",
            **refined.as_json(),
        )
    return record
