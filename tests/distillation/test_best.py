"""best: what a run gives when nobody names a student, against the formula written out; killed, reduced, refined."""

from __future__ import annotations

import json
from dataclasses import replace
from importlib import import_module
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from scipy.linalg import orthogonal_procrustes

from runs import Killed, vector_bytes
from texts import NOUNS, VERBS
from wordstill.cli import main
from wordstill.corpus.vocabulary import VocabularySettings
from wordstill.distillation.best import WEIGHTS, WITHOUT_DICTIONARY
from wordstill.distillation.distill import distill
from wordstill.distillation.run_record import read_record
from wordstill.distillation.settings import DistillSettings
from wordstill.distillation.share import distill_share
from wordstill.errors import InputError
from wordstill.explore.report_data import run_summary
from wordstill.refinement.strength import USUAL
from wordstill.vectors import WordVectors
from wordstill.vectors.directions import reduce_dimensions

pytestmark = pytest.mark.slow

SYNONYMS = [("river", "sea"), ("fox", "dog"), ("teacher", "student")]
# Every two words of four: whatever the teacher's random weights, some of these pairs are alike.
ANTONYMS = list(combinations(["city", "country", "gallon", "engineer"], 2))


@pytest.fixture
def best(teacher: str) -> DistillSettings:
    """A run without a student's name, with a word that the text lacks."""
    return DistillSettings(
        teacher=teacher, vocabulary=VocabularySettings(forced=("fox", "unicorn")), batch_tokens=400, threads=1
    )


@pytest.fixture
def glossary(tmp_path: Path) -> Path:
    path = tmp_path / "glossary.tsv"
    path.write_text("\n".join(f"{noun}\twhat {verb}" for noun, verb in zip(NOUNS, VERBS * 2, strict=False)))
    return path


@pytest.fixture
def lexicon(tmp_path: Path) -> Path:
    path = tmp_path / "pairs.txt"
    path.write_text("\n".join(" ".join(pair) for pair in SYNONYMS))
    return path


@pytest.fixture
def wordnet(tmp_path: Path) -> Path:
    """A WordNet of the corpus's nouns: three synsets of two, a pair of antonyms, and parts of one another."""
    place = tmp_path / "wordnet-small"
    place.mkdir()
    joined = {word for pair in SYNONYMS for word in pair}
    synsets = [*SYNONYMS, *([noun] for noun in NOUNS if noun not in joined)]
    offsets = {word: 10 * (number + 1) for number, synset in enumerate(synsets) for word in synset}
    lines = ["  1 a licence"]
    for number, synset in enumerate(synsets):
        pointers = [f"%p {offsets[other]:08d} n 0000" for other in NOUNS if offsets[other] > 10 * (number + 1)]
        pointers += [f"! {offsets[other]:08d} n 0101" for word, other in ANTONYMS if word in synset]
        words = " ".join(f"{word} 0" for word in synset)
        lines.append(
            f"{10 * (number + 1):08d} 03 n {len(synset):02x} {words} {len(pointers):03d} "
            + " ".join([*pointers, f"| the sense number {number}"])
        )
    (place / "data.noun").write_text("\n".join(lines) + "\n")
    index = [f"{noun} n 1 0 1 0 {offsets[noun]:08d}  " for noun in NOUNS]
    (place / "index.noun").write_text("\n".join(["  1 a licence", *index]) + "\n")
    for name in ("verb", "adj", "adv"):
        (place / f"data.{name}").write_text("  1 a licence\n")
        (place / f"index.{name}").write_text("  1 a licence\n")
    return place


def written_out(views: list[tuple[WordVectors, float]], not_centred: tuple[int, ...] = ()) -> np.ndarray:
    """The formula of the mix, the second view rotated onto the first by scipy."""
    units = []
    for vectors, _ in views:
        centred = vectors.matrix.astype(np.float64) - vectors.matrix.astype(np.float64).mean(axis=0)
        units.append(centred / np.linalg.norm(centred, axis=1, keepdims=True))
    units[1] = units[1] @ orthogonal_procrustes(units[1], units[0])[0]
    for place in not_centred:
        plain = views[place][0].matrix.astype(np.float64)
        units[place] = plain / np.linalg.norm(plain, axis=1, keepdims=True)
    total = sum(weight * unit for unit, (_, weight) in zip(units, views, strict=True))
    first = views[0][0].matrix.astype(np.float64)
    lengths = np.linalg.norm(first - first.mean(axis=0), axis=1)
    lengths = np.maximum(lengths, 0.1 * np.median(lengths))
    return np.asarray(total / np.linalg.norm(total, axis=1, keepdims=True) * lengths[:, None])


def cosines(vectors: WordVectors, pairs: list[tuple[str, str]]) -> list[float]:
    return [vectors.similarity(*pair) for pair in pairs]


