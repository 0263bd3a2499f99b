"""refine, combine and lexicon, called as the shell calls them."""

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

WORDS = ["cat", "feline", "dog", "hot", "cold", "ice-cream", "gelato", "alone"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    matrix = np.random.default_rng(0).standard_normal((8, 6)).astype(np.float32)
    save(WordVectors(WORDS, matrix, range(8, 0, -1), {"teacher": "t"}), tmp_path / "v")
    (tmp_path / "lexicon.txt").write_text("cat feline\nhot warm cold\nice_cream gelato\n")
    (tmp_path / "antonyms.txt").write_text("hot cold\n")
    return tmp_path


def test_refine_goes_from_any_format_to_any_and_tells_its_steps(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["convert", str(folder / "v"), str(folder / "v.vec")]) == 0
    capsys.readouterr()
    lexicon = ["--lexicon", str(folder / "lexicon.txt")]
    steps = ["--method", "center", "--method", "graph-retrofit", *lexicon, "--set", "graph-retrofit.sweeps=3"]
    for source, target in [("v", "a"), ("v.vec", "b.bin"), ("v", "c.txt")]:
        assert main(["refine", str(folder / source), str(folder / target), *steps]) == 0
        output = capsys.readouterr()
        assert output.out == f"{folder / target}: 8 words, 6 dimensions\n"
        assert output.err.count("objective") == 4
        assert "3 of 4 pairs of lexicon.txt have vectors; 6 of 8 words take part" in output.err
    a, b, c = (load(folder / name) for name in ("a", "b.bin", "c.txt"))
    np.testing.assert_allclose(b.matrix, a.matrix, atol=1e-5)
    np.testing.assert_allclose(c.matrix, a.matrix, atol=1e-5)
    assert [step["method"] for step in a.card["refinement"]] == ["center", "graph-retrofit"]
    assert (a.card["teacher"], a.counts is not None) == ("t", True)
    assert "graph-retrofit" in (folder / "a" / "README.md").read_text()


def test_antonyms_are_pushed_apart(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call = ["refine", str(folder / "v"), "", "--method", "retrofit", "--lexicon", str(folder / "lexicon.txt"), "-q"]
    for target, more in [("near", []), ("far", ["--antonyms", str(folder / "antonyms.txt")])]:
        assert main([*call[:2], str(folder / target), *call[3:], *more]) == 0
    assert capsys.readouterr().err == ""
    near, far = (load(folder / name).similarity("hot", "cold") for name in ("near", "far"))
    assert far < near


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--method", "magic"], "there is no method 'magic'"),
        (["--method", "retrofit"], "needs a lexicon"),
        (["--method", "pca", "--set", "pca=3"], "--set takes"),
        (["--method", "pca", "--set", "pca.dimensions=many"], "a whole number"),
        (["--method", "retrofit", "--lexicon", "nowhere.txt"], "there is no lexicon"),
    ],
)
def test_bad_arguments_are_one_sentence_and_exit_2(
    folder: Path, arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["refine", str(folder / "v"), str(folder / "o"), *arguments]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
    assert not (folder / "o").exists()


def test_nothing_is_replaced_without_being_told(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for command in (["refine", str(folder / "v"), str(folder / "v"), "--method", "center"],
                    ["combine", str(folder / "v"), str(folder / "v"), str(folder / "v")]):  # fmt: skip
        assert main(command) == 2
        assert "exists" in capsys.readouterr().err
        assert main([*command, "--overwrite"]) == 0


def test_both_files_of_a_pair_are_kept_without_being_told(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "metadata.tsv").write_text("precious")
    for command in (["refine", str(folder / "v"), str(folder / "vectors.tsv"), "--method", "center"],
                    ["combine", str(folder / "vectors.tsv"), str(folder / "v"), str(folder / "v")]):  # fmt: skip
        assert main(command) == 2
        assert "metadata.tsv exists" in capsys.readouterr().err
    assert (folder / "metadata.tsv").read_text() == "precious"


def test_combine_takes_weights_and_tells_what_it_left_out(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    vectors = load(folder / "v")
    save(vectors.take(WORDS[:6]), folder / "part:2")
    call = ["combine", str(folder / "j"), f"{folder / 'v'}:0.5", str(folder / "part:2"), "--dim", "6"]
    assert main(call) == 0
    output = capsys.readouterr()
    assert output.out.endswith("j: 6 words, 6 dimensions\n")
    assert "2 words that not all have were left out" in output.err
    assert [part["weight"] for part in load(folder / "j").card["combined"]] == [0.5, 1.0]
    assert main(["combine", str(folder / "k"), str(folder / "v")]) == 2


def test_lexicon_info_counts_words_pairs_and_overlap(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call = ["lexicon", "info", str(folder / "lexicon.txt"), "--vectors", str(folder / "v")]
    assert main([*call, "--json"]) == 0
    [facts] = json.loads(capsys.readouterr().out)
    assert (facts["words"], facts["pairs"], facts["words of several parts"]) == (7, 4, 1)
    assert (facts["words found"], facts["pairs found"], facts["words reached"], facts["of"]) == (6, 3, 6, 8)
    assert main(call) == 0
    assert capsys.readouterr().out.splitlines()[1].split()[:3] == ["lexicon.txt", "7", "4"]
    assert main(["lexicon", "info", str(folder / "nowhere")]) == 2


def test_methods_without_a_lexicon_import_nothing_heavy(folder: Path) -> None:
    program = (
        "import sys; from wordstill.cli import main; "
        f"main(['refine', {str(folder / 'v')!r}, {str(folder / 'o')!r}, '--method', 'whiten', '--method', 'pca',"
        " '--set', 'pca.dimensions=2']); "
        "heavy = {'torch', 'scipy', 'sklearn', 'transformers', 'tokenizers', 'gensim', 'numba'} & set(sys.modules); "
        "sys.exit(str(heavy) if heavy else 0)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_retrofitting_without_numba_says_what_to_install(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delitem(sys.modules, "wordstill.kernels.retrofit", raising=False)
    monkeypatch.setitem(sys.modules, "numba", None)
    call = ["refine", str(folder / "v"), str(folder / "o"), "--method", "retrofit", "-q"]
    assert main([*call, "--lexicon", str(folder / "lexicon.txt")]) == 2
    assert "pip install numba" in capsys.readouterr().err
