"""Words that the corpus lacks or has rarely, against scikit-learn's ridge and against truths that were made up."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from runs import break_run
from texts import write_corpus
from wordstill import unseen
from wordstill.corpus.vocabulary import Vocabulary, VocabularySettings
from wordstill.distillation import distill
from wordstill.settings import DistillSettings
from wordstill.students.batch import Batch
from wordstill.students.student import Task
from wordstill.unseen import Moments, WordsAlone, complete, fit, predict
from wordstill.vectors import WordVectors

WIDTH = 16


def made_up(words: int, noise: float, off: float, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Features, true vectors (a linear map of them, and `off` besides), and counts as a corpus has them."""
    rng = np.random.default_rng(seed)
    features = rng.standard_normal((words, 3 * WIDTH)) * rng.uniform(0.1, 30, 3 * WIDTH)
    truth = (features / features.std(0)) @ rng.standard_normal((3 * WIDTH, WIDTH)) / 7 + 0.5
    truth += off * rng.standard_normal(truth.shape)
    counts = np.sort(rng.zipf(1.5, words).clip(1, 5000))[::-1]
    return features.astype(np.float32), truth, counts


def student_of(features: np.ndarray, counts: np.ndarray) -> tuple[WordsAlone, Vocabulary]:
    vocabulary = Vocabulary([f"w{row}" for row in range(len(counts))], counts)
    alone = WordsAlone(Task(vocabulary, WIDTH, 6, 1), last=6)
    words = np.arange(len(counts), dtype=np.int32)
    layers = {layer: features[:, place * WIDTH : (place + 1) * WIDTH] for place, layer in enumerate((0, 3, 6))}
    alone.observe(Batch(words=words, sentences=words, positions=words * 0, layers=layers))
    return alone, vocabulary


@pytest.mark.parametrize("ridge", [0.01, 1.0])
def test_the_regression_is_scikit_learns_ridge(ridge: float) -> None:
    linear_model = pytest.importorskip("sklearn.linear_model")
    features, truth, counts = made_up(400, 0.0, 0.3)
    weights = counts / (counts + 10)
    ours = Moments(features, np.arange(400), truth, weights).solve(ridge)
    share = weights / weights.sum()
    spread = np.sqrt(share @ features.astype(np.float64) ** 2 - (share @ features) ** 2)
    # Features of variance 1: a ridge in units of their mean variance is the ridge itself.
    theirs = linear_model.Ridge(alpha=ridge).fit(features / spread, truth, sample_weight=share)
    np.testing.assert_allclose(ours[0], theirs.coef_.T / spread[:, None], atol=1e-4)
    np.testing.assert_allclose(ours[1], theirs.intercept_, atol=1e-3)


@pytest.mark.parametrize(("noise", "off"), [(2.0, 0.5), (0.5, 0.5), (4.0, 0.8)])
def test_what_is_mixed_in_is_the_ratio_of_the_two_errors_and_brings_words_nearer_to_the_truth(
    noise: float, off: float
) -> None:
    features, truth, counts = made_up(6000, noise, off)
    rng = np.random.default_rng(1)
    seen = truth + noise * rng.standard_normal(truth.shape) / np.sqrt(counts)[:, None]
    alone, vocabulary = student_of(features, counts)
    mixed, how = complete(WordVectors(vocabulary.words, seen.astype(np.float32), counts), vocabulary, alone, "mix")
    assert how["mixed_as_if_seen"] == pytest.approx(noise**2 / off**2, rel=0.25)
    rare = counts <= 2
    before, after = (np.square(matrix - truth)[rare].sum(1).mean() for matrix in (seen, mixed.matrix))
    # No mixture of two independent estimates does better than this one.
    assert after < before
    best = 1 / (1.5 / noise**2 + 1 / off**2) * WIDTH
    assert after < 1.3 * best
    frequent = counts > 1000
    np.testing.assert_allclose(mixed.matrix[frequent], seen[frequent], atol=0.1)


def test_words_never_seen_are_predicted_in_their_place_and_left_ones_stay_as_they_are() -> None:
    features, truth, counts = made_up(800, 0.0, 0.1)
    counts[-5:] = 0
    alone, vocabulary = student_of(features, counts)
    known = WordVectors(vocabulary.words[:-5], truth[:-5].astype(np.float32), counts[:-5], {"student": "x"})
    completed, how = complete(known, vocabulary, alone, "leave")
    assert completed.words == vocabulary.words
    assert completed.counts is not None
    assert completed.counts.tolist() == counts.tolist()
    np.testing.assert_array_equal(completed.matrix[:-5], known.matrix)
    cosines = [np.corrcoef(ours, true)[0, 1] for ours, true in zip(completed.matrix[-5:], truth[-5:], strict=True)]
    assert min(cosines) > 0.9
    assert how["words_never_seen"] == 5
    assert how["held_out_cosine"] > 0.9
    assert completed.card == {"student": "x", "unseen": how}


