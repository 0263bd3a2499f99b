"""Other encoders beside word vectors: the real packages, on small models, against their own answers."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import spearmanr

from small_sets import random_vectors, write_presence
from wordstill import WordVectors, evaluate
from wordstill.arrays import Array, unit_rows
from wordstill.cli import main
from wordstill.errors import InputError
from wordstill.evaluation import encoders
from wordstill.evaluation.encoders import TextEncoder, open_encoder
from wordstill.formats import save

PAIRS = [
    ("the river bank", "a river", 3.5),
    ("the bank", "the river", 2.0),
    ("a river bank", "a river bank", 5.0),
    ("the river", "a bank", 1.0),
]
TEXTS = [text for pair in PAIRS for text in pair[:2]]


@pytest.fixture
def pairs(tmp_path: Path) -> str:
    (tmp_path / "pairs.tsv").write_text("".join(f"{a}\t{b}\t{score}\n" for a, b, score in PAIRS), encoding="utf-8")
    return f"sentences:{tmp_path / 'pairs.tsv'}"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    matrix = np.random.default_rng(2).normal(size=(4, 12)).astype(np.float32)
    save(WordVectors(["the", "a", "river", "bank"], matrix), tmp_path / "small")
    return tmp_path / "small"


def expected_score(encode: Callable[[list[str]], Any]) -> float:
    first, second = (unit_rows(np.asarray(encode([pair[side] for pair in PAIRS]))) for side in (0, 1))
    return float(spearmanr((first * second).sum(axis=1), [score for *_, score in PAIRS])[0])


def test_a_model_of_model2vec_is_judged_as_its_package_encodes(folder: Path, pairs: str) -> None:
    model2vec = pytest.importorskip("model2vec")
    results = evaluate([], datasets=[pairs], encoder_rows=[f"model2vec:{folder}"])
    (result,) = results
    assert (result.vectors, result.task, result.coverage) == ("model2vec:small", "sentences", 1.0)
    assert result.score == pytest.approx(expected_score(model2vec.StaticModel.from_pretrained(folder).encode))


def test_rows_stand_beside_vectors_in_every_table(
    folder: Path, pairs: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    package = pytest.importorskip("sentence_transformers")
    row = f"sentence-transformers:{folder}"
    files = [f"--{kind}={tmp_path / kind}" for kind in ("json", "csv", "latex")]
    assert main(["evaluate", str(folder), "--datasets", pairs, "--encoder-rows", row, *files]) == 0
    written = {one["vectors"]: one for one in json.loads((tmp_path / "json").read_text())}
    assert written.keys() == {"small", "sentence-transformers:small"}
    # All words are known, so that both take the same mean.
    model = package.SentenceTransformer(str(folder), device="cpu")
    expected = pytest.approx(expected_score(model.encode))
    assert written["sentence-transformers:small"]["score"] == expected == written["small"]["score"]
    for shown in (capsys.readouterr().out, *((tmp_path / kind).read_text() for kind in ("csv", "latex"))):
        assert "sentence-transformers:small" in shown


@pytest.mark.slow
def test_wordllama_is_judged_with_the_weights_of_its_wheel(pairs: str) -> None:
    pytest.importorskip("wordllama")
    handlers = list(logging.getLogger().handlers)
    encoder = open_encoder("wordllama")
    # The package sets up the messages of the whole process when it is imported.
    assert logging.getLogger().handlers == handlers
    assert encoder.encode(TEXTS).shape == (8, 256)
    similar, other = encoder.encode(["a fast car", "a quick automobile"]), encoder.encode(["the history of cheese"])
    assert similar[0] @ similar[1] > similar[0] @ other[0]
    (result,) = evaluate([], datasets=[pairs], encoder_rows=["wordllama"])
    assert result.score == pytest.approx(expected_score(encoder.encode))


@pytest.mark.slow
def test_model2vec_distills_a_teacher_beside_it(teacher: str, pairs: str) -> None:
    distillation = pytest.importorskip("model2vec.distill")
    row = f"model2vec-distill:{teacher}@8"
    (result,) = evaluate([], datasets=[pairs], encoder_rows=[row])
    model = distillation.distill(model_name=teacher, pca_dims=8, device="cpu")
    assert result.vectors == row
    assert result.score == pytest.approx(expected_score(model.encode), abs=1e-6)
    assert open_encoder(row).encode(["a river"]).shape == (1, 8)


def test_the_teacher_is_a_row_of_sentences_and_probe(teacher: str, pairs: str, tmp_path: Path) -> None:
    texts = write_presence(tmp_path / "texts.tsv", 60)
    results = evaluate(
        random_vectors(), datasets=[pairs, f"probe:{texts}"], teacher_rows=[teacher], task_options={"probe": {"a": "1"}}
    )
    # Nothing of these tasks can be trained with the teacher.
    assert {result.vectors for result in results} == {"vectors", f"{teacher}, frozen"}
    sentences = pytest.importorskip("sentence_transformers").SentenceTransformer(teacher, device="cpu")
    assert results.find("pairs", f"{teacher}, frozen").score == pytest.approx(expected_score(sentences.encode))
    probed = results.find("texts", f"{teacher}, frozen")
    assert [part.name for part in probed.parts] == ["macro-F1"]
    assert probed.coverage == 1.0


def test_the_probe_of_an_encoder_learns_what_its_vectors_tell(
    tmp_path: Path, pairs: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_presence(tmp_path / "texts.tsv", 120)
    label = dict(reversed(line.split("\t")) for line in path.read_text().splitlines())  # type: ignore[arg-type]
    classes = sorted(set(label.values()))

    def telling(texts: list[str]) -> Array:
        return np.array([[classes.index(label[text]), 1.0] for text in texts])

    monkeypatch.setattr("wordstill.evaluation.judging.open_encoder", lambda row: TextEncoder(row, telling))
    (result,) = evaluate([], datasets=[f"probe:{path}"], encoder_rows=["wordllama"])
    assert (result.vectors, result.score) == ("wordllama", 1.0)


def test_texts_are_encoded_in_order_however_many_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoders, "_CHUNK", 3)
    seen: list[int] = []

    def rows(texts: list[str]) -> Array:
        seen.append(len(texts))
        return np.array([[float(text)] for text in texts])

    numbers = [0, 1, 2, 3, 2, 4, 5, 6, 0]
    made = TextEncoder("numbers", rows).encode([str(number) for number in numbers])
    assert made.dtype == np.float32
    assert made[:, 0].tolist() == numbers
    assert seen == [3, 3, 1]  # each different text once


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (["doc2vec:x"], "'doc2vec:x' is no encoder to judge; give one of model2vec:FOLDER, "),
        (["model2vec"], "'model2vec' is no encoder to judge"),
        (["wordllama:x"], "'wordllama:x' is no encoder to judge"),
        (["model2vec-distill:minilm@many"], "needs a number of dimensions behind @, such as minilm@384"),
        (["wordllama", "wordllama"], "two encoders are called wordllama"),
    ],
)
def test_what_is_no_encoder_is_refused_first(pairs: str, rows: list[str], expected: str) -> None:
    pytest.importorskip("wordllama")
    pytest.importorskip("skeletoken")
    with pytest.raises(InputError, match=expected):
        evaluate(random_vectors(), datasets=[pairs], encoder_rows=rows)


def test_a_package_that_is_missing_is_named(pairs: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoders, "find_spec", lambda module: None if module == "skeletoken" else object())
    with pytest.raises(InputError, match=r"needs skeletoken, .*: pip install 'model2vec\[distill\]'"):
        evaluate(random_vectors(), datasets=[pairs], encoder_rows=["model2vec-distill:minilm"])


def test_encoders_judge_texts_alone(tmp_path: Path, folder: Path, pairs: str) -> None:
    pytest.importorskip("model2vec")
    (tmp_path / "words.txt").write_text("w1 w2 3\nw2 w3 4\n")
    row = f"model2vec:{folder}"
    with pytest.raises(InputError, match="--encoder-rows is for sentences and probe"):
        evaluate(random_vectors(), datasets=[f"similarity:{tmp_path / 'words.txt'}"], encoder_rows=[row])
    with pytest.raises(InputError, match="no vectors to evaluate"):
        evaluate([], datasets=[pairs])
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "config.json").write_text("{")
    with pytest.raises(InputError, match="does not load as a model of model2vec"):
        open_encoder(f"model2vec:{broken}")
