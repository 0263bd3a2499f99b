"""deps against strings and loops; parses from file to vectors; runs that break and go on."""

from __future__ import annotations

import dataclasses
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from made import merged

from reference import deps as literal
from runs import break_run, vector_bytes
from small_parses import STANFORD, UNIVERSAL, parsed_batch, random_parses, write_parses
from wordstill.corpus.conllu import ParsedSentence
from wordstill.corpus.vocabulary import Vocabulary
from wordstill.distillation.distill import distill
from wordstill.distillation.settings import DistillSettings
from wordstill.errors import InputError
from wordstill.kernels.pairs import train_pairs
from wordstill.students.deps import Deps, DepsSettings
from wordstill.students.student import Brief
from wordstill.teacher.batch import Batch

RELATIONS = ("amod", "case", "nsubj", "obl", "pobj", "prep", "punct", "root")


def brief_of(words: list[str], relations: tuple[str, ...] = RELATIONS, total: int = 1000) -> Brief:
    counts = np.arange(len(words), 0, -1) * 10
    return Brief(Vocabulary(words, counts, relations=tuple(sorted(relations))), 0, 0, total, seed=3)


def named_pairs(student: Deps, batch: Batch) -> list[tuple[str, str]]:
    """The pairs of a batch as strings."""
    vocabulary = student.brief.vocabulary
    words, keys = student.pairs(batch)
    found = []
    for word, other, relation, turned, preposition in zip(words, *student.unpack(keys), strict=True):
        name = vocabulary.relations[relation] + (f"_{vocabulary.words[preposition]}" if preposition >= 0 else "")
        found.append((vocabulary.words[word], f"{vocabulary.words[other]}/{name}{'-1' if turned else ''}"))
    return found


@pytest.mark.parametrize("sentence", [UNIVERSAL, STANFORD], ids=["universal", "stanford"])
def test_the_contexts_of_the_papers_example(sentence: ParsedSentence) -> None:
    brief = brief_of(sentence.words, tuple(dict.fromkeys(sentence.relations)))
    found = named_pairs(Deps(brief, DepsSettings()), parsed_batch([sentence], brief.vocabulary))
    assert sorted(found) == [
        ("australian", "scientist/amod-1"),
        ("discovers", "scientist/nsubj"),
        ("discovers", "star/dobj"),
        ("discovers", "telescope/prep_with"),
        ("scientist", "australian/amod"),
        ("scientist", "discovers/nsubj-1"),
        ("star", "discovers/dobj-1"),
        ("telescope", "discovers/prep_with-1"),
    ]


@pytest.mark.parametrize("seed", range(5))
def test_the_contexts_of_random_trees_are_those_of_the_literal_version(seed: int) -> None:
    brief = brief_of(["a", "b", "c", "d", "e"])
    sentences = random_parses(brief.vocabulary, 60, seed, strange=False)
    student = Deps(brief, DepsSettings())
    expected = [pair for sentence in sentences for pair in literal.contexts(*sentence)]
    assert Counter(named_pairs(student, parsed_batch(sentences, brief.vocabulary))) == Counter(expected)


def test_words_without_a_vector_leave_the_heads_of_others_where_they_are() -> None:
    brief = brief_of(UNIVERSAL.words, tuple(dict.fromkeys(UNIVERSAL.relations)))
    batch = parsed_batch([UNIVERSAL, UNIVERSAL], brief.vocabulary)
    kept = np.arange(12) != 1  # the teacher could not read the first "scientist"
    gap = Batch(batch.words[kept], batch.sentences[kept], batch.positions[kept], parses=batch.parses[kept])  # type: ignore[index]
    found = Counter(named_pairs(Deps(brief, DepsSettings()), gap))
    assert found["discovers", "star/dobj"] == 2
    assert found["discovers", "scientist/nsubj"] == found["australian", "scientist/amod-1"] == 1


def test_the_kernel_is_the_literal_loop() -> None:
    draw = np.random.default_rng(1)
    table, contexts = (draw.normal(0, 0.5, (size, 6)).astype(np.float32) for size in (5, 9))
    words, targets = draw.integers(5, size=40), draw.integers(9, size=(40, 4))
    expected = literal.train(table, contexts, words.tolist(), targets, 0.2, 0.05)
    loss = train_pairs(table, contexts, words, targets, 0.2, 0.05)
    np.testing.assert_allclose(table, expected[0], atol=1e-5)
    np.testing.assert_allclose(contexts, expected[1], atol=1e-5)
    assert loss == pytest.approx(expected[2], rel=1e-5)


def test_a_step_goes_down_the_gradient_that_finite_differences_find() -> None:
    draw = np.random.default_rng(2)
    table, contexts = (draw.normal(0, 0.5, (size, 4)) for size in (1, 3))
    targets, rate, tiny = np.array([[0, 1, 2]]), 1e-3, 1e-5
    found = table.astype(np.float32), contexts.astype(np.float32)
    train_pairs(*found, np.array([0]), targets, rate, rate)
    for before, after in zip((table, contexts), found, strict=True):
        for place in np.ndindex(before.shape):
            losses = []
            for step in (tiny, -tiny):
                moved = [one.copy() for one in (table, contexts)]
                moved[0 if before is table else 1][place] += step
                losses.append(literal.train(*moved, [0], targets, 0.0, 0.0)[2])
            slope = (losses[0] - losses[1]) / (2 * tiny)
            assert (before[place] - after[place]) / rate == pytest.approx(slope, abs=2e-3)


