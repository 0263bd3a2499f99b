"""Looking up the words of texts."""

from __future__ import annotations

import numpy as np

from wordstill import WordVectors
from wordstill.evaluation.downstream.words import look_up
from wordstill.evaluation.space import make_space
from wordstill.vectors.subwords import fit_subwords

WORDS = ["don't", "do", "film", "good", "'s"]
VECTORS = WordVectors(WORDS, np.arange(1.0, 16.0).reshape(5, 3).astype(np.float32))


def test_clitics_are_put_back_only_where_the_whole_is_known_and_the_part_is_not() -> None:
    space = make_space("v", VECTORS)
    table = look_up(space, [[("do", "n't", "good"), ("do", "n", "'t"), ("film", "'s", "odd")]], "zeros")
    known = [[WORDS[table.places[row]] if table.places[row] >= 0 else "-" for row in text] for text in table.rows[0]]
    assert known == [["don't", "good"], ["don't"], ["film", "'s", "-"]]
    assert table.coverage() == (6, 5)
    apart = look_up(space, [[("do", "n't")]], "zeros", whole=False)
    assert [len(row) for row in apart.rows[0]] == [2]


def test_vectors_keep_their_directions_and_get_one_common_scale() -> None:
    table = look_up(make_space("v", VECTORS), [[("do", "film", "good")]], "zeros")
    assert np.mean(table.matrix[1:] ** 2) == np.float32(1.0)
    assert not table.matrix[0].any()
    ratio = table.matrix[1:] / VECTORS.matrix[1:4]
    np.testing.assert_allclose(ratio, ratio[0, 0], rtol=1e-5)
    larger = WordVectors(WORDS, VECTORS.matrix * 1000)
    np.testing.assert_allclose(
        look_up(make_space("v", larger), [[("do", "film", "good")]], "zeros").matrix, table.matrix, rtol=1e-5
    )


def test_the_mean_of_the_sets_words_is_subtracted_where_it_is_asked_for_and_padding_stays_zero() -> None:
    texts = [[("do", "film", "good", "odd")]]
    given, centred = (look_up(make_space("v", VECTORS), texts, "zeros", origin=one) for one in ("zero", "mean"))
    assert not centred.matrix[0].any()
    np.testing.assert_allclose(centred.matrix[1:].mean(axis=0), 0, atol=1e-6)
    apart = given.matrix[1:] - given.matrix[1:].mean(axis=0)
    np.testing.assert_allclose(centred.matrix[1:], apart / np.sqrt(np.mean(apart**2)), rtol=1e-4, atol=1e-5)


def test_vectors_with_a_model_of_spellings_answer_for_other_words_themselves() -> None:
    generator = np.random.default_rng(0)
    words = [f"word{number}" for number in range(200)]
    vectors = WordVectors(words, generator.standard_normal((200, 8)).astype(np.float32))
    vectors.subwords = fit_subwords(vectors)
    space = make_space("v", vectors)
    own, zeros = (look_up(space, [[("word1", "zzyzx")]], rule) for rule in ("own", "zeros"))
    assert own.rows[0][0].min() > 0
    assert zeros.rows[0][0].tolist()[1] == 0
    # What a rule made is no vector of the word's own.
    assert own.coverage() == zeros.coverage() == (2, 1)
