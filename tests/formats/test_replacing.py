"""Vectors replace vectors that wordstill wrote, and nothing else, whoever asks for it."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from trees import tree_of
from ugly_vectors import any_vectors, assert_same
from written_formats import EVERY_FILE, EVERY_FOLDER, EVERY_FORMAT, place_for

from wordstill.cli import main
from wordstill.errors import InputError
from wordstill.formats import FORMATS, load, save
from wordstill.vectors import WordVectors

WORDS = ["the", "river", "flows"]
MATRIX = np.array([[1.0, 2.0], [0.5, -0.25], [3.0, 0.1]], np.float32)
OLD = WordVectors(WORDS, MATRIX, [3, 2, 1])
NEW = WordVectors(["sea", *WORDS], np.arange(8, dtype=np.float32).reshape(4, 2), [4, 3, 2, 1])
COMMANDS: dict[str, list[str]] = {
    "convert": ["convert", "{source}", "{target}", "--to", "{name}", "--overwrite"],
    "refine": ["refine", "{source}", "{target}", "--method", "center", "--format", "{name}", "--overwrite", "-q"],
    "combine": ["combine", "{target}", "{source}", "{source}", "--format", "{name}", "--overwrite"],
}
EVERY_CALLER = pytest.mark.parametrize("caller", ["save", *COMMANDS])

Capture = pytest.CaptureFixture[str]


def command(caller: str, source: Path, target: Path, name: str) -> list[str]:
    return [part.format(source=source, target=target, name=name) for part in COMMANDS[caller]]


def refusal(caller: str, source: Path, target: Path, name: str, capsys: Capture) -> str:
    """The sentence with which the caller refuses to write."""
    if caller == "save":
        with pytest.raises(InputError) as caught:
            WordVectors.load(source).save(target, format=name)
        return str(caught.value)
    assert main(command(caller, source, target, name)) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.count("\n") == 1
    return shown.err


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("made") / "source"
    save(NEW, path)
    return path


@pytest.fixture
def here(tmp_path: Path) -> Path:
    (tmp_path / "here").mkdir()
    return tmp_path / "here"


# ---------------------------------------------------------------- folders


def add_a_file(folder: Path) -> str:
    (folder / "thesis.txt").write_text("years of work")
    return "thesis.txt"


def add_a_folder(folder: Path) -> str:
    (folder / "photos").mkdir()
    (folder / "photos" / "one.jpg").write_bytes(b"\xff\xd8")
    return "photos"


def add_an_empty_folder(folder: Path) -> str:
    (folder / "later").mkdir()
    return "later"


def add_a_link(folder: Path) -> str:
    (folder.parent / "far").mkdir()
    (folder.parent / "far" / "precious").write_text("far away")
    (folder / "link").symlink_to(folder.parent / "far")
    return "link"


def link_a_member(folder: Path) -> str:
    """One of the folder's own files lies elsewhere, and a link stands for it."""
    member = min(path for path in folder.iterdir() if path.is_file())
    member.rename(folder.parent / "far")
    member.symlink_to(folder.parent / "far")
    return member.name


def add_a_folder_of_a_members_name(folder: Path) -> str:
    replaceable = (".md", ".cfg", "tokenizer_config.json")
    member = min(path for path in folder.iterdir() if path.name.endswith(replaceable))
    member.unlink()
    member.mkdir()
    (member / "inside").write_text("mine")
    return member.name


def add_a_pipe(folder: Path) -> str:
    os.mkfifo(folder / "pipe")
    return "pipe"


def add_a_file_deep_inside(folder: Path) -> str:
    inside = folder / "vocab"
    inside.mkdir(exist_ok=True)
    (inside / "notes").write_text("mine")
    return "vocab"


ADDITIONS = [
    add_a_file, add_a_folder, add_an_empty_folder, add_a_link, link_a_member, add_a_folder_of_a_members_name,
    add_a_pipe, add_a_file_deep_inside,
]  # fmt: skip


@EVERY_CALLER
@EVERY_FOLDER
@pytest.mark.parametrize("add", ADDITIONS, ids=lambda add: add.__name__)
def test_a_folder_of_vectors_with_something_foreign_in_it_is_not_replaced(
    source: Path, here: Path, name: str, caller: str, add: Callable[[Path], str], capsys: Capture
) -> None:
    target = place_for(here, name)
    save(OLD, target, format=name)
    foreign = add(target)
    before = tree_of(here)
    sentence = refusal(caller, source, target, name, capsys)
    assert f"{target} holds {foreign}" in sentence
    assert "which wordstill did not write; choose another name, or move it away" in sentence
    assert tree_of(here) == before


