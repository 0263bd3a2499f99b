"""Dictionaries of every kind, against entries written by hand and against real ones where they are installed."""

from __future__ import annotations

import gzip
import json
import sqlite3
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from wordstill.errors import InputError
from wordstill.lexicons import wordnet
from wordstill.lexicons.dictionary import read_definitions
from wordstill.lexicons.wordnet_senses import lemmas, without_examples

WORDNET = {
    "data.noun": '00000010 06 n 02 bank 0 shore 0 000 | land by a river; "he sat on the bank"\n'
    "00000020 14 n 01 bank 0 000 | a place for money; it lends\n"
    "00000030 18 n 01 man 0 000 | a grown male\n",
    "data.verb": '00000010 38 v 01 run 0 000 00 | "no definition at all"\n00000020 38 v 01 run 0 000 00 | move fast\n'
    "00000030 38 v 01 bank 0 000 00 | lean over\n",
    "data.adj": "00000010 00 a 01 ice-cold 0 000 | cold as ice\n00000020 00 s 01 New_York 0 000 | of the city\n",
    "data.adv": "00000010 02 r 01 fast 0 000 | quickly\n",
    "index.noun": "bank n 2 1 @ 2 1 00000010 00000020  \nman n 1 0 1 1 00000030  \n",
    "index.verb": "bank v 1 0 1 1 00000030  \nrun v 2 0 2 1 00000010 00000020  \n",
    "index.adj": "ice-cold a 1 0 1 0 00000010  \nnew_york a 1 0 1 0 00000020  \n",
    "index.adv": "fast r 1 0 1 0 00000010  \n",
    "cntlist.rev": "bank%1:14:00:: 2 25\nbank%1:06:00:: 1 20\nbank%2:38:00:: 1 30\n",
    "noun.exc": "men man\n",
    "verb.exc": "ran run\n",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "dict"
    place.mkdir()
    for name, text in WORDNET.items():
        (place / name).write_text("  1 a licence\n" * name.startswith(("data", "index")) + text)
    return place


def texts(source: str | Path, *words: str, most: int = 6) -> list[str]:
    return list(read_definitions(source, words, most=most).texts)


# ---------------------------------------------------------------- WordNet


def test_senses_are_ordered_by_how_often_they_were_met(folder: Path) -> None:
    found = ["bank: lean over", "bank: a place for money; it lends", "bank: land by a river"]
    assert texts(folder, "bank") == found
    (folder / "cntlist.rev").unlink()
    assert texts(folder, "bank") == [found[2], found[0], found[1]]


def test_inflected_forms_have_the_definitions_of_their_lemmas(folder: Path) -> None:
    read = read_definitions(folder, ["men", "ran", "running", "runs", "Banks", "nothing"])
    assert read.texts[:3] == ("men: a grown male", "ran: move fast", "runs: move fast")
    assert read.owners.tolist() == [0, 1, 3, 4, 4, 4]  # morphy does not undo the doubled n of running
    assert read.lent == 4


def test_the_parts_of_a_word_may_be_joined_in_several_ways(folder: Path) -> None:
    assert texts(folder, "new_york", "New  York", "ice-cold") == [
        "new_york: of the city",
        "New  York: of the city",
        "ice-cold: cold as ice",
    ]
    spelled = read_definitions(folder, ["new_york"], spellings=["new york"])
    assert spelled.texts == ("new york: of the city",)
    assert spelled.lent == 0


def test_glosses_lose_their_examples_alone() -> None:
    assert without_examples(' a; "b"; "c" ') == "a"
    assert without_examples(' say "no" to; refuse; "he refused"; "she did"') == 'say "no" to; refuse'
    assert without_examples(' "only an example"') == ""


def test_the_database_of_the_wn_package_has_definitions(tmp_path: Path) -> None:
    path = tmp_path / "wn.db"
    with sqlite3.connect(path) as database:
        database.executescript(
            """
            CREATE TABLE entries (rowid INTEGER PRIMARY KEY, pos TEXT);
            CREATE TABLE forms (entry_rowid INTEGER, form TEXT, rank INTEGER);
            CREATE TABLE senses (rowid INTEGER PRIMARY KEY, entry_rowid INTEGER, entry_rank INTEGER,
                                 synset_rowid INTEGER);
            CREATE TABLE counts (sense_rowid INTEGER, count INTEGER);
            CREATE TABLE definitions (synset_rowid INTEGER, definition TEXT);
            INSERT INTO entries VALUES (1, 'n'), (2, 'v'), (3, 's'), (4, 'n');
            INSERT INTO forms VALUES (1, 'walk', 0), (2, 'run', 0), (2, 'ran', 1), (3, 'New York', 0), (4, 'Weg', 0),
                                     (4, 'Wege', 1);
            INSERT INTO senses VALUES (11, 1, 1, 101), (12, 1, 2, 102), (13, 2, 1, 103), (14, 3, 1, 104),
                                      (15, 4, 1, 105);
            INSERT INTO counts VALUES (12, 9);
            INSERT INTO definitions VALUES (101, 'a path'), (102, 'a stroll'), (103, 'move fast'), (104, 'of a city'),
                                           (105, 'ein Pfad');
            """
        )
    database.close()
    assert texts(path, "walks", "ran", "walking", "new_york", "wege") == [
        "walks: a stroll",
        "walks: a path",
        "ran: move fast",
        "new_york: of a city",
        "wege: ein Pfad",
    ]
    path.write_bytes(b"this is no database, but long enough to look at" * 50)
    with pytest.raises(InputError, match="wn package"):
        texts(path, "walk")


def test_princetons_wordnet_knows_nearly_every_word_of_the_public_sets(shared_data: Path) -> None:
    place = Path("/usr/share/wordnet")
    if not wordnet.is_wordnet(place):
        pytest.skip("WordNet is not installed; apt-get install wordnet-base")
    lines = (shared_data / "similarity" / "rw.txt").read_text().splitlines()
    words = sorted({word for line in lines for word in line.split("\t")[:2]})
    assert len(read_definitions(place, words).covered) > 0.99 * len(words)


@given(form=st.text("abcdesinmrvgxyz", min_size=1, max_size=8), part=st.sampled_from("nvar"))
def test_a_form_is_its_own_first_lemma_and_no_lemma_is_empty_or_twice(form: str, part: str) -> None:
    found = lemmas(form, part, {})
    assert found[0] == form
    assert all(found)
    assert len(set(found)) == len(found)


# ---------------------------------------------------------------- files


def test_a_file_of_tabs_commas_or_objects_says_the_same(tmp_path: Path) -> None:
    contents = {
        "a.tsv": 'stent\ta tube\nStent\tProper, "name"\nnew york\ta city\ta state\n',
        "b.csv": 'Definition,Word\na tube,stent\n"Proper, ""name""",Stent\na city,new york\n"a state",new york\n',
        "c.csv": 'stent,a tube\nStent,"Proper, ""name"""\nnew york,a city\nnew york,a state\n',
        "d.jsonl": '{"word": "stent", "definition": "a tube"}\n{"word": "Stent", "gloss": ["Proper, \\"name\\""]}\n'
        '{"term": "new york", "definitions": ["a city", "a state"]}\n',
    }
    expected = ["stent: a tube", 'stent: Proper, "name"', "new_york: a city", "new_york: a state"]
    for name, content in contents.items():
        (tmp_path / name).write_text("\n" + content.replace("\n", "\r\n"), newline="")
        assert texts(tmp_path / name, "stent", "new_york") == expected, name
        (tmp_path / f"{name}.gz").write_bytes(gzip.compress(content.encode("utf-8-sig")))
        assert texts(tmp_path / f"{name}.gz", "stent", "new_york") == expected, name
        assert texts(tmp_path / name, "Stent") == ['Stent: Proper, "name"'], name


KAIKKI = [
    {"word": "runs", "senses": [{"glosses": ["third-person of run"], "form_of": [{"word": "run"}]}]},
    {
        "word": "run",
        "lang_code": "en",
        "senses": [
            {"glosses": ["an old sense"], "tags": ["obsolete"]},
            {"glosses": ["To move", "on foot"]},
            {"tags": ["no-gloss"]},
        ],
        "forms": [{"form": "running", "tags": ["participle"]}, {"form": "en-verb", "tags": ["inflection-template"]}],
    },
    {"word": "colour", "senses": [{"glosses": ["British spelling of color"], "alt_of": [{"word": "color"}]}]},
    {"title": "a page", "redirect": "run"},
    {"word": "color", "senses": [{"glosses": ["what the eye sees"]}]},
    {"word": "saw", "senses": [{"glosses": ["a tool"]}]},
    {"word": "saw", "senses": [{"glosses": ["past of see"], "form_of": [{"word": "see"}]}]},
    {"word": "see", "senses": [{"glosses": ["to perceive"]}]},
    {"word": "Paris", "senses": [{"glosses": ["a capital"]}]},
]


def test_wiktionary_leads_from_forms_to_lemmas_wherever_they_stand(tmp_path: Path) -> None:
    path = tmp_path / "kaikki.jsonl"
    for entries in (KAIKKI, KAIKKI[::-1]):
        path.write_text("".join(json.dumps(entry) + "\n" for entry in entries))
        found = texts(path, "runs", "running", "run", "colour", "saw", "paris", "en-verb", "absent")
        both = ["To move: on foot", "an old sense"]
        assert found == [
            *(f"{word}: {text}" for word in ("runs", "running", "run") for text in both),
            "colour: what the eye sees",
            "saw: a tool",
            "saw: to perceive",
            "paris: a capital",
        ]


def test_no_more_definitions_than_asked_for(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text("".join(f"set\tmeaning {number}\n" for number in range(100)))
    read = read_definitions(tmp_path / "a.tsv", ["set"], most=3)
    assert read.texts == ("set: meaning 0", "set: meaning 1", "set: meaning 2")
    assert read.weights == pytest.approx(np.array([6, 3, 2]) / 11)


def test_several_dictionaries_add_up_the_first_first(tmp_path: Path, folder: Path) -> None:
    (tmp_path / "a.tsv").write_text("bank\tthe bank of this field\nstent\ta tube\n")
    read = read_definitions([tmp_path / "a.tsv", folder], ["bank", "stent"], most=2)
    assert read.texts == ("bank: the bank of this field", "bank: lean over", "stent: a tube")
    assert read.name == "a.tsv + dict"


def test_means_weigh_the_definitions_of_each_word(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text("a\t1\nc\t2\nc\t3\n")
    read = read_definitions(tmp_path / "a.tsv", ["a", "b", "c"])
    vectors = np.array([[1.0, 0.0], [0.0, 3.0], [6.0, 0.0]], dtype=np.float32)
    assert read.covered.tolist() == [0, 2]
    assert read.means(vectors) == pytest.approx(np.array([[1.0, 0.0], [2.0, 2.0]]))
    nothing = read_definitions(tmp_path / "a.tsv", ["b"])
    assert nothing.means(vectors[:0]).shape == (0, 2)


LINE = st.text(st.characters(exclude_characters="\r\n\t\x1c\x1d\x1e\x85  \x0b\x0c", exclude_categories=["Cs"]))


@given(entries=st.lists(st.tuples(LINE, LINE).filter(lambda pair: pair[0].strip() and pair[1].strip()), min_size=1))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
def test_what_is_written_is_read_whatever_it_is_made_of(tmp_path: Path, entries: list[tuple[str, str]]) -> None:
    words = list(dict.fromkeys(word.strip() for word, _ in entries))
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps({"word": word, "definition": text}) + "\n" for word, text in entries))
    by_object = read_definitions(path, words, most=100)
    for place, word in enumerate(words):
        own = {f"{word}: {text.strip()}" for other, text in entries if other.strip() == word}
        assert own <= {text for owner, text in zip(by_object.owners, by_object.texts, strict=True) if owner == place}
    if not entries[0][0].lstrip().startswith("{") and "\ufeff" not in entries[0][0]:
        (tmp_path / "a.tsv").write_text("".join(f"{word}\t{text}\n" for word, text in entries), encoding="utf-8")
        assert read_definitions(tmp_path / "a.tsv", words, most=100).texts == by_object.texts


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.tsv", b"", "is empty"),
        ("a.tsv", b"word\tok\nword only\n", "entry 2 is not a word, a tab and a definition"),
        ("a.tsv", b"word\tok\nword\t\xff\n", "line 2 is not UTF-8"),
        ("a.csv", b"word,ok\nalone\n", "line 2|entry 2"),
        ("a.jsonl", b'{"word": "a", "definition": "b"}\n{"word": "c"}\n', "entry 2 is not a JSON object"),
        ("a.jsonl", b'{"word": "a", "definition": 3}\n', "entry 1 is not a JSON object"),
        ("a.jsonl", b'{"word": "a", "senses": [3]}\n', "entry 1 is not a JSON object"),
        ("a.jsonl", b'{"word": "a", "definition": "b"}\n[]\n', "entry 2 is not a JSON object"),
        ("a.tsv.gz", b"this is not gzip at all", "cannot be read"),
    ],
)
def test_what_is_no_dictionary_is_refused_with_its_place(
    tmp_path: Path, name: str, content: bytes, message: str
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=message):
        texts(tmp_path / name, "a", "word")


def test_what_is_not_there_is_named(tmp_path: Path, folder: Path) -> None:
    with pytest.raises(InputError, match="there is no dictionary"):
        texts(tmp_path / "absent.tsv", "a")
    with pytest.raises(InputError, match="folder without"):
        texts(tmp_path, "a")
    with pytest.raises(InputError, match="no dictionary is named"):
        read_definitions([], ["a"])
    (folder / "index.noun").write_text("bank n x\n")
    with pytest.raises(InputError, match=r"line 1 of index\.noun is not an entry"):
        texts(folder, "bank")
