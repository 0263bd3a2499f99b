"""The student that reads a dictionary: against sentence-transformers' way of reading, one text at a time."""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from runs import break_run, vector_bytes
from texts import NOUNS, VERBS, write_corpus
from wordstill.cli import main
from wordstill.corpus.vocabulary import VocabularySettings
from wordstill.distillation import teaching
from wordstill.distillation.distill import distill
from wordstill.distillation.engines import LOCAL
from wordstill.distillation.opening import open_run
from wordstill.distillation.preparing import check_input
from wordstill.distillation.settings import DistillSettings, ExecutionSettings
from wordstill.distillation.shard_work import ShardWork
from wordstill.distillation.share import distill_share
from wordstill.errors import InputError

pytestmark = pytest.mark.slow

SENSES = {
    "river": ["a large stream of water", "anything that flows"],
    "sea": ["a large body of salt water"],
    "dog": ["an animal that barks", "to follow", "a fellow", "a hot sausage"],
}


@pytest.fixture
def dictionary(tmp_path: Path) -> Path:
    """A dictionary of a few nouns; further words have one definition each."""
    path = tmp_path / "glossary.tsv"
    rows = [f"{word}\t{sense}" for word, senses in SENSES.items() for sense in senses]
    rows += [f"{word}\tsomething about the {other}" for word, other in zip(VERBS, reversed(VERBS), strict=True)]
    path.write_text("\n".join(rows), encoding="utf-8")
    return path


@pytest.fixture
def defining(teacher: str, dictionary: Path) -> DistillSettings:
    """A run without a corpus."""
    words = VocabularySettings(forced=(*NOUNS, *VERBS))
    return DistillSettings(
        teacher=teacher, students=("definition",), vocabulary=words, dictionary=(str(dictionary),), threads=1
    )


def test_a_vector_is_the_weighted_mean_of_the_sentence_vectors_of_the_definitions(
    defining: DistillSettings, tmp_path: Path
) -> None:
    import torch
    from transformers import AutoModel, AutoTokenizer

    vectors = distill(out=tmp_path / "run", settings=defining).vectors("definition")
    tokenizer = AutoTokenizer.from_pretrained(defining.teacher)
    model = AutoModel.from_pretrained(defining.teacher).eval()

    def read(text: str) -> np.ndarray:
        with torch.inference_mode():
            states = model(**tokenizer(text, return_tensors="pt")).last_hidden_state
        return states[0].mean(dim=0).numpy()

    for word, senses in SENSES.items():
        weights = np.array([1.0 / rank for rank in range(1, len(senses) + 1)])
        expected = np.average([read(f"{word}: {sense}") for sense in senses], axis=0, weights=weights)
        np.testing.assert_allclose(vectors[word], expected, rtol=1e-3, atol=1e-5)


def test_words_without_a_definition_are_predicted_and_those_with_one_are_left_alone(
    defining: DistillSettings, tmp_path: Path
) -> None:
    run = distill(out=tmp_path / "run", settings=defining)
    vectors, told = run.vectors("definition"), run.record.students["definition"].unseen
    assert set(vectors.words) == {*NOUNS, *VERBS}
    assert told["words_never_seen"] == len(NOUNS) - len(SENSES)
    assert told["rare"] == "leave"
    assert run.record.seconds.parts["dictionary"] > 0
    assert run.record.corpus.words == 0
    known = VocabularySettings(forced=(*SENSES, *VERBS))
    alone = distill(out=tmp_path / "known", settings=replace(defining, vocabulary=known)).vectors("definition")
    for word in SENSES:
        np.testing.assert_allclose(vectors[word], alone[word], rtol=1e-3, atol=1e-5)
    guessed = np.stack([vectors[word] for word in NOUNS if word not in SENSES])
    assert np.isfinite(guessed).all()
    assert (np.linalg.norm(guessed, axis=1) > 0).all()


def test_the_vectors_are_the_same_however_the_shards_are_done(
    defining: DistillSettings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wordstill.distillation.shards.WORDS_ALONE", 8)
    monkeypatch.setattr(teaching, "DEFINED_AT_ONCE", 3)
    corpus = write_corpus(tmp_path / "texts.txt", 60)
    settings = replace(defining, students=("definition", "aggregate", "alone"), batch_tokens=200)
    whole = distill(corpus, out=tmp_path / "whole", settings=settings)
    for number in (2, 1):
        distill_share(corpus, out=tmp_path / "shared", share=f"{number}/2", settings=settings)
    shared = distill(corpus, out=tmp_path / "shared", settings=settings, resume=True)
    break_run(corpus, tmp_path / "broken", settings, whole.record.shards + 6, (ShardWork,))
    broken = distill(corpus, out=tmp_path / "broken", settings=settings, resume=True)
    assert vector_bytes(shared.folder) == vector_bytes(broken.folder) == vector_bytes(whole.folder)


def test_the_order_takes_the_definitions_to_other_processes(defining: DistillSettings, tmp_path: Path) -> None:
    chosen = check_input(defining, ())
    with open_run((), tmp_path / "run", defining, ExecutionSettings(), chosen, engine=LOCAL, resume=False) as run:
        found = pickle.loads(pickle.dumps(run.order))  # noqa: S301
    assert found.definitions.texts == run.order.definitions.texts
    assert len(found.definitions.covered) == len(SENSES) + len(VERBS)
    assert found.identity == run.order.identity


def test_shards_of_another_dictionary_are_refused(
    defining: DistillSettings, dictionary: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wordstill.distillation.shards.WORDS_ALONE", 8)
    distill_share(out=tmp_path / "run", share="1/2", settings=defining)
    dictionary.write_text(dictionary.read_text().replace("salt water", "fresh water"))
    with pytest.raises(InputError, match="differs in its dictionary"):
        distill(out=tmp_path / "run", settings=defining, resume=True)


def test_a_run_needs_a_dictionary_that_knows_some_word(defining: DistillSettings, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="definition reads a dictionary: name one with --dictionary"):
        distill(out=tmp_path / "run", settings=replace(defining, dictionary=()))
    other = tmp_path / "other.tsv"
    other.write_text("zebra\ta striped animal\n")
    with pytest.raises(InputError, match=r"other\.tsv defines no word"):
        distill(out=tmp_path / "run", settings=replace(defining, dictionary=(str(other),)))


def test_the_command_needs_no_corpus(teacher: str, dictionary: Path, tmp_path: Path) -> None:
    words = tmp_path / "words.txt"
    words.write_text("\n".join(NOUNS))
    out = tmp_path / "run"
    given = ["distill", "--teacher", teacher, "--vocabulary", str(words), "--dictionary", str(dictionary)]
    assert main([*given, "--student", "definition", "--out", str(out), "-q"]) == 0
    card = (out / "definition" / "README.md").read_text()
    assert "glossary.tsv" in card
    assert str(tmp_path) not in card
