"""Words that the corpus lacks or has rarely, against scikit-learn's ridge and against truths that were made up."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from runs import Killed
from texts import write_corpus
from wordstill.corpus.vocabulary import Vocabulary, VocabularySettings
from wordstill.distillation import rare_words as unseen
from wordstill.distillation import regression, teaching
from wordstill.distillation.distill import distill
from wordstill.distillation.rare_words import AloneFeatures, Completion, fit_map, regressions, with_spelling
from wordstill.distillation.regression import Regressions, climb
from wordstill.distillation.settings import DistillSettings
from wordstill.distillation.shard_work import ShardWork
from wordstill.students.student import Brief
from wordstill.teacher.batch import Batch
from wordstill.vectors import WordVectors

pytestmark = pytest.mark.slow

WIDTH = 16


def made_up(words: int, noise: float, off: float, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Features, true vectors (a linear map of them, and `off` besides), and counts as a corpus has them."""
    rng = np.random.default_rng(seed)
    features = rng.standard_normal((words, 2 * WIDTH)) * rng.uniform(0.1, 30, 2 * WIDTH)
    truth = (features / features.std(0)) @ rng.standard_normal((2 * WIDTH, WIDTH)) / 7 + 0.5
    truth += off * rng.standard_normal(truth.shape)
    counts = np.sort(rng.zipf(1.5, words).clip(1, 5000))[::-1]
    return features.astype(np.float32), truth, counts


def student_of(features: np.ndarray, counts: np.ndarray) -> tuple[AloneFeatures, Vocabulary]:
    vocabulary = Vocabulary([f"w{row}" for row in range(len(counts))], counts)
    alone = AloneFeatures(Brief(vocabulary, WIDTH, 6, 1), layer=6)
    words = np.arange(len(counts), dtype=np.int32)
    layers = {layer: features[:, place * WIDTH : (place + 1) * WIDTH] for place, layer in enumerate((0, 6))}
    alone.observe(Batch(words=words, sentences=words, positions=words * 0, layers=layers))
    return alone, vocabulary


@pytest.mark.parametrize("ridge", [0.01, 1.0])
@pytest.mark.parametrize("everything", [False, True])
def test_the_regression_is_scikit_learns_ridge(ridge: float, everything: bool) -> None:
    linear_model = pytest.importorskip("sklearn.linear_model")
    features, truth, counts = made_up(400, 0.0, 0.3)
    features[:, :3] += 1000  # far from the origin, beside their spread
    rows = np.random.default_rng(5).permutation(400)[:350]
    weights, held = (counts / (counts + 10))[rows], np.arange(350) % 3 == 0
    targets = truth[rows].astype(np.float32)
    shared = Regressions(features, rows, weights, held)
    learned, tested, middle = shared.cross(targets)
    chosen = np.ones(350, dtype=bool) if everything else ~held
    ours = shared.solve(
        shared.learned + shared.tested if everything else shared.learned,
        learned + tested if everything else learned,
        middle,
        ridge,
    )
    share = weights[chosen] / weights[chosen].sum()
    known = features[rows[chosen]].astype(np.float64)
    spread = np.sqrt(share @ (known - share @ known) ** 2)
    # Features of variance 1: a ridge in units of their mean variance is the ridge itself.
    theirs = linear_model.Ridge(alpha=ridge).fit(known / spread, targets[chosen], sample_weight=share)
    np.testing.assert_allclose(ours.weights, theirs.coef_.T / spread[:, None], atol=1e-4)
    np.testing.assert_allclose(ours(features, rows), theirs.predict(features[rows] / spread), atol=2e-3)


def test_blocks_of_rows_add_up_to_the_same_regression(monkeypatch: pytest.MonkeyPatch) -> None:
    features, truth, counts = made_up(300, 0.0, 0.3)
    rows, targets = np.arange(7, 300), truth[7:].astype(np.float32)
    whole = fit_map(regressions(features, rows, counts[7:]), targets, counts[7:])
    monkeypatch.setattr(regression, "BLOCK", 64)
    parts = fit_map(regressions(features, rows, counts[7:]), targets, counts[7:])
    np.testing.assert_allclose(parts.map(features, rows), whole.map(features, rows), atol=1e-4)
    assert parts.ridge == whole.ridge
    assert parts.mix == pytest.approx(whole.mix, rel=1e-3)


@pytest.mark.parametrize("peak", range(6))
@pytest.mark.parametrize("start", range(6))
def test_climbing_finds_a_single_peak_from_anywhere(peak: int, start: int) -> None:
    values = [0.1, 0.3, 1.0, 3.0, 10.0, 30.0]
    assert climb(values, start, lambda value: -abs(np.log(value) - np.log(values[peak]))) == values[peak]


def test_students_share_what_they_can_and_get_what_each_would_get_alone() -> None:
    features, truth, counts = made_up(900, 0.0, 0.4)
    alone, vocabulary = student_of(features, counts)
    rng = np.random.default_rng(4)
    first, second = (
        WordVectors(vocabulary.words, (truth @ rng.standard_normal((WIDTH, WIDTH))).astype(np.float32), counts)
        for _ in range(2)
    )
    fewer = first.take(vocabulary.words[:400] + vocabulary.words[500:])
    together = Completion(vocabulary, alone, "mix")
    made = []
    for vectors in (first, second, fewer, second):
        before = together.shared
        made.append(together.complete(vectors))
        assert (together.shared is before) == (len(made) == 2)
    for vectors, (ours, how) in zip((first, second, fewer, second), made, strict=True):
        other, other_how = Completion(vocabulary, alone, "mix").complete(vectors)
        np.testing.assert_array_equal(ours.matrix, other.matrix)
        assert how == other_how
    assert [how["words_never_seen"] for _, how in made] == [0, 0, 100, 0]
    assert ["share_of_spelling" in how for _, how in made] == [False, False, True, False]


