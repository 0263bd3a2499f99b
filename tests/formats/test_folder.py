"""The vectors folder: what is written is what is read, and what other libraries find in it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from wordstill.errors import InputError
from wordstill.formats import detect, load, save
from wordstill.io import safetensors
from wordstill.vectors import WordVectors


def small() -> WordVectors:
    return WordVectors(["the", "river"], np.array([[1.0, 2.0], [3.0, 4.0]], np.float32), [7, 5], {"method": "closed"})


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_the_type_of_the_numbers_is_kept(tmp_path: Path, dtype: type) -> None:
    save(small().map(lambda matrix: matrix.astype(dtype)), tmp_path / "v")
    assert load(tmp_path / "v").matrix.dtype == dtype


def test_the_matrix_is_mapped_and_read_only(tmp_path: Path) -> None:
    save(small(), tmp_path / "v")
    read = load(tmp_path / "v")
    assert not read.matrix.flags.owndata
    with pytest.raises(ValueError, match="read-only"):
        read.matrix[0, 0] = 1.0


def test_vectors_can_be_saved_over_the_folder_they_are_mapped_from(tmp_path: Path) -> None:
    save(small(), tmp_path / "v")
    save(load(tmp_path / "v").map(lambda matrix: matrix * 2), tmp_path / "v")
    assert load(tmp_path / "v").matrix.tolist() == [[2.0, 4.0], [6.0, 8.0]]


def test_the_card_survives_with_its_ugly_texts(tmp_path: Path) -> None:
    card = {
        "method": "x | `y`\n---\n",
        "scores": {"ws353": 70.5, "none": None},
        "title": "---\n# <b>\ud800",
        "notes": ["é"],
    }
    save(WordVectors(["a"], np.ones((1, 1)), card=card), tmp_path / "v")
    assert load(tmp_path / "v").card == card


def test_numbers_of_numpy_and_paths_in_a_card_do_not_stop_the_saving(tmp_path: Path) -> None:
    card = {"scores": {"a": np.float32(0.5), "b": np.array([1, 2])}, "corpus": Path("text.txt")}
    save(WordVectors(["a"], np.ones((1, 1)), card=card), tmp_path / "v")
    assert load(tmp_path / "v").card == {"scores": {"a": 0.5, "b": [1, 2]}, "corpus": "text.txt"}


def test_the_readme_has_front_matter_that_yaml_reads_and_says_what_is_known(tmp_path: Path) -> None:
    yaml = pytest.importorskip("yaml")
    card = {
        "teacher": {"name": "org/model", "layers": 6},
        "licence": 'cc: "by"\x85\u2028 # no',
        "scores": {"simlex999": 56.8},
        "settings": {"closed": {"power": 0.5}},
    }
    save(WordVectors(["a"], np.ones((1, 3)), card=card), tmp_path / "v")
    text = (tmp_path / "v" / "README.md").read_text(encoding="utf-8")
    front = yaml.safe_load(text.split("---\n")[1])
    assert front["base_model"] == "org/model"
    assert front["license"] == card["licence"]
    assert "| simlex999 | 56.8 |" in text
    assert "| closed.power | 0.5 |" in text
    assert "1 words, 3 dimensions" in text


def test_without_a_licence_the_readme_says_so(tmp_path: Path) -> None:
    save(small(), tmp_path / "v")
    assert "Licence: not stated" in (tmp_path / "v" / "README.md").read_text(encoding="utf-8")


def test_a_word_that_stands_twice_is_refused_and_nothing_written(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="'a' stands twice"):
        save(WordVectors(["a", "a"], np.ones((2, 2))), tmp_path / "v")
    assert not list(tmp_path.iterdir())


def test_a_vocabulary_with_windows_line_ends_is_read(tmp_path: Path) -> None:
    save(small(), tmp_path / "v")
    (tmp_path / "v" / "vocabulary.tsv").write_bytes(b"the\t7\r\nriver\t5\r\n")
    assert load(tmp_path / "v").words == ["the", "river"]


def test_a_vocabulary_that_is_cut_inside_its_last_count_is_refused(tmp_path: Path) -> None:
    save(small(), tmp_path / "v")
    (tmp_path / "v" / "vocabulary.tsv").write_bytes(b"the\t7\nriver\t5")
    with pytest.raises(InputError, match="cut off"):
        load(tmp_path / "v")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"the\t7\n", "has 1 words in vocabulary.tsv, and a tensor"),
        (b"the\t7\nriver\tmany\n", "a word, a tab and a count on each line"),
        (b"the\t7\nriver\t99999999999999999999\n", "a word, a tab and a count on each line, not '9999"),
        (b"the\t7\nriver\t\n", "a word, a tab and a count on each line, not ''"),
        (b"the\t7\n\t5river\n", "not '5river'"),
        (b"the\t7\nriver\n", "a word, a tab and a count on each line"),
        (b"the\t7\nriver\t5\t6\n", "a word, a tab and a count on each line"),
        (b"\xff\t7\nriver\t5\n", "is not UTF-8"),
    ],
)
def test_a_vocabulary_that_does_not_fit_is_refused(tmp_path: Path, content: bytes, message: str) -> None:
    save(small(), tmp_path / "v")
    (tmp_path / "v" / "vocabulary.tsv").write_bytes(content)
    with pytest.raises(InputError, match=message):
        load(tmp_path / "v")


def test_counts_of_every_length_are_read(tmp_path: Path) -> None:
    counts = [0, 9, 10, 12345678, 123456789, 10**17, 10**18, 2**63 - 1, -5]
    vectors = WordVectors([f"w{n}" for n in range(len(counts))], np.ones((len(counts), 1), np.float32), counts)
    save(vectors, tmp_path / "v")
    read = load(tmp_path / "v")
    assert read.counts is not None
    assert read.counts.tolist() == counts
    assert read.words == vectors.words


def test_int8_without_its_scales_is_refused(tmp_path: Path) -> None:
    save(small(), tmp_path / "v", dtype="int8")
    safetensors.write(tmp_path / "v" / "model.safetensors", {"embeddings": np.ones((3, 2), np.int8)})
    with pytest.raises(InputError, match="int8 vectors without a tensor 'weights'"):
        load(tmp_path / "v")


def test_a_broken_config_is_refused(tmp_path: Path) -> None:
    save(small(), tmp_path / "v")
    (tmp_path / "v" / "config.json").write_text("[]")
    with pytest.raises(InputError, match=r"config\.json is not a JSON object"):
        load(tmp_path / "v")


def test_a_folder_of_several_vectors_names_them(tmp_path: Path) -> None:
    save(small(), tmp_path / "run" / "closed")
    save(small(), tmp_path / "run" / "aggregate" / "layer-06")
    with pytest.raises(InputError, match="give one of those in it: aggregate/layer-06, closed"):
        detect(tmp_path / "run")


def test_modules_and_config_are_what_the_other_libraries_look_for(tmp_path: Path) -> None:
    save(small(), tmp_path / "v")
    [module] = json.loads((tmp_path / "v" / "modules.json").read_text())
    assert module["type"] == "sentence_transformers.models.StaticEmbedding"
    config = json.loads((tmp_path / "v" / "config.json").read_text())
    assert config["normalize"] is False
    assert config["max_length"] is None
