from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import numpy as np
import pytest
from gensim.models import KeyedVectors

from wordstill import WordVectors, evaluate
from wordstill.errors import InputError
from wordstill.evaluation import EvaluationSettings, compare
from wordstill.evaluation.results import Results
from wordstill.evaluation.tasks.similarity import read_pairs

KEYS = {"vectors", "task", "dataset", "metric", "score", "score_all", "low", "high", "items", "covered", "coverage"}


@pytest.fixture
def pairs_file(tmp_path: Path) -> Path:
    generator = np.random.default_rng(0)
    path = tmp_path / "pairs.tsv"
    lines = [f"w{one}\tw{two}\t{generator.uniform(0, 10):.2f}" for one, two in generator.integers(0, 50, (80, 2))]
    path.write_text("\n".join(lines))
    return path


def good_and_bad(pairs_file: Path) -> dict[str, WordVectors]:
    """Vectors whose cosines follow the gold scores of the file, and random ones."""
    pairs = read_pairs(pairs_file)
    words = [f"w{number}" for number in range(50)]
    wanted = np.eye(50)
    for one, two, gold in zip(pairs.first, pairs.second, pairs.gold, strict=True):
        wanted[int(one[1:]), int(two[1:])] = wanted[int(two[1:]), int(one[1:])] = gold / 10
    values, axes = np.linalg.eigh(wanted + np.eye(50))
    generator = np.random.default_rng(1)
    return {
        "good": WordVectors(words, axes * np.sqrt(np.maximum(values, 0))),
        "bad": WordVectors(words, generator.standard_normal((50, 50))),
    }


def test_every_result_has_the_promised_fields(pairs_file: Path) -> None:
    results = evaluate(good_and_bad(pairs_file), datasets=[pairs_file])
    listed = json.loads(results.to_json())
    assert [set(row) for row in listed] == [KEYS, KEYS]
    assert [row["vectors"] for row in listed] == ["good", "bad"]
    good, bad = results
    assert good.low < good.score < good.high
    assert bad.score < 0.3 < good.score
    assert good.items == good.covered == 80
    assert good.score == good.score_all


def test_the_same_seed_gives_the_same_results_and_another_only_other_intervals(pairs_file: Path) -> None:
    vectors = good_and_bad(pairs_file)["good"]
    first, again = (evaluate(vectors, datasets=[pairs_file])[0] for _ in range(2))
    other = evaluate(vectors, datasets=[pairs_file], seed=1)[0]
    assert first == again
    assert other.score == first.score
    assert (other.low, other.high) != (first.low, first.high)


def test_keyed_vectors_mappings_lists_and_paths_are_judged_alike(pairs_file: Path, tmp_path: Path) -> None:
    vectors = good_and_bad(pairs_file)["good"]
    keyed = KeyedVectors(50)
    keyed.add_vectors(vectors.words, vectors.matrix)
    keyed.save_word2vec_format(str(tmp_path / "good.txt"))
    mapping = {word: vectors[word] for word in vectors}
    for subject, name in ((keyed, "vectors"), (mapping, "vectors"), ([vectors], "vectors 1")):
        assert evaluate(subject, datasets=[pairs_file])[0].score == evaluate(vectors, datasets=[pairs_file])[0].score
        assert evaluate(subject, datasets=[pairs_file])[0].vectors == name
    read = evaluate(tmp_path / "good.txt", datasets=[pairs_file])[0]
    assert read.vectors == "good.txt"
    assert read.score == pytest.approx(evaluate(vectors, datasets=[pairs_file])[0].score, abs=1e-3)


