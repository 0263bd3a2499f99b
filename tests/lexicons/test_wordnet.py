"""WordNet in every shape it is found in: database folder, nltk's zip, wn's database."""

from __future__ import annotations

import sqlite3
import zipfile
from pathlib import Path

import pytest

from wordstill.errors import InputError
from wordstill.lexicons import wordnet as module
from wordstill.lexicons.lexicon import read_relation, wordnets
from wordstill.refinement import read_lexicon

LICENCE = "  1 a licence\n  2 goes first\n"
FILES = {
    "data.noun": "00000010 06 n 02 car 0 motor_car 0 001 @ 00000020 n 0000 | with wheels\n"
    "00000020 06 n 01 vehicle 0 002 ~ 00000010 n 0000 + 00000010 v 0101 | that moves\n"
    "00000030 15 n 01 Paris 0 001 @i 00000040 n 0000 | capital\n"
    "00000040 15 n 01 city 0 000 | large town\n",
    "data.verb": "00000010 38 v 02 drive 0 motor 0 000 01 + 02 00 | go | by car\n",
    "data.adj": "00000010 00 a 0a hot(p) 0 b 0 c 0 d 0 e 0 f 0 g 0 h 0 i 0 j 0 001 ! 00000020 a 0101 | warm\n"
    "00000020 00 a 02 cold 0 chilly 0 001 ! 00000010 a 0101 | not hot\n"
    "00000030 00 s 02 icy 0 gelid 0 001 & 00000020 a 0000 | like ice\n",
    "data.adv": "00000010 02 r 01 hotly 0 001 ! 00000020 r 0000 | hot\n00000020 02 r 02 coldly 0 icily 0 000 | cold\n",
}
SYNONYMS = {("car", "motor_car"), ("drive", "motor"), ("chilly", "cold"), ("gelid", "icy"), ("coldly", "icily")}
ANTONYMS = {("cold", "hot"), ("coldly", "hotly"), ("hotly", "icily")}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "dict"
    place.mkdir()
    for name, text in FILES.items():
        (place / name).write_text(LICENCE + text)
    return place