def test_without_a_dictionary_it_is_aggregate_closed_and_what_is_asked(
    best: DistillSettings, corpus: Path, tmp_path: Path
) -> None:
    run = distill(corpus, out=tmp_path / "run", teacher=best.teacher, vocabulary=best.vocabulary, threads=1)
    assert list(run.record.students) == ["best", "aggregate", "closed", "asked"]
    views = [(run.vectors(name), weight) for name, weight in WITHOUT_DICTIONARY.items()]
    made = run.vectors("best")
    assert made.words == views[0][0].words
    assert "unicorn" in made
    np.testing.assert_allclose(made.matrix, written_out(views, (0, 2)), rtol=1e-2, atol=1e-4)
    told = run.record.best
    assert told is not None
    assert {name: view["weight"] for name, view in told.views.items()} == WITHOUT_DICTIONARY
    assert (told.lexicon, told.strength, told.dictionary) == ("", 0.0, "")
    assert "--dictionary" in told.lacking()
    assert run.record.seconds.parts["mixing"] > 0


def test_with_a_dictionary_definitions_are_a_view(
    best: DistillSettings, corpus: Path, glossary: Path, tmp_path: Path
) -> None:
    run = distill(corpus, out=tmp_path / "run", settings=replace(best, dictionary=(str(glossary),)))
    assert list(run.record.students) == ["best", "aggregate", "closed", "definition"]
    views = [(run.vectors(name), weight) for name, weight in WEIGHTS.items()]
    np.testing.assert_allclose(run.vectors("best").matrix, written_out(views), rtol=1e-2, atol=1e-4)
    assert run.record.best is not None
    assert (run.record.best.dictionary, run.record.best.defined) == ("glossary.tsv", len(NOUNS))
    assert "not refined" in run.record.best.lacking()


def test_a_lexicon_refines_best_and_leaves_its_views_as_they_were(
    best: DistillSettings, corpus: Path, lexicon: Path, tmp_path: Path
) -> None:
    plain = distill(corpus, out=tmp_path / "plain", settings=best)
    run = distill(corpus, out=tmp_path / "run", settings=replace(best, lexicon=(str(lexicon),)))
    for name in ("aggregate", "closed"):
        np.testing.assert_array_equal(run.vectors(name).matrix, plain.vectors(name).matrix)
    before, after = plain.vectors("best"), run.vectors("best")
    assert all(new > old for old, new in zip(cosines(before, SYNONYMS), cosines(after, SYNONYMS), strict=True))
    np.testing.assert_array_equal(after["unicorn"], before["unicorn"])
    assert run.record.best is not None
    assert (run.record.best.lexicon, run.record.best.strength) == ("pairs.txt", USUAL), "nothing guards it"


