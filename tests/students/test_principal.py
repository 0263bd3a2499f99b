from __future__ import annotations

import numpy as np
from made import made_batch, made_brief, made_sentences

from wordstill.arrays import Array
from wordstill.students.principal import Principal, PrincipalSettings


def occurrences(sentences: list[tuple[Array, object]], number: int) -> Array:
    return np.array(
        [v for matrix, words in sentences for v, w in zip(matrix, words, strict=True) if w == number],  # type: ignore[call-overload]
        dtype=np.float64,
    )


def learned(sentences: list[tuple[Array, object]]) -> Principal:
    student = Principal(made_brief(), PrincipalSettings())
    for low in range(0, len(sentences), 7):
        student.observe(made_batch(sentences[low : low + 7]))  # type: ignore[arg-type]
    return student


def test_it_is_near_the_first_right_singular_vector_and_along_the_mean() -> None:
    sentences: list[tuple[Array, object]] = [one for seed in range(60) for one in made_sentences(seed=seed)]
    vectors = learned(sentences).vectors()
    for number, word in enumerate(vectors.words):
        held = occurrences(sentences, number)
        exact = np.linalg.svd(held, full_matrices=False)[2][0]
        exact *= np.sign(exact @ held.mean(axis=0))
        assert vectors[word] @ exact > 0.999
        np.testing.assert_allclose(np.linalg.norm(vectors[word]), 1.0, rtol=1e-5)


def test_every_occurrence_makes_one_step_of_the_power_method() -> None:
    sentences: list[tuple[Array, object]] = list(made_sentences() + made_sentences(seed=1))
    student = learned(sentences)
    for number in range(7):
        first, *others = occurrences(sentences, number)
        estimate = first * np.linalg.norm(first)
        for vector in others:
            estimate = estimate + vector * (vector @ estimate) / np.linalg.norm(estimate)
        np.testing.assert_allclose(student.table[number], estimate, rtol=1e-4)


def test_the_sign_follows_the_occurrences_even_if_the_first_one_points_away() -> None:
    student = Principal(made_brief(), PrincipalSettings())
    vectors = np.tile(np.array([[2.0, 1.0, 0.0, 0.0, 0.0]], dtype=np.float32), (6, 1))
    vectors[0] *= -1
    student.observe(made_batch([(vectors, (0,) * 6)]))
    assert student.vectors()["w0"] @ vectors[1] > 0


def test_a_state_that_is_loaded_goes_on_to_the_same_bytes() -> None:
    student, resumed = learned(list(made_sentences())), learned([])
    resumed.load_state_dict({name: array.copy() for name, array in student.state_dict().items()})
    for one in (student, resumed):
        one.observe(made_batch(made_sentences(seed=4)))
    assert student.vectors().matrix.tobytes() == resumed.vectors().matrix.tobytes()


def test_words_never_seen_or_always_zero_are_no_trouble() -> None:
    student = Principal(made_brief(), PrincipalSettings())
    student.observe(made_batch([(np.zeros((2, 5), dtype=np.float32), (1, -1))]))
    vectors = student.vectors()
    assert vectors.words == ["w1"]
    assert np.isfinite(vectors.matrix).all()
