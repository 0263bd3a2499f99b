"""skipgram, cbow and fasttext against plain Python, finite differences and gensim."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from made import SENTENCES, made_batch, made_brief, made_sentences

from reference.word2vec import Word2Vec as Literal
from wordstill.corpus.vocabulary import Vocabulary
from wordstill.kernels.predicting import Sampling, predict_word
from wordstill.kernels.sampling import generator
from wordstill.options import read_settings
from wordstill.students.student import Brief
from wordstill.students.word2vec import (
    Cbow,
    CbowSettings,
    FastText,
    FastTextSettings,
    Skipgram,
    SkipgramContext,
    SkipgramContextSettings,
    SkipgramSettings,
    Word2Vec,
)
from wordstill.vectors.subwords import ngrams

SMALL: dict[str, Any] = {"dimensions": 6, "window": 3, "epochs": 4, "learning_rate": 0.4, "subsample": 0.05}
CASES: list[Any] = [
    pytest.param(Skipgram, SkipgramSettings(**SMALL), id="skipgram"),
    pytest.param(Cbow, CbowSettings(**SMALL), id="cbow"),
    pytest.param(FastText, FastTextSettings(**SMALL, buckets=50), id="fasttext"),
    pytest.param(Cbow, CbowSettings(**SMALL, buckets=50, subwords=True), id="cbow of n-grams"),
    pytest.param(Skipgram, SkipgramSettings(**{**SMALL, "schedule": "constant", "window": 1}), id="constant rate"),
]


def begun(kind: Any, settings: Any) -> Word2Vec:
    """A student that is about to learn."""
    # The loss curve's first stretch is longer than the text.
    student: Word2Vec = kind(replace(made_brief(), total_words=10_000), settings)
    student.observe(made_batch(made_sentences()))
    student.begin(None)
    student.outputs = np.random.default_rng(5).normal(size=student.outputs.shape).astype(np.float32)
    return student


@pytest.mark.parametrize(("kind", "settings"), CASES)
def test_learning_is_that_of_plain_python(kind: Any, settings: Any) -> None:
    student = begun(kind, settings)
    starts, members = student.bags
    bags = {word: members[starts[word] : starts[word + 1]].tolist() for word in range(7)}
    sampling = Sampling(student.keep, student.sampler.share, student.sampler.alias, settings.negatives)
    literal = Literal(student.table, student.outputs, bags, sampling, 0)
    batch = made_batch(made_sentences())
    for epoch in range(3):
        # The random numbers of a step come from its number.
        seed = student_seed(student, epoch)
        literal.random.state = seed
        seen = epoch * len(batch.words)
        for sentence in SENTENCES:
            left = 1.0 - seen / (10_000 * settings.epochs) if settings.schedule == "linear" else 1.0
            getattr(literal, "cbow" if kind is Cbow else "skipgram")(sentence, settings.window, 0.4 * left)
            seen += len(sentence)
        student.replay(batch)
    np.testing.assert_allclose(student.table, literal.table, rtol=1e-3, atol=1e-5)
    np.testing.assert_allclose(student.outputs, literal.outputs, rtol=1e-3, atol=1e-5)
    assert student.curve.sum == pytest.approx(literal.loss, rel=1e-4)
    assert student.curve.targets == literal.predictions > 20


def student_seed(student: Word2Vec, epoch: int) -> int:
    return int(generator(student.brief.seed, 2, epoch + 1).integers(2**63, size=1, dtype=np.uint64)[0])


def test_what_the_input_moves_by_is_the_derivative_of_the_loss() -> None:
    random = np.random.default_rng(2)
    outputs, hidden = random.normal(size=(5, 4)).astype(np.float32), random.normal(size=4).astype(np.float32)
    sampling = Sampling(np.ones(5), np.ones(5), np.arange(5), 3)

    def loss_at(point: Any) -> tuple[float, Any, Any]:
        moved, rows = np.zeros(4, dtype=np.float32), outputs.copy()
        state = np.array([9], dtype=np.uint64)
        loss = predict_word(rows, point, moved, 1, 1e-3, sampling, state)
        return loss, moved, rows

    moved = loss_at(hidden)[1] / 1e-3
    for place in range(4):
        step = np.zeros(4, dtype=np.float32)
        step[place] = 1e-2
        slope = (loss_at(hidden + step)[0] - loss_at(hidden - step)[0]) / 2e-2
        assert -slope == pytest.approx(moved[place], abs=2e-2)


def test_a_words_bag_has_its_own_row_and_its_n_grams() -> None:
    student = FastText(made_brief(), FastTextSettings(**SMALL, buckets=50))
    starts, members = student.bags
    for number, word in enumerate(student.brief.vocabulary.words):
        bag = members[starts[number] : starts[number + 1]].tolist()
        assert bag[0] == number
        assert sorted(bag[1:]) == sorted((ngrams(word, 50) + 7).tolist())


def test_n_grams_give_other_words_a_vector() -> None:
    student = begun(FastText, FastTextSettings(**SMALL, buckets=5000))
    student.replay(made_batch(made_sentences()))
    vectors = student.vectors()
    assert vectors.subwords is not None
    known, other = student.table[7 + ngrams("w3x", 5000)], vectors.subwords.vector("w3x")
    cosine = known.sum(axis=0) @ other / np.linalg.norm(known.sum(axis=0)) / np.linalg.norm(other)
    assert cosine > 0.999
    assert not vectors.subwords.vector("qqq").any()  # nobody has its n-grams
    own = student.table[np.append(3, 7 + ngrams("w3", 5000))].mean(axis=0)
    np.testing.assert_allclose(vectors["w3"], own, rtol=1e-4)


def test_contexts_are_the_other_table_of_the_same_training() -> None:
    batch = made_batch(made_sentences())
    first = Skipgram(made_brief(), SkipgramSettings(**SMALL))
    second = SkipgramContext(made_brief(), SkipgramContextSettings(**SMALL))
    for student in (first, second):
        student.observe(batch)
        student.replay(batch)
    np.testing.assert_array_equal(second.vectors().matrix, first.outputs)
    assert first.vectors().words == second.vectors().words


@pytest.mark.parametrize(("kind", "settings"), CASES[:3])
def test_a_student_goes_on_from_its_state(kind: Any, settings: Any) -> None:
    batch = made_batch(made_sentences())
    whole, broken = begun(kind, settings), begun(kind, settings)
    whole.replay(batch)
    broken.replay(batch)
    resumed = kind(broken.brief, settings)
    resumed.load_state_dict({name: array.copy() for name, array in broken.state_dict().items()})
    for student in (whole, resumed):
        student.replay(batch)
        student.replay(made_batch(made_sentences(seed=4)))
    for name, array in whole.state_dict().items():
        np.testing.assert_array_equal(resumed.state_dict()[name], array)


def test_several_threads_learn_from_every_sentence() -> None:
    settings = SkipgramSettings(**{**SMALL, "subsample": 0.0, "window": 1})
    one, three = begun(Skipgram, settings), begun(Skipgram, replace(settings, threads=3))
    for student in (one, three):
        student.replay(made_batch(made_sentences()))
    assert three.curve.targets == one.curve.targets > 20
    moved = np.abs(three.table - begun(Skipgram, settings).table).max(axis=1)
    assert (moved > 0).all()


@pytest.mark.parametrize(
    ("kind", "settings", "skip_gram"), [(Skipgram, SkipgramSettings, 1), (Cbow, CbowSettings, 0)], ids=["sg", "cbow"]
)
def test_learning_and_drawing_are_those_of_gensim(kind: Any, settings: Any, skip_gram: int) -> None:
    gensim = pytest.importorskip("gensim.models", reason="gensim is not installed")
    random = np.random.default_rng(3)
    sentences = [[f"w{word}" for word in 1 + random.permutation(29)[:12]] for _ in range(200)] + [["w0", "w1"]] * 200

    def both(**given: Any) -> tuple[Any, Word2Vec, Any]:
        theirs = gensim.Word2Vec(
            vector_size=20, window=1, min_count=1, sg=skip_gram, workers=1, seed=1, min_alpha=0.05, alpha=0.05,
            negative=1, ns_exponent=given["negative_power"], sample=given["subsample"],
        )  # fmt: skip
        theirs.build_vocab(sentences)
        words = theirs.wv.index_to_key
        vocabulary = Vocabulary(words, np.array([theirs.wv.get_vecattr(word, "count") for word in words]))
        fixed = {"dimensions": 20, "window": 1, "epochs": 3, "negatives": 1, "learning_rate": 0.05}
        ours = kind(Brief(vocabulary, 0, 0, 10_000), settings(**fixed, schedule="constant", **given))
        numbers = [(np.zeros((len(one), 1)), vocabulary.number(one).tolist()) for one in sentences]
        return theirs, ours, made_batch(numbers)

    theirs, ours, _ = both(negative_power=0.75, subsample=1e-2)
    drawn = np.diff(theirs.cum_table.astype(np.float64), prepend=0) / theirs.cum_table[-1]
    np.testing.assert_allclose(ours.sampler.probabilities, drawn, atol=1e-8)
    kept = [theirs.wv.get_vecattr(word, "sample_int") / 2**32 for word in theirs.wv.index_to_key]
    np.testing.assert_allclose(ours.keep, kept, atol=1e-6)
    assert 0 < min(kept) < 0.9

    # With this power every negative is the most frequent word, so that both draw the same.
    theirs, ours, batch = both(negative_power=40.0, subsample=0.0)
    ours.observe(batch)
    ours.begin(None)
    theirs.wv.vectors *= 10
    start = theirs.wv.vectors.copy()
    ours.table[:] = start
    for _ in range(3):
        ours.replay(batch)
    theirs.train(sentences, total_examples=len(sentences), epochs=3)
    # gensim reads its sigmoid from a table with steps of 0.012.
    assert np.linalg.norm(ours.table - theirs.wv.vectors) < 0.03 * np.linalg.norm(ours.table - start)
    assert np.linalg.norm(ours.outputs - theirs.syn1neg) < 0.03 * np.linalg.norm(ours.outputs)


def test_the_papers_settings() -> None:
    settings = read_settings(SkipgramSettings, "skipgram", {"preset": "paper", "window": "2"})
    assert settings == SkipgramSettings(
        dimensions=768, window=2, epochs=10, negatives=10, subsample=1e-5, learning_rate=0.05, subwords=True
    )
