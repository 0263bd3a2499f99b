"""Files that are no word vectors are named for what they are; names decide only what is written."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from wordstill.errors import InputError
from wordstill.formats import detect, load, save
from wordstill.io import safetensors
from wordstill.vectors import WordVectors

OTHERS = {
    "numpy": (b"\x93NUMPY\x01\x00", "is an array without words"),
    "zip": (b"PK\x03\x04rest", "is a zip archive; unzip it first"),
    "fastText": (b"\xba\x16\x4f\x2f\x0c\x00\x00\x00", "is a fastText model"),
    "a web page": (b"<!DOCTYPE html>\n<html>", "is a web page or XML"),
    "a Git LFS pointer": (b"version https://git-lfs.github.com/spec/v1\n", "is a Git LFS pointer"),
    "prose": (b"Call me Ishmael.\nSome years ago\n", "has no format that is known"),
    "empty": (b"", "is empty"),
}


@pytest.mark.parametrize(("content", "message"), OTHERS.values(), ids=OTHERS.keys())
def test_another_kind_of_file_is_refused_by_its_name(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "v.txt").write_bytes(content)
    with pytest.raises(InputError, match=message):
        load(tmp_path / "v.txt")


def test_what_gensim_saves_itself_is_never_unpickled(tmp_path: Path) -> None:
    gensim = pytest.importorskip("gensim.models.keyedvectors")
    keyed = gensim.KeyedVectors(2)
    keyed.add_vectors(["a"], np.ones((1, 2)))
    keyed.save(str(tmp_path / "v.kv"))
    with pytest.raises(InputError, match=r"is a pickle.*save_word2vec_format"):
        load(tmp_path / "v.kv")


def test_a_file_of_tensors_points_to_its_folder(tmp_path: Path) -> None:
    safetensors.write(tmp_path / "model.safetensors", {"embeddings": np.ones((2, 2))})
    with pytest.raises(InputError, match="give the folder that it is in"):
        load(tmp_path / "model.safetensors")


def test_a_path_that_is_not_there_and_an_empty_folder_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="does not exist"):
        load(tmp_path / "nowhere")
    with pytest.raises(InputError, match="is not a vectors folder"):
        load(tmp_path)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("v", "folder"),
        ("v1.5", "folder"),
        ("v.txt", "word2vec"),
        ("v.vec.gz", "word2vec"),
        ("v.bin", "word2vec-binary"),
        ("v.bin.gz", "word2vec-binary"),
    ],
)
def test_the_name_chooses_the_format_that_is_written(tmp_path: Path, name: str, kind: str) -> None:
    save(WordVectors(["a", "b"], np.ones((2, 3))), tmp_path / name)
    assert detect(tmp_path / name) == kind


@pytest.mark.parametrize("name", ["v.npz", "v.kv", "v.csv", "v.gz", "v.json.gz", "v.txt.xz"])
def test_a_name_of_another_kind_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match="names a kind of file that is not written"):
        save(WordVectors(["a"], np.ones((1, 2))), tmp_path / name)


def test_an_unknown_format_is_refused_with_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"'spacey' is not a format .* folder, .*word2vec, fasttext, glove"):
        save(WordVectors(["a"], np.ones((1, 2))), tmp_path / "v", format="spacey")
