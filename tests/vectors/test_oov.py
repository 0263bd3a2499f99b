"""Words outside the table: case, pieces, and the model of spellings."""

from __future__ import annotations

import zlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from wordstill.errors import InputError
from wordstill.formats import save
from wordstill.vectors import WordVectors, subwords
from wordstill.vectors.oov import known_parts, rules_of

WORDS = ["sun", "flower", "Paris", "work", "shop", "the", "ness"]
CODES = np.random.default_rng(6).standard_normal((4096, 3)).astype(np.float16)
VECTORS = WordVectors(WORDS, np.eye(7, dtype=np.float32), range(7, 0, -1))


def test_another_case_answers_when_it_may() -> None:
    assert VECTORS.get("PARIS") is None
    np.testing.assert_array_equal(VECTORS.get("PARIS", oov="case"), VECTORS["Paris"])
    np.testing.assert_array_equal(VECTORS.get_vector("Sun", oov=["case"]), VECTORS["sun"])
    with pytest.raises(KeyError, match="'Sum' has no vector"):
        VECTORS.get_vector("Sum", oov="case")


@pytest.mark.parametrize(
    ("word", "parts"),
    [
        ("sun-flower", ["sun", "flower"]),
        ("SUN_moon flower", ["sun", "flower"]),
        ("workshop", ["work", "shop"]),
        ("reworkshop", ["work", "shop"]),
        ("sunless", []),  # three letters are no evidence
        ("workaholically", []),  # less than half is known
        ("", []),
        ("-", []),
        ("x" * 1_000_000, []),
    ],
)
def test_pieces_are_what_is_between_hyphens_or_else_known_words(word: str, parts: list[str]) -> None:
    assert known_parts(VECTORS, word) == parts


def test_rules_are_tried_in_their_order_and_unknown_ones_refused() -> None:
    both = VECTORS.get("Sun-Flower", oov="case,pieces")
    np.testing.assert_allclose(both, (VECTORS["sun"] + VECTORS["flower"]) / 2)
    assert VECTORS.get("zzz", oov="case, pieces") is None
    assert rules_of(None) == rules_of("") == ()
    with pytest.raises(InputError, match="oov is a list of case, pieces, subwords, not 'magic'"):
        VECTORS.get("zzz", oov="magic")
    with pytest.raises(InputError, match="these vectors have no model of spellings"):
        VECTORS.get("zzz", oov="subwords")


def test_queries_take_words_outside_the_table() -> None:
    assert VECTORS.similarity("SUN", "Sun-Flower", oov="case,pieces") == pytest.approx(0.5**0.5)
    assert VECTORS.most_similar("workshop", topn=2, oov="pieces")[0][0] in ("work", "shop")
    assert VECTORS.doesnt_match(["SUN", "sun", "Paris"], oov="case") == "Paris"


def spelled(number: int) -> WordVectors:
    """Words of a stem and an ending, whose vectors are the sum of those of both."""
    rng = np.random.default_rng(3)
    letters = list("abcdefghijklmnop")
    stems = ["".join(rng.choice(letters, 5)) for _ in range(60)]
    endings = ["ing", "ness", "able", "ment", "ship", "less"]
    parts = {part: rng.standard_normal(24) for part in (*stems, *endings)}
    words = [stem + ending for stem in dict.fromkeys(stems) for ending in endings]
    chosen = rng.permutation(len(words))[:number]
    matrix = np.array([parts[words[at][:5]] + parts[words[at][5:]] for at in chosen])
    return WordVectors([words[at] for at in chosen], matrix.astype(np.float32))


def test_spellings_tell_the_vectors_of_words_that_were_hidden() -> None:
    everything = spelled(360)
    known, hidden = everything.words[:300], everything.words[300:]
    model = subwords.fit_subwords(everything.take(known))
    cosines = [
        float(np.dot(model.vector(word), everything[word]))
        / float(np.linalg.norm(model.vector(word)) * np.linalg.norm(everything[word]))
        for word in hidden
    ]
    assert np.mean(cosines) > 0.85