def test_a_run_folder_stands_for_all_its_students_and_layers_are_warned_about(pairs_file: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    students = {}
    for name, vectors in zip(("layer-00", "layer-01"), good_and_bad(pairs_file).values(), strict=True):
        vectors.save(run / "aggregate" / name)
        students[f"aggregate/{name}"] = {"path": f"aggregate/{name}"}
    (run / "run.json").write_text(json.dumps({"settings": {}, "students": students}))
    results = evaluate(run, datasets=[pairs_file])
    assert [result.vectors for result in results] == ["run/aggregate/layer-00", "run/aggregate/layer-01"]
    assert any("run/aggregate: the best of 2 layers is picked" in note for note in results.notes)
    best = next(line for line in results.table().splitlines() if "layer-00" in line)
    assert f"{100 * results[0].score:.1f}*" in best
    assert "on the test" in results.table()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{", "cannot be read as JSON"),
        ("{}", "is no run.json of wordstill"),
        ('{"settings": {}, "students": {"a": 1}}', "is damaged"),
        ('{"settings": {}, "students": {}}', "names no students; is the run finished"),
    ],
)
def test_a_broken_run_record_is_named(tmp_path: Path, pairs_file: Path, text: str, expected: str) -> None:
    (tmp_path / "run.json").write_text(text)
    with pytest.raises(InputError, match=f"run.json {expected}"):
        evaluate(tmp_path, datasets=[pairs_file])


@pytest.mark.parametrize(
    "path", ["..", "../other", "one/../../other", "/", "{tmp}/other", "", ".", "link", "link/deep"]
)
def test_the_vectors_of_a_run_are_looked_for_inside_its_folder_only(
    tmp_path: Path, pairs_file: Path, path: str
) -> None:
    for name in ("run/one", "other", "elsewhere/deep"):
        good_and_bad(pairs_file)["good"].save(tmp_path / name)
    (tmp_path / "run" / "link").symlink_to(tmp_path / "elsewhere")
    students = {"one": {"path": "one"}, "two": {"path": path.format(tmp=tmp_path)}}
    (tmp_path / "run" / "run.json").write_text(json.dumps({"settings": {}, "students": students}))
    with pytest.raises(InputError, match=r"the vectors of two are in .*, which is not a folder inside the run"):
        evaluate(tmp_path / "run", datasets=[pairs_file])