@EVERY_CALLER
@EVERY_FORMAT
@pytest.mark.parametrize("target", ["..", ".", "~"])
def test_neither_the_folder_one_is_in_nor_one_above_it_nor_home_is_replaced(
    source: Path,
    here: Path,
    name: str,
    caller: str,
    target: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: Capture,
) -> None:
    (here / "work").mkdir()
    (here / "work" / "thesis.txt").write_text("years of work")
    (here / "work" / "README.md").write_text("# Mine")
    monkeypatch.chdir(here / "work")
    monkeypatch.setenv("HOME", str(here))
    before = tree_of(here)
    sentence = refusal(caller, source, Path(target).expanduser(), name, capsys)
    assert "which wordstill did not write" in sentence or "is a folder and would be replaced by a file" in sentence
    assert tree_of(here) == before


FOREIGN_FOLDERS: dict[str, dict[str, bytes]] = {
    "notes": {"notes.txt": b"mine"},
    "a project": {"README.md": b"# Mine", "config.json": b"{}"},
    "a model of transformers": {"config.json": b"{}", "model.safetensors": b"x", "tokenizer.json": b"{}"},
    "a pipeline of spaCy's": {
        "meta.json": json.dumps({"name": "mine", "vectors": {"name": "mine"}}).encode(),
        "config.cfg": b"",
        "vocab/strings.json": b"[]",
        "vocab/vectors": b"",
        "vocab/key2row": b"",
    },
    "a hidden file": {".git": b"gitdir: elsewhere"},
    "a name with a line break": {"two\nlines": b"mine"},
}


@EVERY_CALLER
@EVERY_FOLDER
@pytest.mark.parametrize("files", FOREIGN_FOLDERS.values(), ids=FOREIGN_FOLDERS)
def test_a_folder_that_is_no_vectors_folder_is_not_replaced(
    source: Path, here: Path, name: str, caller: str, files: dict[str, bytes], capsys: Capture
) -> None:
    for place, content in files.items():
        (here / "v" / place).parent.mkdir(parents=True, exist_ok=True)
        (here / "v" / place).write_bytes(content)
    before = tree_of(here)
    assert "which wordstill did not write" in refusal(caller, source, here / "v", name, capsys)
    assert tree_of(here) == before


@EVERY_FOLDER
def test_an_empty_folder_is_filled_even_the_one_that_a_link_leads_to(here: Path, name: str) -> None:
    (here / "empty").mkdir()
    (here / "link").symlink_to(here / "empty")
    save(NEW, here / "link", format=name)
    assert (here / "link").is_symlink()
    assert load(here / "empty").words == NEW.words


def test_what_a_run_and_the_command_subwords_add_to_a_folder_is_its_own(here: Path) -> None:
    save(OLD, here / "v")
    for added in ("subwords.safetensors", "projection.safetensors", ".subwords.safetensors.0123456789ab.tmp"):
        (here / "v" / added).write_bytes(b"")
    save(NEW, here / "v")
    assert load(here / "v").words == NEW.words
    assert "projection.safetensors" not in tree_of(here / "v")


def test_a_model_of_another_library_is_never_given_a_model_of_spellings(here: Path, capsys: Capture) -> None:
    save(OLD, here / "v")
    (here / "v" / "vocabulary.tsv").unlink()
    before = tree_of(here)
    assert main(["subwords", str(here / "v")]) == 2
    assert "is static-embedding, which holds no model of spellings" in capsys.readouterr().err
    assert tree_of(here) == before


# ---------------------------------------------------------------- files


def array() -> bytes:
    file = BytesIO()
    np.save(file, np.ones((3, 2), np.float32))
    return file.getvalue()


def table_of_parquet() -> bytes:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    sink = pyarrow.BufferOutputStream()
    parquet.write_table(pyarrow.table({"word": ["a"], "vector": [[1.0, 2.0]]}), sink)
    return bytes(sink.getvalue())


