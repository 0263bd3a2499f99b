from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from gensim.models import KeyedVectors

from wordstill import WordVectors
from wordstill.errors import InputError
from wordstill.evaluation import EvaluationSettings
from wordstill.evaluation.space import Space, make_space
from wordstill.evaluation.tasks import analogy as module
from wordstill.evaluation.tasks.analogy import (
    Asked,
    Questions,
    analogy,
    analogy_backwards,
    analogy_with_mean_vector,
    read_questions,
    solve,
)

PLACES = [("athens", "greece"), ("oslo", "norway"), ("cairo", "egypt"), ("lima", "peru"), ("rome", "italy")]


def capitals(noise: float = 0.3, others: int = 40) -> WordVectors:
    """Countries are their capital plus one offset and noise, so that some questions are right and some wrong."""
    generator = np.random.default_rng(5)
    cities = generator.standard_normal((len(PLACES), 8))
    countries = cities + generator.standard_normal(8) + noise * generator.standard_normal(cities.shape)
    words = [city for city, _ in PLACES] + [country for _, country in PLACES] + [f"w{n}" for n in range(others)]
    matrix = np.concatenate([cities, countries, generator.standard_normal((others, 8))])
    return WordVectors(words, matrix.astype(np.float32))


def questions_of(places: list[tuple[str, str]]) -> Questions:
    words = [(*one, *two) for one in places for two in places if one != two]
    return Questions(words, ["capitals"] * len(words))


