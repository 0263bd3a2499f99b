"""The attention of a finished dynamic-skipgram, against transformers and the paper's equation."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from transformers import AutoModel, AutoTokenizer

from reference.skipgram import attention_weights as literal_weights
from reference.windows import window_of
from small_models import make_model
from texts import write_corpus
from wordstill import InputError, distill
from wordstill.distillation.run_folder import Run
from wordstill.distillation.settings import DistillSettings
from wordstill.explore.attention import attention_weights, received, window_attention
from wordstill.io import safetensors
from wordstill.teacher.batch import Batch
from wordstill.teacher.load import Teacher, load_teacher

SENTENCE = "The Zebra reads 3.5 litres near the river"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_model("bert", tmp_path_factory.mktemp("bert"))


@pytest.fixture(scope="module")
def teacher(folder: Path) -> Teacher:
    return load_teacher(folder)


@pytest.fixture(scope="module")
def run(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Run:
    place = tmp_path_factory.mktemp("run")
    settings = DistillSettings(
        teacher=str(folder),
        students=("dynamic-skipgram", "uniform=dynamic-skipgram", "paper=dynamic-skipgram", "aggregate"),
        student_options={
            "dynamic-skipgram": {"window": "2", "learning_rate": "0.5"},
            "uniform": {"window": "3", "attention": "false"},
            "paper": {"preset": "paper", "window": "2", "dimensions": "20"},
        },
        context="sentence",
    )
    return distill(write_corpus(place / "texts.txt", 60), out=place / "run", settings=settings)


@pytest.mark.parametrize(("student", "window"), [("dynamic-skipgram", 2), ("uniform", 3), ("paper", 2)])
def test_the_weights_of_a_run_are_the_papers_equation(
    run: Run, folder: Path, teacher: Teacher, student: str, window: int
) -> None:
    words, weights = attention_weights(run.folder / student, SENTENCE, teacher)
    assert words == SENTENCE.split()
    vectors = run.vectors(student)
    numbers = [vectors.key_to_index.get(word.lower(), -1) for word in words]
    assert numbers.count(-1) == 1, "the zebra is not in the corpus"
    tokenizer, model = AutoTokenizer.from_pretrained(folder), AutoModel.from_pretrained(folder).eval()
    tokenizer.backend_tokenizer.no_truncation()
    tokenizer.backend_tokenizer.no_padding()
    encoded = tokenizer(words, is_split_into_words=True, return_tensors="pt")
    with torch.no_grad():
        hidden = model(**encoded).last_hidden_state[0]
    projection = safetensors.read(run.folder / student / "projection.safetensors")[0]
    map_, mean = torch.tensor(projection["map"]), torch.tensor(projection["mean"])
    table = torch.tensor(np.array(vectors.matrix))
    for i in range(len(words)):
        own = [place for place, owner in enumerate(encoded.word_ids()) if owner == i]
        centre = map_ @ (hidden[own].mean(dim=0) - mean)
        around = [j for j in window_of(len(words), i, window) if numbers[j] >= 0]
        expected = np.full(len(words), np.nan)
        expected[around] = literal_weights(table, centre, [numbers[j] for j in around], student != "uniform")
        np.testing.assert_allclose(weights[i], expected, rtol=2e-4)
    if student != "uniform":
        assert np.nanmax(weights) > 0.3


def test_windows_end_with_their_sentence_and_a_word_alone_attends_to_nobody() -> None:
    random = np.random.default_rng(0)
    table, centres = random.standard_normal((2, 6, 4)).astype(np.float32)
    batch = Batch(np.array([3, -1, 3, 5, 7, 8]), np.array([0, 0, 0, 1, 2, 2]), np.array([0, 1, 2, 0, 0, 3]))
    weights = window_attention(table, centres, batch, 2, True)
    known = [(0, 2), (1, 0), (1, 2), (2, 0)]  # a word is not its own neighbour, but the same word elsewhere is
    assert [tuple(place) for place in np.argwhere(np.isfinite(weights))] == known
    scores = np.exp(table[[0, 2]] @ centres[1])
    np.testing.assert_allclose(weights[1, [0, 2]], scores / scores.sum(), rtol=1e-5)


def test_equal_weights_mean_that_each_word_receives_one() -> None:
    weights = np.array([[np.nan, 0.5, 0.5], [1.0, np.nan, np.nan], [0.5, 0.5, np.nan]])
    np.testing.assert_allclose(received(weights), [1.0, 1.0, 1.0])
    assert np.isnan(received(np.full((2, 2), np.nan))).all()


def test_what_has_no_attention_is_refused(run: Run, teacher: Teacher, folder: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="needs the folder of a dynamic-skipgram"):
        attention_weights(run.folder / "aggregate", SENTENCE, teacher)
    with pytest.raises(InputError, match="no word in the text"):
        attention_weights(run.folder / "paper", " \n", teacher)
    reduced = DistillSettings(teacher=str(folder), students=("dynamic-skipgram",), dimensions=8)
    distill(write_corpus(tmp_path / "texts.txt", 30), out=tmp_path / "run", settings=reduced)
    with pytest.raises(InputError, match="without --dim"):
        attention_weights(tmp_path / "run" / "dynamic-skipgram", SENTENCE, teacher)


def test_another_teacher_is_refused(run: Run, teacher: Teacher) -> None:
    with pytest.raises(InputError, match="learned from a teacher of width 32"):
        attention_weights(run.folder / "paper", SENTENCE, replace(teacher, width=64))