FOREIGN_FILES: dict[str, Callable[[], bytes]] = {
    "prose": lambda: b"Call me Ishmael.\nSome years ago\n",
    "a title that ends in a number": lambda: b"Budget 2024\n\nRent, food and books.\n",
    "a price list": lambda: b"milk 2.50\nbread 3.10\n",
    "a table": lambda: b"anna 3 4\nberta 5 6\n",
    "a table of long numbers": lambda: b"anna 0.12345678 4\nberta 5 6\n",
    "word pairs": lambda: b"tiger cat 7.35\nbook paper 7.46\n",
    "a date and prose": lambda: b"12 24\nWhat to buy for the children\n",
    "a day and a list": lambda: b"2 3\nmilk 2\nbread 3\n",
    "a picture with its size": lambda: b"640 480\n" + bytes(range(256)) * 40,
    "numbers alone": lambda: b"1\t2\n3\t4\n",
    "a web page": lambda: b"<!DOCTYPE html>\n<html>\n",
    "a pickle": lambda: b"\x80\x04\x95 rest",
    "an array without words": array,
    "a table of parquet": table_of_parquet,
    "zipped prose": lambda: gzip.compress(b"Call me Ishmael.\n"),
    "a damaged archive": lambda: b"\x1f\x8b\x08 and no more",
    "one letter": lambda: b"x",
    "a number too long for Python": lambda: b"9" * 10_000 + b" 3\n",
}


@EVERY_FILE
@pytest.mark.parametrize("made", FOREIGN_FILES.values(), ids=FOREIGN_FILES)
def test_a_file_that_is_not_vectors_of_wordstills_is_not_replaced(
    here: Path, name: str, made: Callable[[], bytes]
) -> None:
    target = here / "notes.txt"
    target.write_bytes(made())
    before = tree_of(here)
    with pytest.raises(InputError, match="is not recognised as wordstill's own and is not replaced"):
        NEW.save(target, format=name)
    assert tree_of(here) == before


@EVERY_CALLER
@EVERY_FILE
def test_nobody_replaces_notes(source: Path, here: Path, name: str, caller: str, capsys: Capture) -> None:
    target = place_for(here, name)
    target.write_text("Budget 2024\n\nRent, food and books.\n")
    before = tree_of(here)
    sentence = refusal(caller, source, target, name, capsys)
    assert f"{target} is not recognised as wordstill's own and is not replaced; choose another name" in sentence
    assert tree_of(here) == before


@EVERY_CALLER
@pytest.mark.parametrize(
    ("name", "first", "second"),
    [
        ("numpy", "v.npy", "v.words.tsv"),
        ("projector", "vectors.tsv", "metadata.tsv"),
        ("projector", "v.tsv", "v_metadata.tsv"),
    ],
)
@pytest.mark.parametrize("beside", ["nothing", "an empty file", "vectors of another format"])
def test_the_second_file_of_a_pair_is_not_replaced_where_the_first_is_not_its_own(
    source: Path, here: Path, name: str, first: str, second: str, beside: str, caller: str, capsys: Capture
) -> None:
    (here / second).write_text("precious\n")
    if beside == "an empty file":
        (here / first).write_text("")
    elif beside == "vectors of another format":
        save(OLD, here / first, format="word2vec")
    before = tree_of(here)
    assert f"{second} is not recognised as wordstill's own" in refusal(caller, source, here / first, name, capsys)
    assert tree_of(here) == before


@pytest.mark.parametrize(("name", "second"), [("numpy", "v.words.tsv"), ("projector", "v_metadata.tsv")])
def test_a_pair_whose_second_file_was_changed_is_not_replaced(here: Path, name: str, second: str) -> None:
    first = place_for(here, name)
    save(OLD, first, format=name)
    with (here / second).open("a") as file:
        file.write("and what I think of these words\n")
    before = tree_of(here)
    with pytest.raises(InputError, match="is not recognised as wordstill's own"):
        save(NEW, first, format=name)
    assert tree_of(here) == before


@pytest.mark.parametrize(("name", "second"), [("numpy", "v.words.tsv"), ("projector", "v_metadata.tsv")])
def test_no_half_of_a_pair_is_written_where_the_other_half_is_a_folder(here: Path, name: str, second: str) -> None:
    (here / second).mkdir()
    with pytest.raises(InputError, match="is a folder and would be replaced by a file"):
        save(NEW, place_for(here, name), format=name)
    assert set(tree_of(here)) == {second}


