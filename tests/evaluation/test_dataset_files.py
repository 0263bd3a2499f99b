from __future__ import annotations

import contextlib
import tracemalloc
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordstill.errors import InputError
from wordstill.evaluation.dataset_loading import recognized_task
from wordstill.evaluation.space import Space
from wordstill.evaluation.tasks.analogy import _parts, analogy, read_question_table, read_questions
from wordstill.evaluation.tasks.categorization import read_categories
from wordstill.evaluation.tasks.relations import read_relations
from wordstill.evaluation.tasks.similarity import read_pairs

# A word of a tab-separated file: anything but line ends and tabs, and no comment.
WORD = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=8).filter(
    lambda word: word.strip() == word and not word.startswith(("#", ":", "\ufeff"))
)


def written(folder: Path, text: str, name: str = "own.txt") -> Path:
    path = folder / name
    path.write_bytes(text.encode("utf-8"))
    return path


@given(rows=st.lists(st.tuples(WORD, WORD, st.floats(-100, 100)), min_size=1), end=st.sampled_from(["\n", "\r\n"]))
def test_any_words_survive_a_file_of_pairs(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str, float]], end: str
) -> None:
    text = "".join(f"{first}\t{second}\t{score!r}{end}" for first, second, score in rows)
    pairs = read_pairs(written(tmp_path_factory.mktemp("pairs"), text))
    assert list(zip(pairs.first, pairs.second, pairs.gold.tolist(), strict=True)) == rows


@given(rows=st.lists(st.tuples(WORD, WORD, WORD, WORD), min_size=1))
def test_any_words_survive_a_file_of_questions(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str, str, str]]
) -> None:
    text = ": one\n" + "".join("\t".join(row) + "\n" for row in rows)
    questions = read_questions(written(tmp_path_factory.mktemp("questions"), text))
    assert questions.words == rows
    assert set(questions.sections) == {"one"}


