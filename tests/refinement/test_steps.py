"""Steps in order with a card, and joined vectors."""

from __future__ import annotations

import numpy as np
import pytest
from small_spaces import made_lexicon, made_vectors

from wordstill.arrays import Array, row_norms, unit_rows
from wordstill.errors import InputError
from wordstill.refinement import Lexicon, center, combine, graph_retrofit, lay_over, refine
from wordstill.vectors import WordVectors
from wordstill.vectors.texts import text_vectors


def test_steps_are_taken_in_order_and_recorded_after_those_before() -> None:
    vectors = made_vectors()
    vectors.card = {"teacher": "t", "scores": {"ws353": 0.7}, "dimensions": 12}
    lexicon = made_lexicon(vectors)
    first = refine(vectors, ["center", "graph-retrofit"], lexicon)
    expected = graph_retrofit(center(vectors.matrix), lay_over(lexicon, vectors.key_to_index)).matrix
    np.testing.assert_allclose(unit_rows(first.matrix), unit_rows(expected), atol=1e-6)
    np.testing.assert_allclose(row_norms(first.matrix), row_norms(center(vectors.matrix)), rtol=1e-5)
    second = refine(first, ["pca"], options={"pca": {"dimensions": "3"}})
    assert second.matrix.shape == (40, 3)
    assert [step["method"] for step in second.card["refinement"]] == ["center", "graph-retrofit", "pca"]
    assert second.card["refinement"][1]["lexicon"] == "pairs"
    assert second.card["refinement"][1]["settings"]["freedom"] == 100.0
    assert second.card["refinement"][2]["settings"] == {"dimensions": 3}
    assert (second.card["teacher"], second.card["dimensions"]) == ("t", 3)
    assert "scores" not in second.card, "they were another matrix's"
    assert "refinement" not in vectors.card


def test_every_sweep_is_told_with_its_objective(caplog: pytest.LogCaptureFixture) -> None:
    vectors = made_vectors()
    with caplog.at_level("INFO", logger="wordstill"):
        refine(vectors, ["retrofit"], made_lexicon(vectors))
    lines = caplog.messages
    assert "words take part" in lines[0]
    assert [line.split(":")[1].strip() for line in lines[1:]] == [f"sweep {number}" for number in range(11)]
    assert all("objective" in line for line in lines[1:])


@pytest.mark.parametrize(
    ("methods", "options", "message"),
    [
        (["retro"], {}, "there is no method 'retro'"),
        ([], {}, "no method is named"),
        (["retrofit"], {"center": {"x": "1"}}, "'center', which is not among the methods"),
        (["retrofit"], {"retrofit": {"swoops": "1"}}, "no option 'swoops'"),
        (["retrofit"], {"retrofit": {"sweeps": "-1"}}, "retrofit.sweeps must be at least 0"),
        (["graph-retrofit"], {"graph-retrofit": {"variant": "best"}}, "one of released, paper"),
        (["graph-retrofit"], {"graph-retrofit": {"neighbors": "1"}}, "between 0 and 0.99"),
        (["center"], {}, "no method reads one"),
    ],
)
def test_what_cannot_be_done_is_refused(methods: list[str], options: dict[str, dict[str, str]], message: str) -> None:
    vectors = made_vectors()
    with pytest.raises(InputError, match=message):
        refine(vectors, methods, made_lexicon(vectors), options=options)


def test_a_method_without_its_lexicon_and_a_lexicon_of_other_words_are_refused() -> None:
    with pytest.raises(InputError, match="needs a lexicon"):
        refine(made_vectors(), ["retrofit"])
    with pytest.raises(InputError, match="no pair of pairs has a vector for both"):
        refine(made_vectors(), ["retrofit"], Lexicon.of([("haus", "heim")]))


@pytest.mark.parametrize("broken", [np.nan, np.inf, 1e30])
def test_a_vector_that_would_spoil_the_others_is_refused(broken: float) -> None:
    vectors = made_vectors()
    vectors.matrix[7, 3] = broken
    with pytest.raises(InputError, match=r"1 words have NaN.*'w07'"):
        refine(vectors, ["center"])