def test_gensims_analogy_evaluation_gives_the_same_numbers(gensim_data: Path, tmp_path: Path) -> None:
    google = read_questions(gensim_data / "questions-words.txt")
    chosen = range(0, len(google.words), 40)
    words = sorted({word.lower() for number in chosen for word in google.words[number]})
    generator = np.random.default_rng(0)
    vectors = dict(zip(words, generator.standard_normal((len(words), 12)), strict=True))
    for number in chosen:
        one, two, three, four = (word.lower() for word in google.words[number])
        vectors[four] = vectors[two] - vectors[one] + vectors[three] + 0.8 * generator.standard_normal(12)
    words = words[::-1][len(words) // 12 :]
    keyed = KeyedVectors(12)
    keyed.add_vectors(words, np.array([vectors[word] for word in words], dtype=np.float32))
    path = tmp_path / "questions.txt"
    lines = [f": {google.sections[number]}\n{' '.join(google.words[number])}\n" for number in chosen]
    path.write_text("".join(lines), encoding="utf-8")
    space, questions = make_space("v", keyed, case="ignore"), read_questions(path)
    for unknown, outcome in ((False, analogy(space, questions)), (True, analogy(space, questions).filled())):
        theirs, _ = keyed.evaluate_word_analogies(str(path), dummy4unknown=unknown)
        assert outcome.take(outcome.covered).score() == pytest.approx(theirs, abs=1e-12)
    assert 0.1 < theirs < 0.9


@pytest.mark.parametrize("method", ["add", "multiply"])
def test_answers_are_those_of_one_question_at_a_time(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BLOCK_WORDS", 7)
    monkeypatch.setattr(module, "BATCH", 3)
    vectors = capitals(others=33)
    space = make_space("v", vectors)
    asked = [words[:3] for words in questions_of(PLACES).words]
    rows = np.array([[vectors.key_to_index[word] for word in words] for words in asked])
    found = solve(space, Asked(space.unit(np.arange(len(vectors))), rows, rows), method)  # type: ignore[arg-type]
    expected = [vectors.analogy(*words, method=method)[0][0] for words in asked]  # type: ignore[arg-type]
    assert [vectors.words[row] for row in found] == expected


def test_the_words_of_the_question_are_never_the_answer() -> None:
    # Without the rule, b itself is nearest to b - a + c where a and c are close.
    matrix = np.array([[1.0, 0.0], [0.0, 1.0], [0.99, 0.1], [0.3, 1.0]])
    space = Space("v", ["a", "b", "c", "d"], matrix)
    assert analogy(space, Questions([("a", "b", "c", "d")], ["s"])).values.tolist() == [1.0]


def test_a_question_with_a_missing_word_is_skipped_and_counted_wrong() -> None:
    questions = questions_of([*PLACES[:3], ("atlantis", "nowhere")])
    outcome = analogy(make_space("v", capitals(noise=0.0)), questions)
    assert int(outcome.covered.sum()) == 6
    assert outcome.take(outcome.covered).score() == 1.0
    assert outcome.filled().score() == 0.5


def test_only_the_first_words_are_asked_and_answer_with_top() -> None:
    outcome = analogy(make_space("v", capitals(), top=9), questions_of(PLACES))
    assert int(outcome.covered.sum()) == 12


def test_one_word_alone_answers_nothing() -> None:
    outcome = analogy(Space("v", ["athens"], np.ones((1, 3))), questions_of(PLACES))
    assert not outcome.covered.any()


def test_a_question_of_all_the_words_there_are_has_no_answer() -> None:
    space = Space("v", ["a", "b", "c"], np.eye(3))
    assert analogy(space, Questions([("a", "b", "c", "a")], ["s"])).values.tolist() == [0.0]


def test_of_equal_scores_the_earlier_word_wins() -> None:
    matrix = np.array([[1.0, 0, 0], [0, 1.0, 0], [0, 0, 1.0], [0, 1, 1], [0, 2, 2]])
    space = Space("v", ["a", "b", "c", "d", "e"], matrix)
    rows = np.array([[0, 1, 2]])
    assert solve(space, Asked(space.unit(np.arange(5)), rows, rows)).tolist() == [3]


def test_broken_rows_never_answer() -> None:
    vectors = capitals(noise=0.0)
    matrix = vectors.matrix.copy()
    matrix[12], matrix[13] = np.nan, 0.0
    outcome = analogy(Space("v", vectors.words, matrix), questions_of(PLACES))
    kept = [row for row in range(len(vectors)) if row not in (12, 13)]
    without = Space("v", [vectors.words[row] for row in kept], matrix[kept])
    np.testing.assert_array_equal(outcome.values, analogy(without, questions_of(PLACES)).values)


def test_another_rule_is_refused() -> None:
    with pytest.raises(InputError, match="--method is one of add, multiply"):
        EvaluationSettings(method="divide")  # type: ignore[arg-type]


def test_muse_asks_for_the_third_word() -> None:
    vectors = capitals()
    questions = questions_of(PLACES)
    units = vectors.matrix / np.linalg.norm(vectors.matrix, axis=1, keepdims=True)
    right = []
    for one, two, three, four in ([vectors.key_to_index[word] for word in words] for words in questions.words):
        scores = units @ (units[one] - units[two] + units[four])
        scores[[one, two, four]] = -np.inf
        right.append(float(scores.argmax() == three))
    assert analogy_backwards(make_space("v", vectors), questions).values.tolist() == right
    assert np.mean(right) > 0


def test_web_asks_with_the_mean_vector_and_counts_every_question() -> None:
    vectors = capitals()
    questions = questions_of([*PLACES, ("atlantis", "nowhere")])
    units = vectors.matrix / np.linalg.norm(vectors.matrix, axis=1, keepdims=True)
    table = dict(zip(vectors.words, units, strict=True))
    right = []
    for one, two, three, four in questions.words:
        query = table.get(two, units.mean(0)) - table.get(one, units.mean(0)) + table.get(three, units.mean(0))
        scores = units @ query
        scores[[vectors.words.index(word) for word in (one, two, three) if word in table]] = -np.inf
        right.append(float(vectors.words[scores.argmax()] == four))
    found = analogy_with_mean_vector(make_space("v", vectors, case="lowered"), questions)
    assert found.values.tolist() == right
