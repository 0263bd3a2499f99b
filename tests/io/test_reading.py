"""Damaged, hostile and endless files: content, or one sentence."""

from __future__ import annotations

import gzip
import io
import os
import tracemalloc
import zipfile
from contextlib import suppress
from pathlib import Path

import pytest

from wordstill.errors import InputError
from wordstill.formats import load
from wordstill.io import reading
from wordstill.lexicons.lexicon import read_lexicon


@pytest.mark.parametrize(
    "read", [reading.read_bytes, reading.read_text, reading.read_json, reading.open_regular, load, read_lexicon]
)
def test_a_pipe_is_not_waited_for(tmp_path: Path, read: object) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match="is no regular file"):
        read(tmp_path / "pipe")  # type: ignore[operator]


def test_a_pipe_as_the_config_of_a_vectors_folder_is_not_waited_for(tmp_path: Path) -> None:
    import numpy as np

    from wordstill.vectors import WordVectors

    WordVectors(["a"], np.ones((1, 2), np.float32)).save(tmp_path / "v")
    (tmp_path / "v" / "config.json").unlink()
    os.mkfifo(tmp_path / "v" / "config.json")
    with pytest.raises(InputError, match=r"config\.json is no regular file"):
        load(tmp_path / "v")


@pytest.mark.parametrize(
    "text", [b"[" * 100_000, b'{"a":' * 100_000, b"9" * 5_000, b'{"count": ' + b"1" * 5_000 + b"}", b"\xff", b""]
)
def test_json_that_nests_too_deep_or_counts_too_far_is_refused(tmp_path: Path, text: bytes) -> None:
    (tmp_path / "a.json").write_bytes(text)
    with pytest.raises(InputError, match=r"a\.json is no JSON that can be read"):
        reading.read_json(tmp_path / "a.json")


def test_a_bomb_is_refused_before_it_fills_the_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "UNPACKED_ALWAYS", 1 << 20)
    monkeypatch.setattr(reading.largest_unpacked, "__defaults__", (1 << 20,))
    bomb = gzip.compress(b"a b\n" * (1 << 23))
    (tmp_path / "lexicon.gz").write_bytes(bomb)
    with zipfile.ZipFile(tmp_path / "wordnet.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("wordnet/data.noun", b"  " + b" \n" * (1 << 24))
    tracemalloc.start()
    for name in ("lexicon.gz", "wordnet.zip"):
        with pytest.raises(InputError, match="unpacks to more than 1 MiB"):
            read_lexicon(tmp_path / name)
    assert tracemalloc.get_traced_memory()[1] < 8 << 20, "32 MiB were promised, one may be held"
    tracemalloc.stop()


def test_what_text_packs_to_is_read(tmp_path: Path) -> None:
    words = b"".join(b"word%d other%d\n" % (number, number) for number in range(20_000))
    (tmp_path / "a.gz").write_bytes(gzip.compress(words))
    assert reading.read_unpacked(tmp_path / "a.gz") == words


def test_every_cut_and_every_flip_of_a_packed_lexicon_is_a_sentence_or_its_content(tmp_path: Path) -> None:
    whole = gzip.compress(b"".join(b"w%d v%d\n" % (number, number * 7 % 11) for number in range(60)), mtime=0)
    path = tmp_path / "lexicon.gz"
    damaged = [whole[:cut] for cut in range(2, len(whole), 7)]
    damaged += [whole[:place] + bytes([whole[place] ^ 0x55]) + whole[place + 1 :] for place in range(2, len(whole), 3)]
    refused = 0
    for content in damaged:
        path.write_bytes(content)
        try:
            read_lexicon(path)
        except InputError:
            refused += 1
    assert refused > len(damaged) * 0.9


def test_every_flip_of_a_zipped_wordnet_is_a_sentence_or_its_content(tmp_path: Path) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for part in ("noun", "verb", "adj", "adv"):
            archive.writestr(f"wordnet/data.{part}", "00000010 03 n 02 car 0 auto 0 000 | a car\n")
    whole, path = packed.getvalue(), tmp_path / "wordnet.zip"
    for place in range(0, len(whole), 2):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :])
        with suppress(InputError):
            assert read_lexicon(path).words == ("auto", "car")


def test_a_library_that_raises_anything_gives_one_sentence(tmp_path: Path) -> None:
    told = r"x does not load as a thing \(Exception: first\); is it whole\?"
    with pytest.raises(InputError, match=told), reading.read_by_library(Path("x"), "a thing"):
        raise Exception("first\nsecond")
    with pytest.raises(KeyboardInterrupt), reading.read_by_library(Path("x"), "a thing"):
        raise KeyboardInterrupt