def test_the_average_of_five_is_there_when_all_five_are(shared_data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORDSTILL_DATA", str(shared_data))
    five = ["rg65", "ws353", "simlex999", "simverb3500", "rw2034"]
    words = {
        word
        for name in ("EN-RG-65.txt", "SimVerb-3500.txt", "SimLex-999.txt", "EN-WS-353-ALL.txt", "rw.txt")
        for pair in [read_pairs(shared_data / "similarity" / name)]
        for word in (*pair.first, *pair.second)
    }
    generator = np.random.default_rng(0)
    vectors = WordVectors(sorted(words), generator.standard_normal((len(words), 10)))
    results = evaluate(vectors, datasets=five, resamples=200)
    average = results.find("average5")
    assert average.score == pytest.approx(np.mean([results.find(name).score for name in five]))
    assert average.items == 65 + 353 + 999 + 3500 + 2034
    assert average.low < average.score < average.high
    assert [result.dataset for result in evaluate(vectors, datasets=five[:4], resamples=10)][-1] == "overall"
    assert "average of 5" in results.table()


def test_the_halves_together_are_the_whole(pairs_file: Path) -> None:
    vectors = good_and_bad(pairs_file)["good"]
    halves = [evaluate(vectors, datasets=[pairs_file], split=split)[0] for split in ("dev", "test")]
    assert sum(half.items for half in halves) == 80
    assert {half.split for half in halves} == {"dev", "test"}
    assert json.loads(Results(halves).to_json())[0]["split"] == "dev"


def test_settings_are_one_object_or_keywords(pairs_file: Path) -> None:
    vectors = good_and_bad(pairs_file)["good"]
    settings = EvaluationSettings(datasets=(pairs_file,), split="dev", resamples=20)
    asked = evaluate(vectors, None, [pairs_file], split="dev", resamples=20)
    assert evaluate(vectors, settings=settings) == asked


def test_no_overlap_is_no_score_and_no_coverage(pairs_file: Path) -> None:
    results = evaluate({"nothing": [1.0, 2.0]}, datasets=[pairs_file])
    assert (results[0].covered, results[0].coverage) == (0, 0.0)
    assert json.loads(results.to_json())[0]["score"] is None
    assert "-" in results.table()


def test_your_own_analogies_and_categories_are_judged(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text(": gram\na b c d\n: other\nc d a b\n")
    (tmp_path / "kinds.csv").write_text("a,x\nb,y\nc,x\nd,y\n")
    vectors = {"a": [1.0, 0], "b": [1.0, 1], "c": [0.9, 0.05], "d": [0.9, 1.1]}
    results = evaluate(vectors, datasets=[tmp_path / "mine.txt", f"categorization:{tmp_path / 'kinds.csv'}"])
    assert results.find("mine").metric == "accuracy"
    assert results.find("kinds").metric == "purity"
    assert results.find("kinds").score == 1.0
    parts = {part.name: part.items for part in results.find("mine").parts}
    assert parts == {"semantic": 1, "syntactic": 1, "gram": 1, "other": 1}
    assert [part["name"] for part in results.find("mine").as_dict()["parts"]] == list(parts)


def test_only_sets_that_are_here_are_judged_by_default_and_the_others_named() -> None:
    results = evaluate({"love": [1.0, 0.0], "sex": [0.5, 1.0], "tiger": [0.1, 0.2]}, ["similarity"], resamples=5)
    assert [result.dataset for result in results] == ["ws353", "simlex999", "overall"]
    assert any(note.startswith("Not here and left out: rg65") for note in results.notes)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"tasks": ["singing"]}, "no task 'singing'"),
        ({"tasks": ["relations"], "compat": "muse"}, "no task 'relations' in MUSE"),
        ({"datasets": ["absent.txt"]}, "no data set and no file 'absent.txt'"),
        ({"datasets": ["trec"], "tasks": ["analogy"]}, "trec is for classification"),
        ({"datasets": ["ws353"], "tasks": ["analogy"]}, "not among the tasks"),
        ({"datasets": ["ws353", "ws353"]}, "two data sets are called"),
        ({"tasks": ["relations"]}, "no data set of relations is here"),
        ({"compat": "senteval"}, "--compat is one of web, muse"),
        ({"split": "train", "datasets": ["ws353"]}, "--split is one of dev, test"),
        ({"case": "upper"}, "--case is one of auto, exact, ignore"),
        ({"top": 0}, "--top must be at least 1"),
        ({"resamples": -1}, "--resamples must be at least 0"),
        ({"rounds": 3}, "there is no setting 'rounds'"),
        ({"settings": EvaluationSettings(), "top": 3}, "top is given beside `settings`"),
        ({"method": "divide"}, "--method is one of add, multiply"),
    ],
)
def test_bad_requests_are_refused_in_a_sentence(arguments: dict[str, object], expected: str) -> None:
    with pytest.raises(InputError, match=expected):
        evaluate({"love": [1.0, 0.0]}, **arguments)  # type: ignore[arg-type]


@pytest.mark.parametrize("vectors", [[], {}, "no/such/file", {"a": "no/such/file"}])
def test_no_vectors_are_refused(vectors: object) -> None:
    with pytest.raises(InputError):
        evaluate(vectors, datasets=["ws353"])


def test_a_clear_difference_leaves_out_zero_and_none_does_not(pairs_file: Path) -> None:
    vectors = good_and_bad(pairs_file)
    vectors["also good"] = vectors["good"].map(lambda matrix: matrix + 1e-3)
    results = evaluate(vectors, datasets=[pairs_file])
    difference = compare(results, "good", "bad")[0]
    assert difference.score == pytest.approx(results[0].score - results[1].score)
    assert 0 < difference.low < difference.score < difference.high
    none = compare(results, "good", "also good")[0]
    assert none.low <= 0 <= none.high
    with pytest.raises(InputError, match="was not evaluated"):
        compare(results, "good", "missing")