@pytest.fixture(autouse=True)
def nothing_installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Only what a test puts there is found."""
    for name in ("WNSEARCHDIR", "WNHOME", "NLTK_DATA", "WN_DATA_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(module, "SYSTEM_PLACES", ())
    monkeypatch.setattr(Path, "home", lambda: tmp_path / "home")


def pairs(source: Path | str, kind: str = "synonyms") -> set[tuple[str, str]]:
    return set(read_lexicon(source, kind).pairs())  # type: ignore[arg-type]


def test_synonyms_are_the_words_of_one_synset(folder: Path) -> None:
    found = pairs(folder)
    assert found >= SYNONYMS
    assert ("b", "hot") in found
    assert ("car", "vehicle") not in found


def test_plus_adds_the_synset_above_and_that_below(folder: Path) -> None:
    more = {("car", "vehicle"), ("motor_car", "vehicle"), ("Paris", "city")}
    assert pairs(f"{folder}+") - pairs(folder) == more


def test_antonyms_are_of_words_or_of_whole_synsets(folder: Path) -> None:
    assert pairs(folder, "antonyms") == ANTONYMS


def test_associated_words_are_one_pair_per_link(folder: Path) -> None:
    (folder / "data.noun").write_text(
        LICENCE + "00000010 06 n 02 car 0 auto 0 002 %p 00000020 n 0000 ~ 00000030 n 0000 | with wheels\n"
        "00000020 06 n 02 wheel 0 disk 0 001 #p 00000010 n 0000 | that turns\n"
        "00000030 06 n 01 cab 0 001 ;c 00000099 n 0000 | for hire\n"
    )
    (folder / "data.adj").write_text(LICENCE + "00000010 01 a 02 solar 0 sunny 0 001 \\ 00000020 n 0202 | of the sun\n")
    assert pairs(folder, "associated") == {("car", "wheel"), ("disk", "sunny")}


def test_words_that_are_akin_are_derived_similar_or_of_one_group(folder: Path) -> None:
    (folder / "data.verb").write_text(
        LICENCE + "00000010 38 v 02 reach 0 attain 0 002 + 00000050 n 0201 $ 00000020 v 0000 000 | arrive\n"
        "00000020 38 v 01 gain 0 000 000 | get\n"
    )
    with (folder / "data.noun").open("a") as nouns:
        nouns.write("00000050 04 n 01 attainment 0 000 | the act of reaching\n")
    derived = {("attain", "attainment"), ("reach", "vehicle")}
    assert pairs(folder, "akin") == derived | {("gain", "reach"), ("cold", "icy")}


def test_it_is_found_where_the_environment_says(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match="no WordNet is here"):
        read_lexicon("wordnet")
    monkeypatch.setenv("WNSEARCHDIR", str(folder))
    assert pairs("wordnet") == pairs(folder)
    assert pairs("wordnet+") == pairs(f"{folder}+")
    assert pairs("wordnet", "antonyms") == ANTONYMS


@pytest.mark.parametrize("zipped", [True, False])
def test_nltks_copy_is_found_zipped_or_not(folder: Path, tmp_path: Path, zipped: bool) -> None:
    corpora = tmp_path / "home" / "nltk_data" / "corpora"
    corpora.mkdir(parents=True)
    if zipped:
        with zipfile.ZipFile(corpora / "wordnet.zip", "w") as archive:
            for name in FILES:
                archive.write(folder / name, f"wordnet/{name}")
    else:
        folder.rename(corpora / "wordnet")
    assert pairs("wordnet") >= SYNONYMS
    assert pairs("wordnet", "antonyms") == ANTONYMS


def test_the_database_of_the_wn_package_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WN_DATA_DIR", str(tmp_path))
    with sqlite3.connect(tmp_path / "wn.db") as database:
        database.executescript(
            """
            CREATE TABLE forms (entry_rowid INTEGER, form TEXT, rank INTEGER);
            CREATE TABLE senses (rowid INTEGER PRIMARY KEY, entry_rowid INTEGER, synset_rowid INTEGER);
            CREATE TABLE relation_types (rowid INTEGER PRIMARY KEY, type TEXT);
            CREATE TABLE synset_relations (source_rowid INTEGER, target_rowid INTEGER, type_rowid INTEGER);
            CREATE TABLE sense_relations (source_rowid INTEGER, target_rowid INTEGER, type_rowid INTEGER);
            INSERT INTO forms VALUES
                (1, 'motor car', 0), (2, 'auto', 0), (2, 'autos', 1), (3, 'vehicle', 0), (4, 'walk', 0);
            INSERT INTO senses VALUES (11, 1, 101), (12, 2, 101), (13, 3, 102), (14, 4, 103);
            INSERT INTO relation_types VALUES (1, 'hypernym'), (2, 'antonym'), (3, 'also'),
                (4, 'derivation'), (5, 'similar');
            INSERT INTO synset_relations VALUES (101, 102, 1), (101, 103, 3), (102, 103, 5);
            INSERT INTO sense_relations VALUES (12, 14, 2), (11, 13, 3), (12, 13, 4);
            """
        )
    database.close()
    assert pairs("wordnet") == {("auto", "motor_car")}
    assert pairs("wordnet+") == {("auto", "motor_car"), ("auto", "vehicle"), ("motor_car", "vehicle")}
    assert pairs("wordnet", "antonyms") == {("auto", "walk")}
    assert pairs("wordnet", "associated") == {("motor_car", "vehicle"), ("motor_car", "walk")}
    assert pairs("wordnet", "akin") == {("auto", "vehicle"), ("vehicle", "walk")}
    with sqlite3.connect(tmp_path / "wn.db") as database:
        database.execute("DELETE FROM senses WHERE rowid = 14")
    database.close()
    with pytest.raises(InputError, match="relations of a sense 14 that it does not have"):
        pairs("wordnet")


def test_a_broken_wordnet_is_refused_in_one_sentence(folder: Path, tmp_path: Path) -> None:
    (folder / "data.verb").write_text(LICENCE + "00000010 38 v 07 drive 0\n")
    with pytest.raises(InputError, match=r"line 3 of data\.verb is not a synset"):
        read_lexicon(folder)
    (folder / "data.verb").unlink()
    with pytest.raises(InputError, match=r"data\.verb cannot be read"):
        read_lexicon(folder)
    (tmp_path / "wn.db").write_bytes(b"this is no database, but long enough to look at" * 50)
    with pytest.raises(InputError, match="wn package"):
        read_lexicon(tmp_path / "wn.db")


def test_princetons_database_is_read_whole() -> None:
    place = Path("/usr/share/wordnet")
    if not module.is_wordnet(place):
        pytest.skip("WordNet is not installed; apt-get install wordnet-base")
    wordnet = module.read_database(place)
    assert len(wordnet.synsets) == 117_659
    assert wordnet.synsets["n", "02958343"] == ["car", "auto", "automobile", "machine", "motorcar"]
    assert ("good", "bad") in wordnet.pairs["antonyms"]
    assert ("attain", "attainment") in wordnet.pairs["akin"]
    assert len({word for words in wordnet.synsets.values() for word in words}) > 140_000


def test_wordnets_are_told_from_other_lexicons_and_asked_for_one_relation(folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "pairs.txt"
    other.write_text("car vehicle\n")
    assert wordnets([str(other), str(folder), f"{folder}+", "wordnet", "wordnet+"]) == [str(folder), "wordnet"]
    antonyms = read_relation([str(folder)], "antonyms")
    assert antonyms is not None
    assert set(antonyms.pairs()) == ANTONYMS
    assert antonyms.name == "dict antonyms"
    for name in ("data.adj", "data.adv"):
        (folder / name).write_text(LICENCE)
    assert read_relation([str(folder)], "antonyms") is None
    assert read_relation([], "antonyms") is None
