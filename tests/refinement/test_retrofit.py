"""Retrofitting against the closed form, and against loops over words written as the papers write them."""

from __future__ import annotations

from itertools import pairwise

import mpmath
import numpy as np
import pytest
from small_spaces import made_lexicon, made_vectors, neighbors_of

from reference import retrofit as literal
from wordstill.arrays import Array, row_norms
from wordstill.kernels.retrofit import weigh
from wordstill.refinement import Lexicon, graph_retrofit, lay_over, retrofit
from wordstill.refinement.graph_retrofit import GraphRetrofitSettings
from wordstill.refinement.retrofit import RetrofitSettings
from wordstill.refinement.retrofitting import STRETCHES, log_constant
from wordstill.vectors import WordVectors


def lengths_undone(refined: Array, vectors: WordVectors) -> Array:
    """Retrofitting is over unit-length rows, and words get their lengths back: without these."""
    return np.asarray(refined / row_norms(vectors.matrix)[:, None])


def test_the_fixed_point_of_retrofit_solves_its_linear_system() -> None:
    vectors = made_vectors()
    lexicon = made_lexicon(vectors)
    neighbors = neighbors_of(lexicon, vectors)
    size = len(vectors)
    adjacency = np.zeros((size, size))
    for word, others in neighbors.items():
        for other in others:
            adjacency[vectors.key_to_index[word], vectors.key_to_index[other]] = 1.0
    degrees = np.diag(adjacency.sum(axis=1))
    # Words without neighbors: 1 q = 1 q0.
    alone = np.diag((adjacency.sum(axis=1) == 0).astype(float))
    unit = vectors.matrix / np.linalg.norm(vectors.matrix, axis=1, keepdims=True)
    solution = np.linalg.solve(2 * degrees - adjacency + alone, (degrees + alone) @ unit)
    settled = retrofit(vectors.matrix, lay_over(lexicon, vectors.key_to_index), RetrofitSettings(sweeps=100))
    np.testing.assert_allclose(lengths_undone(settled.matrix, vectors), solution, atol=2e-6)
    assert len(settled.moved) < 100, "the words come to rest long before"


def test_the_objective_of_retrofit_falls_to_that_of_the_solution() -> None:
    vectors = made_vectors()
    graph = lay_over(made_lexicon(vectors), vectors.key_to_index)
    objective = retrofit(vectors.matrix, graph).objective
    assert len(objective) == 11
    assert all(after < before for before, after in pairwise(objective))


def test_the_objective_is_the_formula_of_the_docstring() -> None:
    vectors = made_vectors()
    lexicon = made_lexicon(vectors)
    settled = retrofit(vectors.matrix, lay_over(lexicon, vectors.key_to_index), RetrofitSettings(sweeps=3))
    unit = literal.unit_vectors({word: vectors[word] for word in vectors})
    refined = dict(zip(vectors.words, lengths_undone(settled.matrix, vectors), strict=True))
    expected = 0.0
    for word, others in neighbors_of(lexicon, vectors).items():
        expected += 0.5 * len(others) * float(np.sum((refined[word] - unit[word]) ** 2))
        expected += 0.25 * sum(float(np.sum((refined[word] - refined[other]) ** 2)) for other in others)
    assert settled.objective[-1] == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("variant", ["released", "paper"])
@pytest.mark.parametrize("freedom", [1.0, 100.0])
def test_graph_retrofit_equals_a_literal_loop(variant: str, freedom: float) -> None:
    vectors = made_vectors()
    lexicon = made_lexicon(vectors)
    expected = literal.graph_retrofit(
        {word: vectors[word] for word in vectors}, neighbors_of(lexicon, vectors), 10, variant, freedom
    )
    settings = GraphRetrofitSettings(variant=variant, freedom=freedom)  # type: ignore[arg-type]
    settled = graph_retrofit(vectors.matrix, lay_over(lexicon, vectors.key_to_index), settings)
    np.testing.assert_allclose(
        lengths_undone(settled.matrix, vectors), np.array([expected[word] for word in vectors.words]), atol=2e-6
    )
    assert len(settled.objective) == len(settled.moved) + 1


def test_retrofit_equals_a_literal_loop() -> None:
    vectors = made_vectors()
    lexicon = made_lexicon(vectors)
    expected = literal.retrofit({word: vectors[word] for word in vectors}, neighbors_of(lexicon, vectors))
    settled = retrofit(vectors.matrix, lay_over(lexicon, vectors.key_to_index))
    np.testing.assert_allclose(
        lengths_undone(settled.matrix, vectors), np.array([expected[word] for word in vectors.words]), atol=2e-6
    )