def test_a_comparison_is_over_the_items_that_both_cover(pairs_file: Path) -> None:
    vectors = good_and_bad(pairs_file)
    vectors["few"] = vectors["good"].take(vectors["good"].words[:30])
    results = evaluate(vectors, datasets=[pairs_file])
    difference = compare(results, "few", "good")[0]
    assert difference.covered == results.find("pairs", "few").covered < 80
    assert difference.score == 0.0
    assert any("cover different items" in note for note in results.notes)


def test_tables_are_csv_and_latex_too(pairs_file: Path) -> None:
    results = evaluate({"a_b & c": good_and_bad(pairs_file)["good"], **good_and_bad(pairs_file)}, datasets=[pairs_file])
    results.differences = compare(results, "good", "bad")
    rows = list(csv.DictReader(io.StringIO(results.to_csv())))
    assert float(rows[1]["score"]) == results[1].score
    assert rows[-1]["vectors"] == "good - bad"
    latex = results.to_latex()
    assert r"a\_b \& c" in latex
    assert latex.count(r"\textbf") == 2
    assert latex.count(r"\begin{tabular}") == latex.count(r"\end{tabular}") == 1
    assert "\x1b[1m" in results.table(bold=True)
    assert "\x1b" not in results.table()
    assert "good - bad" in results.table()


def test_the_harness_that_is_mimicked_is_named_in_the_foot(pairs_file: Path) -> None:
    vectors = good_and_bad(pairs_file)["good"]
    assert "(web)" in evaluate(vectors, datasets=[pairs_file], compat="web").table()
    muse = evaluate(vectors, datasets=[pairs_file], compat="muse")
    assert "As MUSE computes it" in muse.table()
    assert muse[0].score == evaluate(vectors, datasets=[pairs_file])[0].score
    assert muse[0].compat == "muse"


def test_web_cleans_the_words_of_analogies_before_it_looks_them_up(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("Bank Bank's Dog Dog's\n")
    vectors = {"bank": [1.0, 0], "banks": [1.0, 1], "dog": [0.9, 0.05], "dogs": [0.9, 1.1]}
    ours = evaluate(vectors, datasets=[tmp_path / "mine.txt"])[0]
    theirs = evaluate(vectors, datasets=[tmp_path / "mine.txt"], compat="web")[0]
    assert (ours.covered, theirs.covered) == (0, 1)
    assert theirs.score == 1.0


def test_only_the_test_relations_are_judged_but_web_takes_the_training_ones_too(
    shared_data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORDSTILL_DATA", str(shared_data))
    vectors = {"tool": [1.0, 0.2], "hammer": [0.3, 1.0], "flower": [0.5, 0.1], "tulip": [0.2, 0.7]}
    ours = evaluate(vectors, ["relations"], resamples=5)[0]
    theirs = evaluate(vectors, ["relations"], compat="web", resamples=5)[0]
    assert (ours.items, theirs.items) == (2791, 3218)


def test_a_half_may_be_empty(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("a b c d\n")
    (tmp_path / "two.txt").write_text("a b 1\n")
    (tmp_path / "kinds.txt").write_text("a x\n")
    sets = [tmp_path / name for name in ("mine.txt", "two.txt", "kinds.txt")]
    vectors = {"a": [1.0, 0], "b": [1.0, 1], "c": [0.9, 0.05], "d": [0.9, 1.1]}
    halves = [evaluate(vectors, datasets=sets, split=split) for split in ("dev", "test")]
    for name in ("mine", "two", "kinds"):
        assert sorted(half.find(name).items for half in halves) == [0, 1]
        assert all(half.find(name).coverage in (0.0, 1.0) for half in halves)
    assert all(half.table() and half.to_csv() for half in halves)


def test_vectors_without_words_are_refused(tmp_path: Path) -> None:
    (tmp_path / "pairs.tsv").write_text("a\tb\t3\na\ta\t9\n")
    WordVectors([], np.zeros((0, 3), np.float32)).save(tmp_path / "v")
    with pytest.raises(InputError, match="v has no words"):
        evaluate(tmp_path / "v", datasets=[tmp_path / "pairs.tsv"])