def test_the_regression_is_what_a_dense_solution_gives() -> None:
    vectors = spelled(40)
    model = subwords.fit_subwords(vectors, ridge=0.5)
    buckets = len(model.codes)
    grams = np.zeros((len(vectors), buckets))
    for row, word in enumerate(vectors.words):
        found = subwords.ngrams(word, buckets)
        np.add.at(grams[row], found, 1 / np.sqrt(len(found)))
    trust = np.full(len(vectors), 2 / 7)
    unit = vectors.matrix / np.linalg.norm(vectors.matrix, axis=1, keepdims=True)
    targets = unit * np.linalg.norm(vectors.matrix, axis=1).mean() - model.mean
    normal = (grams.T * trust) @ grams + 0.5 * np.eye(buckets)
    expected = grams @ np.linalg.solve(normal, (grams.T * trust) @ targets) + model.mean
    ours = np.stack([model.vector(word) for word in vectors.words])
    np.testing.assert_allclose(ours, expected, atol=0.02)


@given(st.lists(st.text(st.characters(), max_size=120), max_size=8))
@example(["", "a", "", "straße", "日本語の単語", "x" * 200, "é" * 200, "𝒳yz\ud800q", "\0ab"])
@example(["", ""])
@example(["plain", "ascii", "words"])
def test_many_words_have_the_spellings_that_each_has_by_itself(words: list[str]) -> None:
    found, starts = subwords.ngrams_of(words, 4096)
    assert len(starts) == len(words) + 1
    for place, word in enumerate(words):
        text = f"<{word[:100]}>"
        cut = [text[at : at + size] for size in range(3, 7) for at in range(len(text) - size + 1)]
        expected = sorted(zlib.crc32(gram.encode("utf-8", "surrogatepass")) % 4096 for gram in cut)
        assert sorted(found[starts[place] : starts[place + 1]].tolist()) == expected
        assert sorted(subwords.ngrams(word, 4096).tolist()) == expected
    model = subwords.Subwords(CODES, np.eye(3, 5, dtype=np.float32), np.ones(5, np.float32))
    np.testing.assert_allclose(
        model.vectors(words), np.array([model.vector(word) for word in words]).reshape(-1, 5), rtol=1e-4, atol=1e-5
    )


def test_one_thread_and_two_fit_the_same_spellings() -> None:
    numba = pytest.importorskip("numba")
    if numba.config.NUMBA_NUM_THREADS < 2:
        pytest.skip("one core")
    vectors = spelled(300)
    wide = WordVectors(vectors.words, np.random.default_rng(0).standard_normal((300, 70)).astype(np.float32))
    before = numba.get_num_threads()
    made = []
    try:
        for threads in (1, 2):
            numba.set_num_threads(threads)
            made.append(subwords.fit_subwords(wide))
    finally:
        numba.set_num_threads(before)
    np.testing.assert_array_equal(made[0].codes, made[1].codes)


@given(st.text(max_size=200))
def test_any_text_has_a_spelling(word: str) -> None:
    model = subwords.Subwords(np.ones((64, 2), np.float16), np.eye(2, dtype=np.float32), np.zeros(2, np.float32))
    assert np.isfinite(model.vector(word)).all()
    buckets = subwords.ngrams(word, 64)
    assert ((buckets >= 0) & (buckets < 64)).all()


def test_the_model_is_stored_with_the_vectors_and_small(tmp_path: Path) -> None:
    vectors = spelled(200)
    vectors.subwords = subwords.fit_subwords(vectors)
    save(vectors, tmp_path / "v")
    read = WordVectors.load(tmp_path / "v")
    assert read.subwords is not None
    np.testing.assert_array_equal(read.get("unheard", oov="subwords"), vectors.subwords.vector("unheard"))
    assert (tmp_path / "v" / subwords.FILE).stat().st_size < vectors.subwords.bytes + 1000
    assert read.take(["".join(read.words[0])]).subwords is read.subwords
    assert read.map(lambda matrix: matrix * 2).subwords is None  # another space
    vectors.subwords.save(tmp_path / "w")
    with pytest.raises(InputError, match="does not belong to vectors of 23 dimensions"):
        subwords.load_subwords(tmp_path / "w", 23)
    assert subwords.load_subwords(tmp_path, 24) is None


def test_vectors_without_a_direction_have_no_spellings() -> None:
    with pytest.raises(InputError, match="needs words with vectors"):
        subwords.fit_subwords(WordVectors(["a", "b"], np.zeros((2, 3))))
    one = subwords.fit_subwords(WordVectors(["a", "b"], np.array([[0.0, 0.0], [1.0, 2.0]])))
    assert np.isfinite(one.vector("c")).all()
