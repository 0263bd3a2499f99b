"""ELMo against a literal numpy version, on small weights in the published layout; and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import h5py
import numpy as np
import pytest

from reference.elmo import characters, elmo, word_vector
from small_elmo import make_options, make_weights, write_elmo
from texts import write_corpus
from wordstill import WordVectors
from wordstill.arrays import Array
from wordstill.distillation.distill import distill
from wordstill.errors import InputError
from wordstill.teacher.batch import TABLE
from wordstill.teacher.characters import CharacterTable
from wordstill.teacher.encode import forward, lay_out, to_batch
from wordstill.teacher.load import Teacher, load_teacher
from wordstill.teacher.sentences import sentence_vectors
from wordstill.teacher.single_words import words_alone, words_in_table
from wordstill.teacher.texts import Dropped, make_texts

SENTENCES = [
    ["The", "river", "Danube", "flows", "."],
    ["Yes"],
    ["internationalisation", "of", "Çatalhöyük", "東京", "the", "river", "."],
]


def vectors_of(teacher: Teacher, sentences: list[list[str]]) -> dict[int, Array]:
    words = [word for sentence in sentences for word in sentence]
    pieces, lengths = teacher.pieces(words)
    numbers, sizes = np.arange(len(words)), [len(sentence) for sentence in sentences]
    texts = make_texts(numbers, pieces, lengths, sizes, "sentence", teacher.limit, Dropped())
    grid = lay_out(teacher, texts)
    batch = to_batch(texts, grid, forward(teacher, grid, range(teacher.layers + 1)))
    assert batch.words.tolist() == numbers.tolist()
    return dict(batch.layers)


def test_a_row_has_the_bytes_of_a_word_between_its_marks() -> None:
    table = CharacterTable(12)
    rows, lengths = table(["a", "Çatalhöyük", "", "internationalisation"])
    assert lengths.tolist() == [1, 1, 0, 1]
    words = ("a", "Çatalhöyük", "internationalisation")
    assert rows.tolist() == [characters(word, 12) for word in words]
    assert table.prefix == [characters(256, 12)]
    assert table.suffix == [characters(257, 12)]


@pytest.mark.parametrize(
    "changed",
    [
        {},
        {"use_skip_connections": False, "cell_clip": None, "proj_clip": None},
        {"projection_dim": 12, "n_layers": 3},  # as wide as the filters together: nothing is projected
    ],
)
def test_every_layer_is_that_of_the_literal_version(tmp_path: Path, changed: dict[str, object]) -> None:
    options = make_options(**changed)
    weights = make_weights(options)
    teacher = load_teacher(write_elmo(tmp_path, options, weights))
    assert (teacher.layers, teacher.width) == (options["lstm"]["n_layers"], 2 * options["lstm"]["projection_dim"])
    found = vectors_of(teacher, SENTENCES)  # rows of different lengths, in one batch
    expected = [elmo(sentence, options, weights) for sentence in SENTENCES]
    for layer in range(teacher.layers + 1):
        own = np.concatenate([layers[layer] for layers in expected])
        np.testing.assert_allclose(found[layer], own, rtol=1e-4, atol=1e-5)
    if not changed:  # the bounds are in use, or nothing would be tested of them
        assert (np.abs(found[1]) == np.float32(0.3)).any()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    options = make_options()
    return write_elmo(tmp_path_factory.mktemp("elmo"), options, make_weights(options))


def test_words_alone_and_their_characters_are_those_of_the_literal_version(folder: Path) -> None:
    options, teacher = make_options(), load_teacher(folder)
    weights, words = make_weights(options), ["river", "東京"]
    (batch,) = words_alone(teacher, np.arange(2), words, [2], 100, "mean")
    own = np.concatenate([elmo([word], options, weights)[2] for word in words])
    np.testing.assert_allclose(batch.layers[2], own, rtol=1e-4, atol=1e-5)
    table = words_in_table(teacher, np.arange(2), words).layers[TABLE]
    np.testing.assert_allclose(table, [word_vector(word, options, weights) for word in words], rtol=1e-4, atol=1e-5)


def test_a_sentence_vector_is_the_mean_over_words_and_marks(folder: Path) -> None:
    teacher = load_teacher(folder)
    found = sentence_vectors(teacher, ["The river flows.", ""], layer=0)
    options, words = make_options(), [256, "The", "river", "flows", ".", 257]
    own = np.mean([word_vector(word, options, make_weights(options)) for word in words], axis=0)
    np.testing.assert_allclose(found[0], np.concatenate([own, own]), rtol=1e-4, atol=1e-5)


@pytest.mark.slow
def test_a_run_with_elmo_has_every_row_of_the_papers(folder: Path, tmp_path: Path) -> None:
    corpus = write_corpus(tmp_path / "corpus.txt", 30)
    students = ["aggregate", "alone", "table", "closed", "pieces=closed"]
    options = {"pieces": {"view": "pieces"}}
    run = distill(
        corpus,
        teacher=str(folder),
        students=students,
        student_options=options,
        layer="all",
        out=tmp_path / "run",
        rare="leave",
    )
    layers = [f"{name}/layer-{layer:02d}" for name in ("aggregate", "alone") for layer in range(3)]
    widths = {name: run.vectors(name).matrix.shape[1] for name in run.record.students}
    assert widths == {**dict.fromkeys([*layers, "closed", "pieces"], 12), "table": 6}
    # Layer 0 knows no context: the mean over contexts is the word alone.
    seen, alone = run.vectors("aggregate/layer-00"), run.vectors("alone/layer-00")
    np.testing.assert_allclose(seen["river"], alone["river"], atol=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["gpt2", "llama", "xlnet", "t5"])
def test_decoders_and_xlnet_have_the_same_rows(kind: str, tmp_path: Path) -> None:
    from small_models import make_model

    corpus = write_corpus(tmp_path / "corpus.txt", 20)
    model = make_model(kind, tmp_path / kind)
    run = distill(
        corpus,
        teacher=str(model),
        students=["table", "alone", "aggregate"],
        layer="all",
        out=tmp_path / "run",
        rare="leave",
    )
    teacher = load_teacher(model)
    pieces, _ = teacher.pieces(["river"])
    table = teacher.model.get_input_embeddings().weight.numpy()[pieces]  # type: ignore[operator]
    np.testing.assert_allclose(run.vectors("table")["river"], table.mean(axis=0), atol=1e-6)
    for layer in range(teacher.layers + 1):
        (batch,) = words_alone(teacher, np.zeros(1, dtype=np.int64), ["river"], [layer], 64, "mean")
        alone: WordVectors = run.vectors(f"alone/layer-{layer:02d}")
        np.testing.assert_allclose(alone["river"], batch.layers[layer][0], atol=1e-5)
        assert np.isfinite(run.vectors(f"aggregate/layer-{layer:02d}").matrix).all()


def test_what_is_no_elmo_is_refused_in_one_sentence(tmp_path: Path) -> None:
    options = make_options()
    weights = make_weights(options)

    def refused(match: str) -> None:
        with pytest.raises(InputError, match=match) as caught:
            load_teacher(tmp_path / "elmo")
        assert "\n" not in str(caught.value)

    path = write_elmo(tmp_path / "elmo", options, weights)
    (path / "second.hdf5").write_bytes(b"")
    refused(r"has 2 files \*\.hdf5")
    (path / "second.hdf5").unlink()
    (path / "elmo_small_options.json").write_text("{}")
    refused("is no options file of ELMo")
    write_elmo(path, make_options(n_layers=10**9), weights)
    refused("asks for what no ELMo model has")
    write_elmo(path, make_options(dim=11), weights)
    refused("the options beside it do not fit")
    write_elmo(path, make_options(n_layers=3), weights)
    refused("has no RNN_0/RNN/MultiRNNCell/Cell2/LSTMCell/W_0")
    write_elmo(path, options, {**weights, "char_embed": np.full((261, 4), np.nan, dtype=np.float32)})
    refused("NaN or infinity")
    whole = (path / "elmo_small_weights.hdf5").read_bytes()
    (path / "elmo_small_weights.hdf5").write_bytes(whole[:2000])
    refused("does not load as the weights of an ELMo model")
    with h5py.File(path / "elmo_small_weights.hdf5", "w") as file:
        file["char_embed"] = json.dumps("text")
    refused("does not load as|do not fit")