def test_a_wordnet_defines_refines_and_guards(
    best: DistillSettings, corpus: Path, wordnet: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wordstill.refinement.evidence.FEWEST", 5)
    settings = replace(best, dictionary=(str(wordnet),))
    run = distill(corpus, out=tmp_path / "run", settings=settings)
    told = run.record.best
    assert told is not None
    assert told.lexicon == "wordnet-small"
    assert told.antonyms == "wordnet-small antonyms"
    assert told.lacking() == ""
    assert [one["strength"] for one in told.tried][:1] == [0.1]
    assert all(set(one["guards"]) == {"wordnet-small associated"} for one in told.tried)
    kept = [one["strength"] for one in told.tried if all(gain[2] >= 0 for gain in one["guards"].values())]
    assert told.strength == max(kept, default=0.0)
    for view in told.views.values():
        assert set(view["adds"]) == set(view["alone"]) == {"wordnet-small associated"}
    assert read_record(run.folder) == run.record
    assert json.loads((run.folder / "run.json").read_text())["best"]["views"] == told.views
    lines = dict(run_summary(run.folder, run.record)["lines"])
    card = (run.folder / "best" / "README.md").read_text()
    for name in ("best: aggregate", "best: definition", "best: graph-retrofit", "best: strength 0.1"):
        assert name in lines
        assert name in card
    assert str(tmp_path) not in card


def test_antonyms_are_pushed_apart(
    best: DistillSettings, corpus: Path, wordnet: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = replace(best, dictionary=(str(wordnet),))
    run = distill(corpus, out=tmp_path / "run", settings=settings)
    monkeypatch.setattr("wordstill.distillation.best.read_relation", lambda places, relation: None)
    without = distill(corpus, out=tmp_path / "without", settings=settings)
    before, after = (np.array(cosines(one.vectors("best"), ANTONYMS)) for one in (without, run))
    alike = before > 0
    assert alike.any()
    assert after[alike].sum() < before[alike].sum()


def test_a_lexicon_of_other_words_refines_nothing(best: DistillSettings, corpus: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.txt"
    other.write_text("zebra quagga\n")
    plain = distill(corpus, out=tmp_path / "plain", settings=best)
    run = distill(corpus, out=tmp_path / "run", settings=replace(best, lexicon=(str(other),)))
    np.testing.assert_array_equal(run.vectors("best").matrix, plain.vectors("best").matrix)
    assert run.record.best is not None
    assert run.record.best.lexicon == ""


@pytest.mark.parametrize("step", ["best.mix", "best.refine_by_evidence", "distill.finish"])
def test_a_run_killed_while_best_is_made_resumes_to_the_same_vectors(
    best: DistillSettings, corpus: Path, glossary: Path, lexicon: Path, tmp_path: Path, step: str
) -> None:
    settings = replace(best, dictionary=(str(glossary),), lexicon=(str(lexicon),))
    whole = distill(corpus, out=tmp_path / "whole", settings=settings)

    def killed(*given: object, **more: object) -> None:
        raise Killed

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(import_module(f"wordstill.distillation.{step.partition('.')[0]}"), step.partition(".")[2], killed)
        with pytest.raises(Killed):
            distill(corpus, out=tmp_path / "broken", settings=settings)
    assert not (tmp_path / "broken" / "best").exists()
    resumed = distill(corpus, out=tmp_path / "broken", settings=settings, resume=True)
    assert vector_bytes(resumed.folder) == vector_bytes(whole.folder)
    assert resumed.record.best == whole.record.best


def test_shares_and_cuts_give_the_same_best(
    best: DistillSettings, corpus: Path, glossary: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wordstill.distillation.shards.WORDS_ALONE", 16)
    settings = replace(best, dictionary=(str(glossary),), shard_words=1000)
    whole = distill(corpus, out=tmp_path / "whole", settings=settings)
    for number in (3, 1, 2):
        distill_share(corpus, out=tmp_path / "shared", share=f"{number}/3", settings=settings)
    shared = distill(corpus, out=tmp_path / "shared", settings=settings, resume=True)
    assert vector_bytes(shared.folder) == vector_bytes(whole.folder)


def test_fewer_dimensions_are_those_of_the_whole_mix(best: DistillSettings, corpus: Path, tmp_path: Path) -> None:
    whole = distill(corpus, out=tmp_path / "whole", settings=best).vectors("best")
    small = distill(corpus, out=tmp_path / "small", settings=replace(best, dimensions=9)).vectors("best")
    np.testing.assert_allclose(small.matrix, reduce_dimensions(np.asarray(whole.matrix), 9), rtol=1e-3, atol=1e-4)


def test_of_all_layers_the_last_is_a_view(best: DistillSettings, corpus: Path, tmp_path: Path) -> None:
    last = distill(corpus, out=tmp_path / "last", settings=best).vectors("best")
    run = distill(corpus, out=tmp_path / "all", settings=replace(best, layer="all"))
    assert {"best", "aggregate/layer-00", "aggregate/layer-03", "closed"} <= set(run.record.students)
    np.testing.assert_allclose(run.vectors("best").matrix, last.matrix, rtol=1e-3, atol=1e-4)


def test_named_students_are_made_and_no_others(best: DistillSettings, corpus: Path, tmp_path: Path) -> None:
    both = distill(corpus, out=tmp_path / "both", settings=replace(best, students=("best", "principal", "aggregate")))
    assert list(both.record.students) == ["best", "aggregate", "closed", "asked", "principal"]
    other = distill(corpus, out=tmp_path / "one", settings=replace(best, students=("aggregate",)))
    assert list(other.record.students) == ["aggregate"]
    assert other.record.best is None
    for students, message in (
        (("mine=best",), "best has its own name"),
        (("best", "best=closed"), "two students are called 'best'"),
        (("best", "aggregate=closed"), "two students are called 'aggregate'"),
    ):
        with pytest.raises(InputError, match=message):
            distill(corpus, out=tmp_path / "no", settings=replace(best, students=students))
    with pytest.raises(InputError, match="--student definition"):
        distill(out=tmp_path / "no", settings=best)


def test_a_bad_lexicon_is_refused_before_the_work(best: DistillSettings, corpus: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no lexicon"):
        distill(corpus, out=tmp_path / "run", settings=replace(best, lexicon=(str(tmp_path / "none.txt"),)))
    assert not (tmp_path / "run").exists()


def test_the_command_makes_best_and_tells_what_a_dictionary_would_add(
    teacher: str, corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "run"
    assert main(["distill", "--teacher", teacher, "--corpus", str(corpus), "--out", str(out), "--threads", "1"]) == 0
    shown = capsys.readouterr()
    assert f"wordstill neighbors {out / 'best'}" in shown.out
    assert "--dictionary wordnet" in shown.err
    assert "best: closed, weight 0.2" in shown.err
    assert all((out / name / "model.safetensors").is_file() for name in ("best", "aggregate", "closed"))


def test_a_text_of_one_sentence_gives_best_too(teacher: str, tmp_path: Path) -> None:
    path = tmp_path / "one.txt"
    path.write_text("The river reaches the sea.")
    run = distill(path, out=tmp_path / "run", teacher=teacher, min_count=1, threads=1)
    made = run.vectors("best")
    assert {"river", "sea"} <= set(made)
    assert np.isfinite(made.matrix).all()
    assert (np.linalg.norm(made.matrix, axis=1) > 0).all()
