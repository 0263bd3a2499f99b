"""The commands on words and files, called as the shell calls them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from wordstill.cli import main
from wordstill.formats import load, save
from wordstill.vectors import WordVectors

WORDS = ["king", "queen", "man", "woman", "Paris", "new_york", "nul\x00\x1b"]
ROWS = [[3, 1, 0], [3, 0, 1], [1, 1, 0], [1, 0, 1], [0, 2, 2], [0, 3, 2], [0, 0, 0]]


@pytest.fixture
def folder(tmp_path: Path) -> str:
    save(WordVectors(WORDS, np.array(ROWS, np.float32), range(7, 0, -1), {"method": "by hand"}), tmp_path / "v")
    return str(tmp_path / "v")


def test_neighbors_are_a_table_with_the_nearest_first(folder: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["neighbors", folder, "king", "Paris", "--top", "2"]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert [line[:2] for line in lines] == [
        ["word", "neighbor"],
        ["king", "queen"],
        ["king", "man"],
        ["Paris", "new_york"],
        ["Paris", "man"],
    ]
    assert lines[1][2] == "0.9000"


def test_json_has_the_same_answers_unrounded(folder: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["neighbors", folder, "king", "--top", "1", "--json"]) == 0
    [answer] = json.loads(capsys.readouterr().out)
    assert answer["neighbor"] == "queen"
    assert answer["cosine"] == pytest.approx(0.9)


@pytest.mark.parametrize("method", ["add", "multiply"])
def test_an_analogy_is_answered(folder: str, method: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["analogy", folder, "man", "king", "woman", "--top", "1", "--method", method]) == 0
    assert capsys.readouterr().out.splitlines()[1].split()[0] == "queen"


def test_similarity_lists_every_pair(folder: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["similarity", folder, "king", "queen", "man", "--json"]) == 0
    pairs = json.loads(capsys.readouterr().out)
    assert [(pair["first"], pair["second"]) for pair in pairs] == [
        ("king", "queen"),
        ("king", "man"),
        ("queen", "man"),
    ]
    assert main(["similarity", folder, "king"]) == 2


@pytest.mark.parametrize(
    ("word", "near"),
    [
        ("paris", "Paris"),
        ("KING", "king"),
        ("Qeen", "queen"),
        ("New York", "new_york"),
        ("xylophone", "no word is spelt"),
    ],
)
@pytest.mark.parametrize("command", ["neighbors", "similarity", "analogy"])
def test_an_unknown_word_is_one_sentence_with_close_spellings_and_exit_2(
    folder: str, command: str, word: str, near: str, capsys: pytest.CaptureFixture[str]
) -> None:
    words = {"neighbors": [word], "similarity": ["king", word], "analogy": ["king", "man", word]}[command]
    assert main([command, folder, *words]) == 2
    output = capsys.readouterr()
    assert output.out == ""
    assert output.err.startswith(f"wordstill {command}: the word {word!r} has no vector")
    assert near in output.err
    assert output.err.count("\n") == 1


@pytest.mark.parametrize("command", [["neighbors", "king"], ["analogy", "king", "man", "queen"]])
def test_no_answers_are_asked_for_is_refused(
    folder: str, command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([command[0], folder, *command[1:], "--top", "0"]) == 2
    assert "--top must be at least 1" in capsys.readouterr().err


def test_the_odd_word_comes_first(folder: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["odd", folder, "king", "Paris", "queen", "--json"]) == 0
    assert next(row["word"] for row in json.loads(capsys.readouterr().out)) == "Paris"
    assert main(["odd", folder, "king", "king", "queen"]) == 2
    assert "takes three different words" in capsys.readouterr().err


def test_a_phrase_stands_for_its_known_words_and_names_the_others(
    folder: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["neighbors", folder, "the King, queen", "--top", "1", "--json"]) == 0
    output = capsys.readouterr()
    [answer] = json.loads(output.out)
    assert answer["neighbor"] in ("man", "woman")  # equally near to the mean of both
    mean = np.array([3, 0.5, 0.5])
    assert answer["cosine"] == pytest.approx(np.dot([1, 1, 0], mean) / np.linalg.norm(mean) / 2**0.5)
    assert output.err == "note: left out, having no vector: the, ,\n"


@pytest.mark.parametrize(
    ("rules", "word", "told"),
    [("case", "KING", "taken is king"), ("case,pieces", "king-woman", "taken is king + woman")],
)
def test_a_rule_answers_for_an_unknown_word_and_says_so(
    folder: str, rules: str, word: str, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for command in (["neighbors", word], ["similarity", word, "queen"], ["analogy", word, "man", "queen"]):
        assert main([command[0], folder, *command[1:], "--oov", rules]) == 0
        assert told in capsys.readouterr().err


def test_a_model_of_spellings_is_made_and_answers(folder: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["neighbors", folder, "kings", "--oov", "subwords"]) == 2
    assert "make one with `wordstill subwords VECTORS`" in capsys.readouterr().err
    assert main(["subwords", folder]) == 0
    assert "learned from 7 words" in capsys.readouterr().out
    assert main(["neighbors", folder, "kings", "--oov", "case,subwords", "--top", "1"]) == 0
    assert capsys.readouterr().err == "note: kings has no vector of its own; taken is its spelling\n"
    assert main(["neighbors", folder, "kings", "--oov", "magic"]) == 2


def test_control_characters_of_a_word_do_not_reach_the_terminal(
    folder: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["neighbors", folder, "king"]) == 0
    assert r"nul\x00\x1b" in capsys.readouterr().out


def test_info_tells_the_format_the_sizes_and_the_card(folder: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["info", folder, "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["format"] == "folder"
    assert (facts["words"], facts["dimensions"], facts["counted"], facts["zero vectors"]) == (7, 3, 28, 1)
    assert facts["card"] == {"method": "by hand"}
    assert main(["info", folder]) == 0
    out = capsys.readouterr().out
    assert "by hand" in out
    assert "\x1b" not in out


def test_convert_goes_there_and_back(folder: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for source, target in [(folder, "a.txt"), ("a.txt", "b.bin.gz"), ("b.bin.gz", "c"), ("c", "d.txt")]:
        extra = ["--format", "glove"] if target == "d.txt" else []
        assert main(["convert", str(tmp_path / source), str(tmp_path / target), *extra]) == 0
    assert capsys.readouterr().out.splitlines()[0].endswith("a.txt: 7 words, 3 dimensions")
    read = load(tmp_path / "d.txt")
    assert read.words == WORDS
    assert read.matrix.tolist() == ROWS


def test_convert_replaces_only_vectors_and_only_when_told_to(
    folder: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for text, replaced in (("precious", False), ("1 2\na 1 2\n", True)):
        (tmp_path / "a.txt").write_text(text)
        assert main(["convert", folder, str(tmp_path / "a.txt")]) == 2
        assert "exists" in capsys.readouterr().err
        assert main(["convert", folder, str(tmp_path / "a.txt"), "--overwrite"]) == (0 if replaced else 2)
        assert ((tmp_path / "a.txt").read_text() == text) != replaced
    assert load(tmp_path / "a.txt").words == WORDS


def test_convert_tells_what_was_odd_on_stderr(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.txt").write_bytes(b"2 2\na 1 2\na 3 4\n")
    assert main(["convert", str(tmp_path / "a.txt"), str(tmp_path / "b")]) == 0
    output = capsys.readouterr()
    assert "note: 1 words came twice; the first of each was kept\n" in output.err


def test_a_missing_file_is_one_sentence_and_exit_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for command in (["info"], ["neighbors", "king"], ["convert", "out"]):
        assert main([command[0], str(tmp_path / "nowhere"), *command[1:]]) == 2
        assert "does not exist" in capsys.readouterr().err


def test_looking_words_up_imports_nothing_heavy(folder: str) -> None:
    program = (
        "import sys; from wordstill.cli import main; "
        f"main(['neighbors', {folder!r}, 'king']); main(['info', {folder!r}]); "
        "heavy = {'torch', 'scipy', 'sklearn', 'transformers', 'tokenizers', 'gensim', 'numba'} & set(sys.modules); "
        "sys.exit(str(heavy) if heavy else 0)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