def test_words_in_turn_come_to_the_same_place() -> None:
    """The authors' code lets a word see those changed before it in the same sweep; at rest it is the same."""
    vectors = made_vectors()
    lexicon = made_lexicon(vectors)
    neighbors = neighbors_of(lexicon, vectors)
    expected = literal.graph_retrofit({word: vectors[word] for word in vectors}, neighbors, 60, in_turn=True)
    settings = GraphRetrofitSettings(sweeps=60)
    settled = graph_retrofit(vectors.matrix, lay_over(lexicon, vectors.key_to_index), settings)
    np.testing.assert_allclose(
        lengths_undone(settled.matrix, vectors), np.array([expected[word] for word in vectors.words]), atol=3e-6
    )


@pytest.mark.parametrize("variant", ["released", "paper"])
def test_weights_equal_the_literal_formula_where_that_does_not_overflow(variant: str) -> None:
    distances = [0.0, 0.3, 0.9, 1.41, 2.0]
    for freedom in range(1, 342):
        weights = np.array(distances) ** 2
        weigh(weights, float(freedom), 0.7, log_constant(freedom), variant == "released")
        np.testing.assert_allclose(weights, literal.literal_weights(distances, freedom, 0.7, variant), rtol=1e-11)


def test_where_the_literal_formula_overflows_weights_do_not() -> None:
    with pytest.raises(OverflowError):
        literal.literal_weights([1.0], 343, 1.0, "paper")
    for freedom in (342, 1000, 5000, 10_000):
        weights = np.array([1.0, 2.0])
        weigh(weights, float(freedom), 1.0, log_constant(freedom), False)
        with mpmath.workdps(50):
            nu = mpmath.mpf(freedom)
            constant = (
                2 * mpmath.pi * (mpmath.gamma((nu + 1) / 2) / (mpmath.sqrt(nu * mpmath.pi) * mpmath.gamma(nu / 2))) ** 2
            )
            exact = [float(constant * (1 + square / nu) ** -(nu + 1) / 2) for square in (1, 2)]
        np.testing.assert_allclose(weights, exact, rtol=1e-9)
        assert 0 < np.exp(log_constant(freedom)) < 1


def test_released_weights_sum_to_one_even_where_every_kernel_underflows() -> None:
    weights = np.array([3.0, 3.0001])
    weigh(weights, 1e4, 1e-4, log_constant(1e4), True)
    assert weights.sum() == pytest.approx(1.0)
    assert weights[0] > weights[1] > 0


@pytest.mark.parametrize("method", [retrofit, graph_retrofit])
def test_the_order_of_words_and_of_pairs_does_not_change_a_bit(method: object) -> None:
    vectors = made_vectors()
    lexicon = made_lexicon(vectors)
    antonyms = Lexicon.of([("w01", "w02"), ("w03", "w20")])
    expected = WordVectors(
        vectors.words,
        method(vectors.matrix, lay_over(lexicon, vectors.key_to_index, antonyms)).matrix,  # type: ignore[operator]
    )
    generator = np.random.default_rng(5)
    for _ in range(3):
        mixed = vectors.take([vectors.words[row] for row in generator.permutation(len(vectors))])
        pairs = list(lexicon.pairs())
        again = Lexicon.of([pairs[place][::-1] for place in generator.permutation(len(pairs))])
        graph = lay_over(again, mixed.key_to_index, antonyms)
        refined = WordVectors(mixed.words, method(mixed.matrix, graph).matrix)  # type: ignore[operator]
        assert (refined[vectors.words] == expected.matrix).all()


def test_the_number_of_threads_does_not_change_a_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    vectors = made_vectors(400, 20)
    graph = lay_over(made_lexicon(vectors, 900), vectors.key_to_index, Lexicon.of([("w01", "w02"), ("w10", "w50")]))
    made = []
    for threads in (1, 2, 5):
        monkeypatch.setattr("wordstill.refinement.retrofitting.usable_cores", lambda number=threads: number)
        made.append(graph_retrofit(vectors.matrix, graph))
    assert all((one.matrix == made[0].matrix).all() for one in made)
    assert all(one.objective == made[0].objective for one in made)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_words_without_neighbors_are_unchanged_to_the_bit(dtype: type) -> None:
    vectors = made_vectors()
    matrix = vectors.matrix.astype(dtype)
    matrix.flags.writeable = False  # as a memory map is
    graph = lay_over(made_lexicon(vectors), vectors.key_to_index)
    refined = graph_retrofit(matrix, graph).matrix
    untouched = np.setdiff1d(np.arange(len(vectors)), graph.rows)
    assert len(untouched) >= 5
    assert refined.dtype == dtype
    assert refined[untouched].tobytes() == matrix[untouched].tobytes()
    assert (refined[graph.rows] != matrix[graph.rows]).any(axis=1).all()