def test_joined_cosines_are_the_means_of_the_parts() -> None:
    first, second = made_vectors(30, 8, 1), made_vectors(40, 5, 2)
    second = second.take(reversed(second.words))
    joined = combine([first, second], [1.0, 0.5])
    assert joined.words == first.words
    assert joined.vector_size == 13
    expected = (first.similarity("w01", "w02") + 0.25 * second.similarity("w01", "w02")) / 1.25
    assert joined.similarity("w01", "w02") == pytest.approx(expected, abs=1e-6)
    assert [part["weight"] for part in joined.card["combined"]] == [1.0, 0.5]


def test_joined_vectors_are_reduced_where_asked() -> None:
    parts = [made_vectors(30, 8, 1), made_vectors(30, 8, 2)]
    whole, reduced = combine(parts), combine(parts, dimensions=16)
    np.testing.assert_allclose(reduced.matrix @ reduced.matrix.T, whole.matrix @ whole.matrix.T, atol=1e-4)
    assert combine(parts, dimensions=3).vector_size == 3


def made_with_lengths(seed: int, width: int = 8) -> WordVectors:
    """Words of which the first are frequent, and short, as in vectors whose sums are meant."""
    vectors = made_vectors(40, width, seed)
    vectors.matrix *= np.linspace(0.02, 1.0, 40, dtype=np.float32)[:, None]
    return vectors


def cosines_of_texts(vectors: WordVectors) -> Array:
    texts = [" ".join(f"w{n:02d}" for n in (place % 3, *range(place, place + 4))) for place in range(3, 36)]
    units = unit_rows(text_vectors(vectors, texts).matrix)
    return np.asarray((units @ units.T)[np.triu_indices(len(texts), 1)])


def test_joined_rows_have_the_lengths_that_make_sums_meaningful() -> None:
    first, second = made_with_lengths(1), made_with_lengths(2)
    for joined in (combine([first, second], [1.0, 0.5]), combine([first, second], dimensions=16)):
        lengths = row_norms(joined.matrix) / row_norms(joined.matrix).mean()
        expected = (row_norms(first.matrix) / row_norms(first.matrix).mean()).tolist()
        # Lengths of random rows differ a little from part to part.
        assert np.corrcoef(lengths, expected)[0, 1] > 0.9
        assert lengths[0] < 0.1
    same = combine([first, first])
    np.testing.assert_allclose(cosines_of_texts(same), cosines_of_texts(first), atol=1e-5)


def test_refining_does_not_ruin_sentence_vectors() -> None:
    vectors = made_with_lengths(3)
    before = cosines_of_texts(vectors)
    retrofitted = refine(vectors, ["graph-retrofit"], made_lexicon(vectors))
    np.testing.assert_allclose(row_norms(retrofitted.matrix), row_norms(vectors.matrix), rtol=1e-4)
    assert np.corrcoef(cosines_of_texts(retrofitted), before)[0, 1] > 0.8
    # All dimensions are kept, in another order: sums are the same.
    turned = refine(vectors, ["pca"], options={"pca": {"dimensions": "8"}})
    np.testing.assert_allclose(cosines_of_texts(turned), before, atol=1e-4)
    flat = WordVectors(vectors.words, unit_rows(vectors.matrix))
    assert np.corrcoef(cosines_of_texts(flat), before)[0, 1] < 0.9, "without the lengths texts are others"


def test_counts_and_case_come_along() -> None:
    first, second = made_vectors(5), made_vectors(5)
    second.counts = np.arange(5)
    first.card["lowercase"] = True
    joined = combine([first, second])
    assert joined.counts is not None
    assert joined.counts.tolist() == [0, 1, 2, 3, 4]
    assert joined.card["lowercase"] is True


@pytest.mark.parametrize(
    ("weights", "dimensions", "message"),
    [([1.0, 0.0], None, "weight above 0"), ([1.0, np.nan], None, "weight above 0"), ([1.0, 1.0], 25, "cannot be")],
)
def test_senseless_weights_and_dimensions_are_refused(
    weights: list[float], dimensions: int | None, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        combine([made_vectors(), made_vectors()], weights, dimensions)


def test_vectors_without_a_common_word_are_refused() -> None:
    other = WordVectors(["x"], np.ones((1, 2), np.float32))
    with pytest.raises(InputError, match="no word in common"):
        combine([made_vectors(), other])
    with pytest.raises(InputError, match="two vectors or more"):
        combine([other])