def test_shards_merged_have_the_contexts_of_the_whole() -> None:
    brief = brief_of(["a", "b", "c", "d", "e"])
    batches = [parsed_batch(random_parses(brief.vocabulary, 20, seed), brief.vocabulary) for seed in range(4)]
    settings = DepsSettings(min_context=2, dimensions=8)
    parts = merged(brief, lambda own: Deps(own, settings), [batches[:1], batches[1:]])
    whole = Deps(brief, settings)
    for batch in batches:
        whole.observe(batch)
    for student in (parts, whole):
        for batch in batches:
            student.replay(batch)
    ours, theirs = parts.state_dict(), whole.state_dict()
    for name in ours:
        np.testing.assert_array_equal(ours[name], theirs[name])
    assert len(whole.vectors())


def test_several_threads_learn_from_every_pair() -> None:
    brief = brief_of(["a", "b", "c", "d", "e"], total=100_000)
    batch = parsed_batch(random_parses(brief.vocabulary, 60, 1), brief.vocabulary)
    one, three = (Deps(brief, DepsSettings(min_context=2, dimensions=8, threads=threads)) for threads in (1, 3))
    for student in (one, three):
        student.observe(batch)
        student.replay(batch)
    assert three.curve.targets == one.curve.targets > 20
    np.testing.assert_array_equal(three.seen, one.seen)
    assert (np.abs(three.context_table).max(axis=1) > 0).all()


def test_contexts_that_are_all_rare_are_explained() -> None:
    brief = brief_of(UNIVERSAL.words, tuple(dict.fromkeys(UNIVERSAL.relations)))
    student, batch = Deps(brief, DepsSettings()), parsed_batch([UNIVERSAL], brief.vocabulary)
    student.observe(batch)
    with pytest.raises(InputError, match=r"no context is seen 5 times; lower --set deps\.min_context"):
        student.replay(batch)


def test_words_that_are_used_alike_are_alike(tmp_path: Path) -> None:
    brief = brief_of(["drinks", "eats", "tea", "milk", "bread", "cake"], ("obj", "root"), total=40_000)
    sentences = []
    draw = np.random.default_rng(0)
    for _ in range(2000):
        verb, nouns = ("drinks", ["tea", "milk"]) if draw.random() < 0.5 else ("eats", ["bread", "cake"])
        sentences.append(ParsedSentence([verb, str(draw.choice(nouns))], [-1, 0], ["root", "obj"]))
    batch = parsed_batch(sentences, brief.vocabulary)
    student = Deps(brief, DepsSettings(dimensions=10, epochs=10))
    student.observe(batch)
    for _ in range(10):
        student.replay(batch)
    vectors = student.vectors()
    assert vectors.similarity("tea", "milk") > 0.9 > 0.5 > vectors.similarity("tea", "bread")
    assert student.losses[-1][1] < student.losses[0][1]


SETTINGS = DistillSettings(
    students=("deps",), student_options={"deps": {"dimensions": "8", "epochs": "2"}}, shard_words=800
)


@pytest.mark.slow
def test_a_run_over_parses_that_is_killed_goes_on_to_the_same_bytes(tmp_path: Path) -> None:
    corpus = write_parses(tmp_path / "texts.conllu", 400)
    whole = distill(corpus, out=tmp_path / "whole", settings=SETTINGS, workers=0)
    assert whole.vectors("deps").words[0] == "the"
    assert "near" not in whole.vectors("deps").words  # collapsed
    expected = vector_bytes(tmp_path / "whole")
    for after in (2, 5, 7):
        out = tmp_path / str(after)
        break_run(corpus, out, SETTINGS, after)
        distill(corpus, out=out, settings=SETTINGS, resume=True)
        assert vector_bytes(out) == expected


@pytest.mark.slow
def test_deps_learns_the_same_contexts_beside_a_teacher(tmp_path: Path) -> None:
    from small_models import make_model

    corpus, model = write_parses(tmp_path / "texts.conllu", 60), make_model("bert", tmp_path / "bert")
    alone = distill(corpus, out=tmp_path / "alone", settings=SETTINGS, workers=0)
    settings = dataclasses.replace(SETTINGS, teacher=str(model), students=("aggregate", "deps"), rare="leave")
    beside = distill(corpus, out=tmp_path / "beside", settings=settings, workers=0)
    assert beside.vectors("deps").words == alone.vectors("deps").words
    assert beside.record.students["deps"].loss[-1][1] < 4.2  # log 2 for each of six, at the start


@pytest.mark.slow
def test_without_parses_one_sentence_says_what_to_give(tmp_path: Path) -> None:
    (tmp_path / "texts.txt").write_text("The river flows.\n" * 10)
    with pytest.raises(InputError, match=r"deps reads parses: name a CoNLL-U file .*wordstill parse"):
        distill(tmp_path / "texts.txt", out=tmp_path / "run", settings=SETTINGS)
    (tmp_path / "folder").mkdir()
    (tmp_path / "texts.txt").rename(tmp_path / "folder" / "texts.txt")
    with pytest.raises(InputError, match="deps reads parses"):
        distill(tmp_path / "folder", out=tmp_path / "run", settings=SETTINGS)