@pytest.mark.parametrize("order", ["C", "F"])
def test_quantized_vectors_and_any_layout_are_taken(order: str) -> None:
    vectors = made_vectors()
    matrix = np.asarray(np.rint(20 * vectors.matrix), np.int8, order=order)  # type: ignore[call-overload]
    graph = lay_over(made_lexicon(vectors), vectors.key_to_index)
    refined = graph_retrofit(matrix, graph).matrix
    np.testing.assert_allclose(refined, graph_retrofit(matrix.astype(np.float64), graph).matrix, atol=1e-4)


def test_lengths_do_not_matter_to_directions_and_come_back() -> None:
    vectors = made_vectors()
    graph = lay_over(made_lexicon(vectors), vectors.key_to_index)
    refined = graph_retrofit(vectors.matrix, graph).matrix
    longer = np.linspace(0.1, 30.0, len(vectors), dtype=np.float32)[:, None]
    np.testing.assert_allclose(graph_retrofit(vectors.matrix * longer, graph).matrix, refined * longer, rtol=1e-4)


def test_a_zero_vector_gets_the_direction_of_its_neighbors() -> None:
    matrix = np.array([[0.0, 0.0], [3.0, 0.0], [0.0, 2.0]], np.float32)
    graph = lay_over(Lexicon.of([("a", "b")]), {"a": 0, "b": 1, "c": 2})
    refined = retrofit(matrix, graph).matrix
    assert np.isfinite(refined).all()
    assert refined[0, 0] > 0
    assert refined[0, 1] == 0


def test_antonyms_are_pushed_apart_and_others_stay() -> None:
    vectors = WordVectors(
        ["hot", "cold", "warm", "far"], np.array([[1, 0.1, 0], [1, 0.2, 0.1], [1, 0, 0.2], [0, 0, 1]], np.float32)
    )
    synonyms, antonyms = Lexicon.of([("hot", "warm"), ("hot", "cold")]), Lexicon.of([("cold", "hot")])

    def cosine(push: float) -> float:
        graph = lay_over(synonyms, vectors.key_to_index, antonyms)
        refined = retrofit(vectors.matrix, graph, RetrofitSettings(push=push)).matrix
        assert (refined[3] == vectors.matrix[3]).all()
        return WordVectors(vectors.words, refined).similarity("hot", "cold")

    assert cosine(0.0) == pytest.approx(vectors.similarity("hot", "cold"), abs=0.02)
    assert cosine(0.25) < cosine(0.0)
    assert cosine(0.5) < 0.9


def test_a_push_takes_away_what_antonyms_share() -> None:
    """One pair without synonyms: u - p |u| cos v/|v| for each, once, from the original vectors."""
    matrix = np.array([[1.0, 0.0], [0.8, 0.6]], np.float32)
    graph = lay_over(Lexicon.of([("x", "y")]), {"a": 0, "b": 1}, Lexicon.of([("a", "b")]))
    refined = retrofit(matrix, graph, RetrofitSettings(sweeps=1, push=0.5)).matrix
    np.testing.assert_allclose(refined, [matrix[0] - 0.4 * matrix[1], matrix[1] - 0.4 * matrix[0]], atol=1e-6)


def test_a_lexicon_of_one_pair_and_one_of_a_hub_are_shared_out_to_threads_whole() -> None:
    words = ["hub", *(f"n{number}" for number in range(3 * STRETCHES))]
    matrix = np.random.default_rng(0).standard_normal((len(words), 4)).astype(np.float32)
    index = {word: row for row, word in enumerate(words)}
    unit = matrix / np.linalg.norm(matrix, axis=1, keepdims=True)
    for pairs in ([("hub", "n3")], [("hub", word) for word in words[1:]]):
        refined = retrofit(matrix, lay_over(Lexicon.of(pairs), index), RetrofitSettings(sweeps=1)).matrix
        others = [index[second] for _, second in pairs]
        expected = np.linalg.norm(matrix[0]) * (unit[0] + unit[others].mean(axis=0)) / 2
        np.testing.assert_allclose(refined[0], expected, atol=1e-5)
        np.testing.assert_allclose(
            refined[others], np.linalg.norm(matrix[others], axis=1)[:, None] * (unit[others] + unit[0]) / 2, atol=1e-5
        )
