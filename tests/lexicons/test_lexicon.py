"""Reading lexicons: files of both kinds, and how their words are found among vectors."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordstill.errors import InputError
from wordstill.lexicons.lexicon import find_rows
from wordstill.refinement import Lexicon, read_lexicon, read_lexicons

WORDS = st.text(st.characters(exclude_categories=["Cs", "Cc", "Zs", "Zl", "Zp"]), min_size=1, max_size=6)


def written(folder: Path, content: str | bytes, name: str = "lexicon.txt") -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def test_a_head_that_stands_twice_has_the_neighbors_of_both_lines(tmp_path: Path) -> None:
    lexicon = read_lexicon(written(tmp_path, "run jog sprint\nwalk stroll\nrun operate\nsource\n"))
    assert list(lexicon.pairs()) == [("jog", "run"), ("operate", "run"), ("run", "sprint"), ("stroll", "walk")]
    assert lexicon.words == ("jog", "operate", "run", "sprint", "stroll", "walk")


def test_pairs_may_have_spaces_within_words_where_tabs_divide_them(tmp_path: Path) -> None:
    lexicon = read_lexicon(written(tmp_path, "ice cream\tgelato\r\nNew York\tbig  apple\t\r\n"))
    assert list(lexicon.pairs()) == [("New_York", "big_apple"), ("gelato", "ice_cream")]


def test_a_zipped_file_and_one_with_a_mark_at_its_start_are_read(tmp_path: Path) -> None:
    plain = read_lexicon(written(tmp_path, "\ufeffa b\n"))
    zipped = read_lexicon(written(tmp_path, gzip.compress(b"a b\n"), "lexicon.gz"))
    assert list(plain.pairs()) == list(zipped.pairs()) == [("a", "b")]


@given(st.lists(st.lists(WORDS, min_size=1, max_size=4), min_size=1, max_size=8), st.randoms())
def test_the_order_of_lines_and_the_side_of_a_pair_do_not_matter(lines: list[list[str]], mix: object) -> None:
    pairs = [(line[0], other) for line in lines for other in line[1:]]
    mixed = [pair[::-1] for pair in pairs] + pairs
    mix.shuffle(mixed)  # type: ignore[attr-defined]
    first, second = Lexicon.of(pairs), Lexicon.of(mixed)
    assert first.words == second.words
    assert first.edges.tolist() == second.edges.tolist()
    assert set(first.pairs()) == {(min(pair), max(pair)) for pair in pairs if pair[0] != pair[1]}


def test_several_lexicons_are_joined(tmp_path: Path) -> None:
    paths = [written(tmp_path, "a b\n", "one"), written(tmp_path, "b a\nb c\n", "two")]
    joined = read_lexicons(paths)
    assert joined is not None
    assert list(joined.pairs()) == [("a", "b"), ("b", "c")]
    assert joined.name == "one + two"
    assert read_lexicons([]) is None


@pytest.mark.parametrize(
    ("content", "message"),
    [(b"a b\xff\n", "not UTF-8"), (b"", "no pair"), (b"alone\n\n", "no pair"), (b"\x1f\x8bnot", "damaged gzip")],
)
def test_a_file_that_is_no_lexicon_is_refused(tmp_path: Path, content: bytes, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_lexicon(written(tmp_path, content))


def test_what_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no lexicon"):
        read_lexicon(tmp_path / "nowhere")
    with pytest.raises(InputError, match="folder without WordNet"):
        read_lexicon(tmp_path)


def test_words_of_several_parts_are_found_as_the_vectors_write_them() -> None:
    words = ["ice_cream", "new york", "well-known", "New_York", "paris", "the"]
    index = {word: row for row, word in enumerate(words)}
    asked = ["ice_cream", "New_York", "new_york", "well_known", "Paris", "PARIS", "hot_dog", "The"]
    assert find_rows(asked, index).tolist() == [0, 3, 1, 2, 4, 4, -1, 5]


@pytest.mark.slow
def test_the_published_lexicons_are_read_whole(shared_data: Path) -> None:
    ppdb = shared_data / "lexicons" / "ppdb-xl.txt"
    lines = [line.split() for line in ppdb.read_text(encoding="utf-8").split("\n")]
    pairs = {frozenset((line[0], other)) for line in lines for other in line[1:] if other != line[0]}
    assert {frozenset(pair) for pair in read_lexicon(ppdb).pairs()} == pairs
    assert len(read_lexicon(shared_data / "lexicons" / "framenet.txt").edges) > 200_000
