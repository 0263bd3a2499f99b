from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from wordstill.corpus.segment import Segmenter
from wordstill.corpus.vocabulary import Counts, Phrases, Vocabulary, VocabularySettings, read_word_list
from wordstill.errors import InputError


def counted(text: str, settings: VocabularySettings) -> Vocabulary:
    segment = Segmenter()
    counts = Counts(Phrases.of(settings.forced, segment, settings.lowercase))
    for sentence in segment(text):
        keys = counts.phrases.read(sentence)[1]
        counts.add(keys, [1] * len(keys))
    return counts.vocabulary(settings)


def as_dict(vocabulary: Vocabulary) -> dict[str, int]:
    return dict(zip(vocabulary.words, vocabulary.counts.tolist(), strict=True))


def test_words_are_in_order_of_count_and_then_of_letters() -> None:
    vocabulary = counted("b a b c a c d", VocabularySettings(min_count=2))
    assert vocabulary.words == ["a", "b", "c"]
    assert vocabulary.counts.tolist() == [2, 2, 2]


def test_the_greatest_size_counts_forced_words_too() -> None:
    settings = VocabularySettings(min_count=1, max_size=3, forced=("rare",))
    assert as_dict(counted("a a a b b c rare", settings)) == {"a": 3, "b": 2, "rare": 1}


def test_a_vocabulary_in_one_case_counts_both_cases_together() -> None:
    assert as_dict(counted("The the THE", VocabularySettings(min_count=1))) == {"the": 3}
    kept = counted("The the THE", VocabularySettings(min_count=1, lowercase=False))
    assert as_dict(kept) == {"THE": 1, "The": 1, "the": 1}


def test_phrases_are_matched_longest_first_and_keep_the_texts_own_letters() -> None:
    settings = VocabularySettings(min_count=1, forced=("new_york", "new_york_city", "york_city", "covid-19_test"))
    vocabulary = counted("x", VocabularySettings(min_count=1))
    phrases = Phrases.of(settings.forced, Segmenter(), lowercase=True)
    vocabulary = Vocabulary([*settings.forced, "x"], np.ones(5), phrases)
    (sentence,) = Segmenter()("New York City and NEW YORK and York City , COVID-19 test x")
    words, numbers = vocabulary.read(sentence)
    assert words == ["New York City", "and", "NEW YORK", "and", "York City", ",", "COVID-19 test", "x"]
    assert numbers.tolist() == [1, -1, 0, -1, 2, -1, 3, 4]


def test_a_word_that_the_segmenter_splits_is_joined_again() -> None:
    """ "Dr." is two words of the default segmenter; asked for by name it is one."""
    phrases = Phrases.of(("dr.", "1914-1918"), Segmenter(), lowercase=True)
    vocabulary = Vocabulary(["dr.", "1914-1918"], np.ones(2), phrases)
    (sentence,) = Segmenter()("Dr. Who fought 1914-1918 there")
    words, numbers = vocabulary.read(sentence)
    assert words == ["Dr.", "Who", "fought", "1914-1918", "there"]
    assert numbers.tolist() == [0, -1, -1, 1, -1]


def test_a_phrase_that_the_text_breaks_off_is_not_matched() -> None:
    phrases = Phrases.of(("new_york_city",), Segmenter(), lowercase=True)
    words, numbers = Vocabulary(["new_york_city"], np.ones(1), phrases).read(["in", "New", "York"])
    assert words == ["in", "New", "York"]
    assert numbers.tolist() == [-1, -1, -1]


letters = some.lists(some.sampled_from("a b c d".split()), max_size=30)  # noqa: SIM905


@given(letters, some.sets(some.sampled_from(["a_b", "b_c", "a_b_c", "d_d", "c_a"]), min_size=1))
def test_joining_loses_no_word_and_counting_agrees_with_reading(sentence: list[str], forced: set[str]) -> None:
    phrases = Phrases.of(sorted(forced), Segmenter(), lowercase=True)
    words, keys = phrases.join(sentence, sentence)
    assert " ".join(words).split(" ") == (sentence or [""])
    assert phrases.read(sentence) == (words, keys)


def test_no_word_often_enough_is_refused_with_what_there_is() -> None:
    with pytest.raises(InputError, match=r"seen 9 times or more \(the most frequent, 'b', 2 times\)"):
        counted("b b c", VocabularySettings(min_count=9))


def test_a_word_list_is_read_with_or_without_counts(tmp_path: Path) -> None:
    path = tmp_path / "words.tsv"
    path.write_bytes("﻿alpha\t12\r\nnew york\n\n  beta  \nalpha".encode())
    assert read_word_list(path) == ("alpha", "new_york", "beta")
    path.write_text("\n")
    with pytest.raises(InputError, match="has no word in it"):
        read_word_list(path)
    with pytest.raises(InputError, match="cannot be read"):
        read_word_list(tmp_path / "missing")
    path.write_bytes(b"caf\xe9")
    with pytest.raises(InputError, match=r"is not UTF-8 text \(byte 3\)"):
        read_word_list(path)


def test_counting_forgets_rare_words_rather_than_fill_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wordstill.corpus.vocabulary.MOST_COUNTED", 100)
    counts = Counts(Phrases())
    for number in range(500):
        counts.add([f"once{number}", "often"], [1, 1])
    assert len(counts.counter) <= 101
    assert counts.counter["often"] == 500
    assert counts.forgotten > 300