@pytest.mark.parametrize(("noise", "off"), [(2.0, 0.5), (0.5, 0.5), (4.0, 0.8)])
def test_what_is_mixed_in_is_the_ratio_of_the_two_errors_and_brings_words_nearer_to_the_truth(
    noise: float, off: float
) -> None:
    features, truth, counts = made_up(6000, noise, off)
    rng = np.random.default_rng(1)
    seen = truth + noise * rng.standard_normal(truth.shape) / np.sqrt(counts)[:, None]
    alone, vocabulary = student_of(features, counts)
    vectors = WordVectors(vocabulary.words, seen.astype(np.float32), counts)
    mixed, how = Completion(vocabulary, alone, "mix").complete(vectors)
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
    completed, how = Completion(vocabulary, alone, "leave").complete(known)
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
    features = rng.standard_normal((len(words), 2 * WIDTH)).astype(np.float32)
    rows, hidden = np.arange(len(words) - 50), np.arange(len(words) - 50, len(words))
    known = WordVectors(words[:-50], truth[:-50], np.full(len(rows), 20))
    fitted = fit_map(regressions(features, rows, np.full(len(rows), 20.0)), truth[:-50], np.full(len(rows), 20.0))
    plain = fitted.map(features, hidden)
    blended, share, cosine = with_spelling(plain, words[-50:], known, fitted)
    assert share == max(unseen.SHARES)
    assert cosine > fitted.cosine + 0.3
    without, with_it = (np.corrcoef(guessed.ravel(), truth[hidden].ravel())[0, 1] for guessed in (plain, blended))
    assert with_it > without + 0.3


def test_few_words_are_no_evidence_of_how_to_mix_but_still_predict() -> None:
    features, truth, counts = made_up(40, 0.0, 0.1)
    counts[-1] = 0
    alone, vocabulary = student_of(features, counts)
    known = WordVectors(vocabulary.words[:-1], truth[:-1].astype(np.float32))
    completed, how = Completion(vocabulary, alone, "mix").complete(known)
    assert how["rare"] == "leave"
    np.testing.assert_array_equal(completed.matrix[:-1], known.matrix)
    assert np.isfinite(completed.matrix).all()


def test_one_seen_word_is_all_that_can_be_said_of_the_others() -> None:
    features, truth, counts = made_up(3, 0.0, 0.1)
    counted = counts[:1].astype(float)
    fitted = fit_map(regressions(features, np.array([0]), counted), truth[:1].astype(np.float32), counted)
    np.testing.assert_allclose(fitted.map(features, np.array([1, 2])), truth[[0, 0]], atol=1e-3)


def test_a_constant_feature_and_equal_targets_break_nothing() -> None:
    features, counts = np.ones((50, 4), np.float32), np.full(50, 7.0)
    fitted = fit_map(regressions(features, np.arange(50), counts), np.full((50, 3), 2.0, np.float32), counts)
    np.testing.assert_allclose(fitted.map(features, np.arange(3)), 2.0, atol=1e-4)
    assert np.isfinite(fitted.mix)


STUDENTS = ("aggregate", "closed", "x2static", "dynamic-skipgram", "principal", "alone", "table")


def break_among_words_alone(corpus: Path, out: Path, settings: DistillSettings, after: int) -> None:
    """Distill with a checkpoint at every rest, and die at rest number `after` of the shard of the vocabulary."""
    rests, rest = 0, ShardWork.rest

    def breaking(self: ShardWork) -> None:
        nonlocal rests
        rests += self.shard.kind == "vocabulary"
        if rests == after:
            raise Killed
        rest(self)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ShardWork, "rest", breaking)
        with pytest.raises(Killed):
            distill(corpus, out=out, settings=settings, checkpoint_seconds=0.0)


def test_features_of_shards_of_the_vocabulary_take_their_places() -> None:
    features, _, counts = made_up(9, 0.0, 0.1)
    whole, _ = student_of(features, counts)
    vocabulary = Vocabulary([f"w{row}" for row in range(9)], counts)
    merged = AloneFeatures(Brief(vocabulary, WIDTH, 6, 1), layer=6)
    for rows in (np.arange(4), np.arange(6, 9)):
        part, _ = student_of(features[rows], counts[rows])
        merged.merge(part, rows)
    known = np.array([True] * 4 + [False] * 2 + [True] * 3)
    assert merged.known.tolist() == known.tolist()
    np.testing.assert_array_equal(merged.features[known], whole.features[known])
    nothing = AloneFeatures(Brief(vocabulary, WIDTH, 6, 1), layer=6)
    nothing.merge(AloneFeatures(Brief(vocabulary, WIDTH, 6, 1), layer=6), np.arange(9))
    assert not len(nothing.features)


def test_every_student_gives_every_word_of_the_list_a_vector_and_a_broken_run_the_same(
    teacher: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unseen, "FEWEST", 20)
    monkeypatch.setattr(teaching, "AT_ONCE", 8)  # so that words alone are encoded in several turns
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
        assert bool(whole.record.students[name].unseen) == (name not in ("alone", "table"))
    assert whole.record.students["closed"].unseen["rare"] == "mix"
    break_among_words_alone(corpus, tmp_path / "broken", settings, 3)
    resumed = distill(corpus, out=tmp_path / "broken", settings=settings, resume=True)
    for name in STUDENTS:
        first, second = (run.folder / name / "model.safetensors" for run in (whole, resumed))
        assert first.read_bytes() == second.read_bytes()
