"""WordVectorizer among scikit-learn's own estimators."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from wordstill.errors import InputError
from wordstill.vectors import WordVectors
from wordstill.vectors.vectorizer import WordVectorizer

base = pytest.importorskip("sklearn.base")

WORDS = ["the", "sun", "moon", "star", "fish", "bird", "cat"]
MATRIX = np.random.default_rng(5).standard_normal((7, 4)).astype(np.float32)
MATRIX[1:4, 0] += 4
MATRIX[4:, 1] += 4
VECTORS = WordVectors(WORDS, MATRIX, [100, 9, 8, 7, 6, 5, 4])
TEXTS = ["The sun, the moon.", "a star", "Moon and sun", "fish and bird", "the cat", "bird, cat, fish"]
LABELS = [0, 0, 0, 1, 1, 1]


@pytest.fixture
def path(tmp_path: Path) -> str:
    VECTORS.save(tmp_path / "v")
    return str(tmp_path / "v")


def test_a_text_is_the_mean_of_its_known_words() -> None:
    found = WordVectorizer(VECTORS).fit_transform(["The sun, the moon.", "nothing known here", ""])
    np.testing.assert_allclose(found[0], MATRIX[[0, 1, 0, 2]].mean(0), rtol=1e-5)
    assert not found[1:].any()


def test_rare_words_count_more_with_sif_weights_and_the_common_direction_can_go() -> None:
    found = WordVectorizer(VECTORS, weighting="sif", a=0.01).fit_transform(["the cat"])
    weights = 0.01 / (0.01 + np.array([100, 4]) / 139)
    np.testing.assert_allclose(found[0], weights @ MATRIX[[0, 6]] / 2, rtol=1e-5)
    bare = WordVectorizer(VECTORS, weighting="sif").fit(TEXTS).transform(TEXTS)
    without = WordVectorizer(VECTORS, weighting="sif", remove_component=True).fit_transform(TEXTS)
    decomposition = pytest.importorskip("sklearn.decomposition")
    direction = decomposition.TruncatedSVD(1, algorithm="arpack").fit(bare.astype(np.float64)).components_[0]
    np.testing.assert_allclose(without, bare - np.outer(bare @ direction, direction), atol=1e-4)


@pytest.mark.parametrize("tokenizer", [None, str.split])
def test_rows_at_length_one_count_by_their_direction_and_others_as_if_they_were_of_mean_length(
    tokenizer: Callable[[str], list[str]] | None,
) -> None:
    lengths = np.linalg.norm(MATRIX, axis=1)
    model = WordVectorizer(VECTORS, weighting="unit", oov="case", tokenizer=tokenizer)
    found = model.fit_transform(["the cat", "the CAT"])
    units = MATRIX / lengths[:, None]
    np.testing.assert_allclose(found[0], (units[0] + units[6]) / 2, rtol=1e-5)
    answered = MATRIX[6] / lengths.mean() if tokenizer else units[6]  # without one, texts are lowercased first
    np.testing.assert_allclose(found[1], (units[0] + answered) / 2, rtol=1e-5)


def test_it_works_in_a_pipeline_and_a_grid_search(path: str) -> None:
    linear_model = pytest.importorskip("sklearn.linear_model")
    pipeline = pytest.importorskip("sklearn.pipeline")
    selection = pytest.importorskip("sklearn.model_selection")
    model = pipeline.make_pipeline(WordVectorizer(path), linear_model.LogisticRegression())
    assert model.fit(TEXTS, LABELS).predict(["a sun", "the bird"]).tolist() == [0, 1]
    search = selection.GridSearchCV(model, {"wordvectorizer__weighting": ["mean", "sif"]}, cv=2).fit(TEXTS, LABELS)
    assert search.best_score_ >= 0.5
    assert list(model[:-1].get_feature_names_out()) == [f"wordvectorizer{number}" for number in range(4)]


def test_a_clone_shares_the_vectors_and_the_parameters() -> None:
    first = WordVectorizer(VECTORS, weighting="sif", a=0.5, oov="case")
    second = base.clone(first)
    assert second.get_params() == first.get_params()
    assert second.vectors is VECTORS
    assert base.clone(WordVectorizer("some/path")).vectors == "some/path"


def test_a_pickle_holds_the_path_and_not_the_matrix(path: str) -> None:
    big = WordVectors([f"w{n}" for n in range(5000)], np.ones((5000, 20), np.float32))
    big.save(path + "-big")
    for given in (path + "-big", WordVectors.load(path + "-big")):
        fitted = WordVectorizer(given, remove_component=True).fit(["w1 w2", "w3"])
        dumped = pickle.dumps(fitted)
        assert len(dumped) < 5000
        again = pickle.loads(dumped)  # noqa: S301 (our own)
        np.testing.assert_array_equal(again.transform(["w7"]), fitted.transform(["w7"]))
    with pytest.raises(InputError, match="save them and give the path"):
        pickle.dumps(WordVectorizer(VECTORS).fit(TEXTS))


def test_words_outside_the_table_are_answered_when_they_may_be() -> None:
    found = WordVectorizer(VECTORS, oov="pieces").fit_transform(["sun-moon"])
    np.testing.assert_allclose(found[0], MATRIX[[1, 2]].mean(0), rtol=1e-5)
    split = WordVectorizer(VECTORS, tokenizer=str.split).fit_transform(["sun Sun"])
    np.testing.assert_allclose(split[0], MATRIX[1], rtol=1e-5)


def test_what_cannot_be_is_refused(path: str) -> None:
    with pytest.raises(InputError, match="weighting is 'mean', 'unit' or 'sif'"):
        WordVectorizer(VECTORS, weighting="idf").fit(TEXTS)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="needs counts"):
        WordVectorizer(WordVectors(WORDS, MATRIX), weighting="sif").fit(TEXTS)
    with pytest.raises(ValueError, match="not one text"):
        WordVectorizer(VECTORS).fit("one text")
    with pytest.raises(ValueError, match="must be a string, not int"):
        WordVectorizer(VECTORS).fit([1, 2])
    with pytest.raises(pytest.importorskip("sklearn.exceptions").NotFittedError):
        WordVectorizer(VECTORS).transform(TEXTS)


def test_changed_parameters_are_taken_up_by_the_next_fit() -> None:
    model = WordVectorizer(VECTORS).fit(TEXTS)
    plain = model.transform(["the cat"])
    weighted = model.set_params(weighting="sif", a=0.01).fit(TEXTS).transform(["the cat"])
    assert not np.allclose(plain, weighted)


@pytest.mark.filterwarnings("ignore")
def test_scikit_learns_own_checks_that_fit_texts_pass() -> None:
    checks = pytest.importorskip("sklearn.utils.estimator_checks")
    model = WordVectorizer(VECTORS)
    checks.check_estimator(model)
    for name in (
        "check_no_attributes_set_in_init",
        "check_get_params_invariance",
        "check_set_params",
        "check_estimator_repr",
        "check_estimator_tags_renamed",
        "check_valid_tag_types",
    ):
        getattr(checks, name)("WordVectorizer", model)