def test_spellings_help_where_features_do_not() -> None:
    rng = np.random.default_rng(2)
    stems, endings = (
        [f"{a}{b}{c}or" for a in "bdfgklm" for b in "aeiou" for c in "nrst"],
        ["ing", "ness", "able", "ment", "s"],
    )
    parts = {part: rng.standard_normal(WIDTH) for part in (*stems, *endings)}
    words = [stem + ending for stem in stems for ending in endings]
    order = rng.permutation(len(words))
    words = [words[at] for at in order]
    truth = np.array([parts[word[:5]] + parts[word[5:]] for word in words], dtype=np.float32)
    features = rng.standard_normal((len(words), 3 * WIDTH)).astype(np.float32)
    known = np.arange(len(words) - 50)
    fitted = fit(features, known, truth[:-50], np.full(len(known), 20.0), words)
    assert fitted.share == max(unseen.SHARES)
    rows = np.arange(len(words) - 50, len(words))
    plain = np.corrcoef((features[rows] @ fitted.weights).ravel(), truth[rows].ravel())[0, 1]
    with_spelling = np.corrcoef(predict(fitted, features, rows, words).ravel(), truth[rows].ravel())[0, 1]
    assert with_spelling > plain + 0.3


def test_few_words_are_no_evidence_of_how_to_mix_but_still_predict() -> None:
    features, truth, counts = made_up(40, 0.0, 0.1)
    counts[-1] = 0
    alone, vocabulary = student_of(features, counts)
    known = WordVectors(vocabulary.words[:-1], truth[:-1].astype(np.float32))
    completed, how = complete(known, vocabulary, alone, "mix")
    assert how["rare"] == "leave"
    np.testing.assert_array_equal(completed.matrix[:-1], known.matrix)
    assert np.isfinite(completed.matrix).all()


def test_one_seen_word_is_all_that_can_be_said_of_the_others() -> None:
    features, truth, counts = made_up(3, 0.0, 0.1)
    words = ["a", "b", "c"]
    fitted = fit(features, np.array([0]), truth[:1].astype(np.float32), counts[:1].astype(float), words)
    np.testing.assert_allclose(predict(fitted, features, np.array([1, 2]), words), truth[[0, 0]], atol=1e-3)


def test_a_constant_feature_and_equal_targets_break_nothing() -> None:
    features = np.ones((50, 4), np.float32)
    words = [f"w{row}" for row in range(50)]
    fitted = fit(features, np.arange(50), np.full((50, 3), 2.0, np.float32), np.full(50, 7.0), words)
    np.testing.assert_allclose(predict(fitted, features, np.arange(3), words), 2.0, atol=1e-4)
    assert np.isfinite(fitted.mix)


STUDENTS = ("aggregate", "closed", "x2static", "dynamic-skipgram", "principal", "alone", "table")


def test_every_student_gives_every_word_of_the_list_a_vector_and_a_broken_run_the_same(
    teacher: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unseen, "FEWEST", 20)
    corpus = write_corpus(tmp_path / "texts.txt", 200)
    listed = VocabularySettings(forced=("unicorn", "Tokyo", "no_such phrase", "10,000"))
    settings = DistillSettings(
        teacher=teacher,
        students=STUDENTS,
        vocabulary=listed,
        batch_tokens=400,
        buffer_tokens=3000,
        threads=1,
        dimensions=9,
    )
    whole = distill(corpus, out=tmp_path / "whole", settings=settings)
    for name in STUDENTS:
        vectors = whole.vectors(name)
        assert {"unicorn", "no_such phrase", "tokyo"} <= set(vectors)
        assert vectors.counts is not None
        assert vectors.counts[vectors.key_to_index["unicorn"]] == 0
        assert np.isfinite(vectors.matrix).all()
        assert (np.linalg.norm(vectors.matrix, axis=1) > 0).all()
        assert ("unseen" in whole.record["students"][name]) == (name not in ("alone", "table"))
    assert whole.record["students"]["closed"]["unseen"]["rare"] == "mix"
    break_run(corpus, tmp_path / "broken", settings, 3, lambda job: job.standing.shown > 0)
    resumed = distill(corpus, out=tmp_path / "broken", settings=settings, resume=True)
    for name in STUDENTS:
        first, second = (run.folder / name / "model.safetensors" for run in (whole, resumed))
        assert first.read_bytes() == second.read_bytes()
