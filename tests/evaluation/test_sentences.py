"""The task `sentences`: published files as they are, and scores against scipy's."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.stats import pearsonr, spearmanr

from wordstill.errors import InputError
from wordstill.evaluation import evaluate
from wordstill.evaluation.tasks.sentences import read_text_pairs
from wordstill.vectors import WordVectors

PAIRS = [("a red fish", "a blue fish", 3.5), ("the sun", "the moon", 2.0), ('a "fish"', "sun", 0.5), ("moon", "?", 1.0)]


def made_vectors() -> WordVectors:
    words = ["a", "the", "red", "blue", "fish", "sun", "moon"]
    return WordVectors(words, np.random.default_rng(4).normal(size=(7, 5)).astype(np.float32))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    lines = ["first\tsecond\tscore", *(f"{one}\t{two}\t{score}" for one, two, score in PAIRS)]
    (tmp_path / "pairs.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return tmp_path / "pairs.tsv"


def test_scores_are_the_correlations_of_cosines_with_people(file: Path) -> None:
    vectors = made_vectors()
    (result,) = [one for one in evaluate(vectors, datasets=[f"sentences:{file}"]) if one.dataset == "pairs"]

    def mean(text: str) -> np.ndarray:
        return np.asarray(np.mean([vectors[word] for word in text.replace('"', "").split()], axis=0))

    cosines = []
    for one, two, _ in PAIRS[:3]:
        first, second = mean(one), mean(two)
        cosines.append(first @ second / np.linalg.norm(first) / np.linalg.norm(second))
    gold = [score for *_, score in PAIRS]
    assert result.metric == "spearman"
    assert result.score == pytest.approx(spearmanr(cosines, gold[:3])[0])
    assert result.score_all == pytest.approx(spearmanr([*cosines, np.mean(cosines)], gold)[0])
    (pearson,) = result.parts
    assert (pearson.name, pearson.covered) == ("Pearson", 3)
    assert pearson.score == pytest.approx(pearsonr(cosines, gold[:3])[0])
    # Words, not pairs: two quotes and a question mark have no vector.
    assert (result.items, result.covered) == (17, 14)


def test_published_files_are_read_as_they_are(tmp_path: Path) -> None:
    sts = tmp_path / "sts-test.csv"
    sts.write_text(
        'main-captions\tMSRvid\t2012test\t0024\t2.500\tA "girl" sings.\tA boy sings.\n'
        "main-news\tMSRpar\t2012\t0025\t5.000\tOne, two.\tThree.\tmore\tcolumns\n",
        encoding="utf-8",
    )
    pairs = read_text_pairs(sts)
    assert pairs.first == ['A "girl" sings.', "One, two."]
    assert pairs.second == ["A boy sings.", "Three."]
    assert pairs.gold.tolist() == [2.5, 5.0]
    sick = tmp_path / "SICK.txt"
    sick.write_text(
        "pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment\n6\tA b\tC d\t3.3\tNEUTRAL\n",
        encoding="utf-8",
    )
    pairs = read_text_pairs(sick)
    assert (pairs.first, pairs.second, pairs.gold.tolist()) == (["A b"], ["C d"], [3.3])


@pytest.mark.parametrize("content", ["", "a\tb\n", "a\tb\t1\nc\td\tno number\n", "a\t\t1\n"])
def test_a_file_without_pairs_or_with_a_bad_line_is_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "pairs.tsv"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=r"two texts and a score"):
        read_text_pairs(path)