@given(st.binary(max_size=200))
def test_no_bytes_make_a_reader_crash(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    path = tmp_path_factory.mktemp("bytes") / "own.csv"
    path.write_bytes(content)
    readers = (read_pairs, read_questions, read_question_table, read_categories)
    for reader in (*readers, recognized_task):
        with contextlib.suppress(InputError):
            reader(path)


def test_the_score_is_the_first_number_after_two_words(tmp_path: Path) -> None:
    text = "word1\tword2\tPOS\tscore\tother\r\nold\tnew\tA\t1.58\t2.72\r\n"
    assert read_pairs(written(tmp_path, text)).gold.tolist() == [1.58]


def test_commas_blanks_comments_and_a_byte_order_mark_are_read(tmp_path: Path) -> None:
    text = "\ufeff# a comment\n\nsun light 5\nmoon,night,4.5\n"
    pairs = read_pairs(written(tmp_path, text))
    assert (pairs.first, pairs.second, pairs.gold.tolist()) == (["sun", "moon"], ["light", "night"], [5.0, 4.5])


@pytest.mark.parametrize(
    ("reader", "text", "expected"),
    [
        (read_pairs, "a b 1\nc d\n", "line 2: expected two words and a score"),
        (read_pairs, "a b 1\nc d nan\n", "line 2"),
        (read_pairs, "", "no word pairs"),
        (read_questions, ": s\na b c\n", "line 2: expected four words"),
        (read_questions, ": s\n", "no questions"),
        (read_question_table, "type,word1\nx,y\n", "no column 'word2'"),
        (read_categories, "dog animal\ncat\n", "line 2"),
        (read_categories, "", "no words"),
        (recognized_task, "alone\n", "no data set"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, reader: object, text: str, expected: str) -> None:
    with pytest.raises(InputError, match=expected):
        reader(written(tmp_path, text))  # type: ignore[operator]


def test_a_file_that_is_not_utf8_or_not_there_is_refused(tmp_path: Path) -> None:
    (tmp_path / "latin.txt").write_bytes("café x 1\n".encode("latin-1"))
    with pytest.raises(InputError, match="not UTF-8"):
        read_pairs(tmp_path / "latin.txt")
    with pytest.raises(InputError, match="cannot be read"):
        read_pairs(tmp_path / "absent.txt")


def test_rows_without_a_word_are_dropped_and_noun_marks_cut(tmp_path: Path) -> None:
    text = "word,class,class2\nchicken_N,bird,animal\n,bird,animal\neagle_N,bird,animal\n"
    assert read_categories(written(tmp_path, text)).words == ["chicken", "eagle"]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("# c\na b 3\n", "similarity"),
        ("old\tnew\tA\t1.58\n", "similarity"),
        (": s\na b c d\n", "analogy"),
        ("a b c d\n", "analogy"),
        ("dog animal\n", "categorization"),
        (",category,word\n", "categorization"),
    ],
)
def test_the_first_line_tells_the_kind(tmp_path: Path, text: str, kind: str) -> None:
    assert recognized_task(written(tmp_path, text)) == kind


@pytest.mark.parametrize(
    ("name", "pairs"),
    [
        ("EN-RG-65.txt", 65),
        ("EN-WS-353-ALL.txt", 353),
        ("EN-WS-353-SIM.txt", 203),
        ("EN-WS-353-REL.txt", 252),
        ("SimLex-999.txt", 999),
        ("SimVerb-3500.txt", 3500),
        ("rw.txt", 2034),
        ("MEN_dataset_natural_form_full", 3000),
    ],
)
def test_the_published_similarity_files_are_read_whole(shared_data: Path, name: str, pairs: int) -> None:
    assert len(read_pairs(shared_data / "similarity" / name).gold) == pairs


def test_the_published_analogy_files_are_read_whole(shared_data: Path) -> None:
    google = read_questions(shared_data / "analogy" / "questions-words.txt")
    assert len(google.words) == 19_544
    assert sum(not name.startswith("gram") for name in google.sections) == 8_869
    assert len(read_question_table(shared_data / "analogy" / "msr.csv").words) == 8_000


def test_the_published_relations_are_read_whole(shared_data: Path) -> None:
    relations = read_relations(shared_data / "analogy" / "semeval2012-task2")
    assert Counter(relation.training for relation in relations) == {False: 69, True: 10}
    named = {relation.name: relation.prototypes for relation in relations}
    assert named["1a"] == [("flower", "tulip"), ("emotion", "rage"), ("poem", "sonnet")]
    assert all(" " not in word for prototypes in named.values() for pair in prototypes for word in pair)
    assert all(len(relation.pairs) == len(relation.gold) == len(relation.gold_text) for relation in relations)


@pytest.mark.parametrize(
    ("name", "words", "classes"),
    [
        ("word-categorization_ap.csv", 402, 21),
        ("word-categorization_battig.csv", 5231, 56),
        ("esslli08_nouns.csv", 44, 6),
        ("word-categorization_essli-2008.csv", 45, 9),
    ],
)
def test_the_published_categories_are_read_whole(shared_data: Path, name: str, words: int, classes: int) -> None:
    categories = read_categories(shared_data / "categorization" / name)
    assert (len(categories.words), len(set(categories.labels))) == (words, classes)


@pytest.mark.parametrize("reader", [read_pairs, read_questions, read_categories, recognized_task])
@pytest.mark.parametrize("text", ["a,b\rc,d,1\n", "a,b\r,c\rd\n", f"a,{'b' * 200_000},1\n", 'a,"b\n'])
def test_a_line_that_cannot_be_split_at_its_commas_is_a_sentence(tmp_path: Path, reader: object, text: str) -> None:
    with contextlib.suppress(InputError):
        reader(written(tmp_path, text))  # type: ignore[operator]
    with pytest.raises(InputError, match="line 1 cannot be split at its commas"):
        read_pairs(written(tmp_path, "a,b\rc,d,1\n"))


def test_a_table_of_questions_that_cannot_be_split_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "q.csv").write_text(f"type,word1,word2,word3,target\ns,a,b,c,{'d' * 200_000}\n")
    with pytest.raises(InputError, match="line 2 cannot be split at its commas"):
        read_questions(tmp_path / "q.csv")


def test_a_section_with_a_name_of_a_megabyte_takes_no_more_memory_than_that(tmp_path: Path) -> None:
    lines = [f": {'x' * 1_000_000}", *["a b a b"] * 2_000, ": other", *["b a b a"] * 2_000]
    space = Space("v", ["a", "b"], np.eye(2))
    questions = read_questions(written(tmp_path, "\n".join(lines)))
    tracemalloc.start()
    parts = _parts(analogy(space, questions), questions)
    assert tracemalloc.get_traced_memory()[1] < 64 << 20
    tracemalloc.stop()
    assert [part.items for part in parts] == [2_000, 2_000]
