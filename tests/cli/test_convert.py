"""wordstill convert and wordstill info, called as the shell calls them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from trees import tree_of

from wordstill.cli import main
from wordstill.formats import READ, load, save
from wordstill.vectors import WordVectors

WORDS = ["rare", "the", "new york", "river", "tab\tword"]
COUNTS = [2, 9, 3, 5, 3]
MATRIX = np.random.default_rng(0).standard_normal((5, 4)).astype(np.float32)


@pytest.fixture
def folder(tmp_path: Path) -> str:
    card = {"method": "by hand", "scores": {"ws353": 70.0}, "words": 5}
    save(WordVectors(WORDS, MATRIX, COUNTS, card), tmp_path / "v")
    return str(tmp_path / "v")


def test_every_ending_writes_a_format_that_is_told_by_content(
    folder: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    formats = {"a.txt": "word2vec", "b.bin": "word2vec-binary", "c.vec.gz": "word2vec", "d.glove": "glove"}
    formats |= {"e.npy": "numpy", "vectors.tsv": "projector", "g": "folder"}
    for name, format in formats.items():
        assert main(["convert", folder, str(tmp_path / name), "--top", "2"]) == 0
        assert main(["info", str(tmp_path / name), "--json"]) == 0
        output = capsys.readouterr()
        facts = json.loads(output.out.partition("\n")[2])
        assert (facts["format"], facts["words"]) == (format, 2)
        assert load(tmp_path / name).words == ["the", "river"]


def test_stderr_tells_what_was_read_and_written_and_what_was_lost(
    folder: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "out.bin"
    assert main(["convert", folder, str(target), "--drop", "--min-count", "3"]) == 0
    output = capsys.readouterr()
    assert output.out == f"{target}: 3 words, 4 dimensions\n"
    assert output.err.splitlines() == [
        f"read {folder} as folder: 5 words, 4 dimensions of float32, with counts",
        "kept the 4 words with a count of 3 or more",
        "left out 1 words that word2vec-binary cannot hold: 'new york'",
        f"wrote {target} as word2vec-binary: 71 bytes; not kept by this format: counts and the model card",
    ]


def test_words_that_the_format_cannot_hold_are_refused_without_drop(
    folder: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["convert", folder, str(tmp_path / "out.txt")]) == 2
    assert "the word 'new york' cannot be written" in capsys.readouterr().err
    assert not (tmp_path / "out.txt").exists()


def test_the_most_frequent_words_are_kept_in_their_order_and_the_card_says_so(folder: str, tmp_path: Path) -> None:
    assert main(["convert", folder, str(tmp_path / "top"), "--top", "3"]) == 0
    read = load(tmp_path / "top")
    assert read.words == ["the", "new york", "river"]
    assert read.counts is not None
    assert read.counts.tolist() == [9, 3, 5]
    assert "scores" not in read.card
    assert read.card["refinement"] == [{"method": "top", "settings": {"words": 3}}]


def test_without_counts_the_first_words_are_kept_and_a_least_count_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    save(WordVectors(["a", "b", "c"], MATRIX[:3]), tmp_path / "v.txt")
    assert main(["convert", str(tmp_path / "v.txt"), str(tmp_path / "top"), "--top", "2"]) == 0
    assert "the 2 first words: counts are not known" in capsys.readouterr().err
    assert load(tmp_path / "top").words == ["a", "b"]
    assert main(["convert", str(tmp_path / "v.txt"), str(tmp_path / "least"), "--min-count", "2"]) == 2
    assert "have no counts" in capsys.readouterr().err


def test_pca_keeps_the_dot_products_that_it_can(folder: str, tmp_path: Path) -> None:
    assert main(["convert", folder, str(tmp_path / "small"), "--dim", "2"]) == 0
    read = load(tmp_path / "small")
    left, values, _ = np.linalg.svd(MATRIX.astype(np.float64), full_matrices=False)
    best = (left[:, :2] * values[:2]) @ (left[:, :2] * values[:2]).T
    np.testing.assert_allclose(read.matrix @ read.matrix.T, best, atol=1e-4)
    assert read.card["refinement"][-1]["method"] == "pca"


@pytest.mark.parametrize(("dtype", "part"), [("float16", 0.51), ("int8", 0.28)])
def test_smaller_numbers_make_smaller_files_and_info_names_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], dtype: str, part: float
) -> None:
    matrix = np.random.default_rng(1).uniform(-1, 1, (500, 64)).astype(np.float32)
    save(WordVectors([f"w{n}" for n in range(500)], matrix), tmp_path / "v")
    assert main(["convert", str(tmp_path / "v"), str(tmp_path / "small"), "--dtype", dtype]) == 0
    capsys.readouterr()
    assert main(["info", str(tmp_path / "small"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["numbers"] == dtype
    large, small = ((tmp_path / name / "model.safetensors").stat().st_size for name in ("v", "small"))
    assert small < part * large
    np.testing.assert_allclose(load(tmp_path / "small").matrix, matrix, atol=0.5 / 127)


def test_int8_is_refused_where_a_format_has_no_place_for_scales(
    folder: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["convert", folder, str(tmp_path / "v.npy"), "--dtype", "int8"]) == 2
    assert "numpy holds float32 or float16 or float64, not int8" in capsys.readouterr().err


def test_from_and_to_overrule_content_and_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # Read as word2vec's, these are two words that are too short; read as GloVe's they are three words.
    (tmp_path / "v.txt").write_text("2 1\na 1\nb 2\n")
    assert main(["convert", str(tmp_path / "v.txt"), str(tmp_path / "out"), "--from", "glove", "--to", "glove"]) == 0
    assert (tmp_path / "out").read_text() == "2 1.00000000\na 1.00000000\nb 2.00000000\n"
    assert main(["convert", str(tmp_path / "v.txt"), str(tmp_path / "x"), "--from", "parquet"]) == 2
    assert "does not load as parquet" in capsys.readouterr().err


@pytest.mark.parametrize("format", READ)
def test_a_wrong_from_is_one_sentence_and_exit_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], format: str
) -> None:
    (tmp_path / "v.txt").write_text("prose, and not a vector\n")
    (tmp_path / "folder").mkdir()
    for source in ("v.txt", "folder"):
        assert main(["convert", str(tmp_path / source), str(tmp_path / "x"), "--from", format]) == 2
        assert capsys.readouterr().err.count("\n") == 1


def test_the_second_file_of_a_pair_is_not_overwritten_unasked(
    folder: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "metadata.tsv").write_text("precious")
    assert main(["convert", folder, str(tmp_path / "vectors.tsv")]) == 2
    assert "metadata.tsv exists" in capsys.readouterr().err
    assert main(["convert", folder, str(tmp_path / "vectors.tsv"), "--overwrite"]) == 2
    assert "metadata.tsv is not recognised as wordstill's own" in capsys.readouterr().err
    assert (tmp_path / "metadata.tsv").read_text() == "precious"


def test_overwrite_never_replaces_the_folder_one_is_in_nor_the_one_above(
    folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "home" / "work").mkdir(parents=True)
    (tmp_path / "home" / "thesis.txt").write_text("years of work")
    monkeypatch.chdir(tmp_path / "home" / "work")
    before = tree_of(tmp_path)
    assert main(["convert", folder, "..", "--overwrite"]) == 2
    assert capsys.readouterr().err == (
        f"wordstill convert: {tmp_path / 'home'} holds thesis.txt, which wordstill did not write;"
        " choose another name, or move it away\n"
    )
    assert tree_of(tmp_path) == before


def test_vectors_are_converted_over_themselves(folder: str, tmp_path: Path) -> None:
    assert main(["convert", folder, folder, "--top", "2", "--overwrite"]) == 0
    assert main(["convert", folder, str(tmp_path / "v.txt")]) == 0
    assert main(["convert", str(tmp_path / "v.txt"), str(tmp_path / "v.txt"), "--top", "1", "--overwrite"]) == 0
    assert load(tmp_path / "v.txt").words == ["the"]


def test_info_tells_size_counts_and_top_words_and_keeps_the_card_apart(
    folder: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["info", folder, "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["bytes"] == sum(file.stat().st_size for file in Path(folder).iterdir())
    assert (facts["counted"], facts["least count"], facts["numbers"]) == (22, 2, "float32")
    assert facts["top words"][:2] == [["the", 9], ["river", 5]]
    assert main(["info", folder]) == 0
    out = capsys.readouterr().out
    assert "the (9) river (5)" in out
    assert out.index("model card") < out.index("by hand")