def test_a_list_of_words_that_is_never_written_is_in_nobodys_way(here: Path) -> None:
    (here / "v.words.txt").write_text("mine\n")
    save(NEW, here / "v.npy")
    assert load(here / "v.npy").words == NEW.words
    assert (here / "v.words.txt").read_text() == "mine\n"


@EVERY_CALLER
@EVERY_FORMAT
def test_a_folder_and_a_file_never_replace_each_other(
    source: Path, here: Path, name: str, caller: str, capsys: Capture
) -> None:
    target = place_for(here, name)
    if FORMATS[name].members:
        target.write_bytes(b"")
        expected = "is a file and would be replaced by a folder"
    else:
        target.mkdir()
        expected = "is a folder and would be replaced by a file"
    before = tree_of(here)
    assert expected in refusal(caller, source, target, name, capsys)
    assert tree_of(here) == before


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names here")
@EVERY_CALLER
@EVERY_FORMAT
def test_a_pipe_is_neither_opened_nor_replaced(
    source: Path, here: Path, name: str, caller: str, capsys: Capture
) -> None:
    target = place_for(here, name)
    os.mkfifo(target)
    before = tree_of(here)
    assert "is neither a file nor a folder" in refusal(caller, source, target, name, capsys)
    assert tree_of(here) == before


# ---------------------------------------------------------------- what is replaced


@EVERY_FORMAT
@settings(max_examples=25)
@given(old=any_vectors() | any_vectors(one_token=True))
def test_whatever_was_written_can_be_replaced(
    tmp_path_factory: pytest.TempPathFactory, name: str, old: WordVectors
) -> None:
    path = place_for(tmp_path_factory.mktemp("again"), name)
    try:
        save(old, path, format=name)
    except InputError:
        return  # the format does not hold such words
    save(NEW, path, format=name)
    assert_same(load(path), NEW)


@EVERY_FORMAT
@pytest.mark.parametrize("dimensions", [100, 300_000])
def test_large_vectors_are_recognised_by_their_beginning(tmp_path: Path, name: str, dimensions: int) -> None:
    rows = 400_000 // dimensions + 1
    matrix = np.random.default_rng(0).standard_normal((rows, dimensions)).astype(np.float32)
    words = [f"word{row}" for row in range(rows)]
    save(WordVectors(words, matrix, range(rows)), place_for(tmp_path, name), format=name)
    save(NEW, place_for(tmp_path, name), format=name)
    assert load(place_for(tmp_path, name)).words == NEW.words


@EVERY_FORMAT
@pytest.mark.parametrize("caller", COMMANDS)
def test_a_command_replaces_what_wordstill_wrote_when_told_to(
    source: Path, here: Path, name: str, caller: str, capsys: Capture
) -> None:
    target = place_for(here, name)
    save(OLD, target, format=name)
    call = command(caller, source, target, name)
    assert main([part for part in call if part != "--overwrite"]) == 2
    assert f"{target} exists; give another name, or --overwrite to replace it" in capsys.readouterr().err
    assert load(target).words == OLD.words
    assert main(call) == 0
    assert load(target).words == NEW.words


@pytest.mark.parametrize("ending", [".txt", ".vec.gz", ".bin.gz", ".glove.gz", ".w2v", ""])
def test_the_name_may_stay_where_the_format_changes(here: Path, ending: str) -> None:
    path = here / f"v{ending}"
    for name in ("word2vec", "glove", "word2vec-binary", "fasttext", "numpy", "word2vec"):
        save(WordVectors(WORDS, MATRIX / 3), path, format=name)
    assert load(path).words == WORDS


def test_an_empty_file_may_become_vectors(here: Path) -> None:
    (here / "v.txt").write_text("")
    save(NEW, here / "v.txt")
    assert load(here / "v.txt").words == NEW.words


@pytest.mark.parametrize("caller", COMMANDS)
@pytest.mark.parametrize("target", ["notes.txt", "notes"])
def test_a_refused_target_costs_nothing(here: Path, caller: str, target: str, capsys: Capture) -> None:
    (here / "notes").mkdir()
    (here / "notes" / "mine").write_text("mine")
    (here / "notes.txt").write_text("mine")
    name = "folder" if target == "notes" else "word2vec"
    # Nothing is read: the vectors are not even there.
    assert main(command(caller, here / "no-such-vectors", here / target, name)) == 2
    assert "choose another name, or move it away" in capsys.readouterr().err
