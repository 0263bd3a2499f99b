from __future__ import annotations

import importlib.util
import itertools
import re
import warnings
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from wordstill import WordVectors
from wordstill.cli import main
from wordstill.errors import InputError
from wordstill.evaluation.tasks.categorization import Categories

pytest.importorskip("matplotlib", reason="pictures need matplotlib")

from wordstill.explore.box import seen_from_a_corner
from wordstill.explore.charts import save
from wordstill.explore.labelled_points import Picture
from wordstill.explore.layout import Projection, places
from wordstill.explore.picture_words import read_word_pairs, relation_pairs
from wordstill.explore.plot_kinds import PairsPlot, plot
from wordstill.explore.plots import categories_plot, neighbors_plot, pairs_plot

UGLY = [
    "東京",
    "مدينة",
    "😀",
    "$x^2$",
    "a\tb",
    "line\nbreak",
    "\x00",
    "",
    "x" * 5000,
    "\udc80",
    "naïve",
    "<b>",
    "_{\\alpha",
]


def made(words: list[str], dimensions: int = 12, seed: int = 0) -> WordVectors:
    matrix = np.random.default_rng(seed).standard_normal((len(words), dimensions)).astype(np.float32)
    return WordVectors(words, matrix)


def labels_of(picture: Picture) -> list[list[tuple[float, float, float, float]]]:
    """The boxes of all labels as matplotlib draws them, panel by panel."""
    picture.figure.draw_without_rendering()
    panels = []
    for axes in picture.figure.axes:
        extents = [text.get_window_extent() for text in axes.texts if text.get_gid() == "label"]
        panels.append([(box.x0, box.y0, box.x1, box.y1) for box in extents])
    return panels


def overlapping(boxes: list[tuple[float, float, float, float]]) -> int:
    return sum(
        one[0] < two[2] and two[0] < one[2] and one[1] < two[3] and two[1] < one[3]
        for one, two in itertools.combinations(boxes, 2)
    )


WORDS = [f"word{number}" for number in range(80)]


@pytest.mark.parametrize("projection", ["pca", "tsne"])
def test_labels_of_pairs_do_not_overlap(projection: Projection) -> None:
    picture = pairs_plot(made(WORDS), list(zip(WORDS[:30], WORDS[30:60], strict=True)), projection)
    ((boxes),) = labels_of(picture)
    assert len(boxes) == 60
    assert overlapping(boxes) == 0


@pytest.mark.parametrize("projection", ["pca", "tsne"])
def test_pairs_of_several_vectors_stand_side_by_side_in_three_dimensions(projection: Projection) -> None:
    pairs = [*zip(WORDS[:9], WORDS[9:18], strict=True), ("word1", "other")]
    spaces = {"one": made(WORDS), "two": made([*WORDS, "other"], seed=1)}
    picture = pairs_plot(spaces, pairs, projection, dimensions=3)
    panels = labels_of(picture)
    assert [len(boxes) for boxes in panels] == [18, 18]
    assert all(overlapping(boxes) == 0 for boxes in panels)
    assert [axes.get_title(loc="left") for axes in picture.figure.axes] == ["one", "two"]
    assert picture.notes == ["1 pairs without a vector left out: word1 other"]


def test_points_in_a_box_keep_their_distances_as_seen_from_one_side() -> None:
    points = np.random.default_rng(0).standard_normal((20, 3))
    places, near = seen_from_a_corner(points)
    np.testing.assert_allclose(np.hypot(*places.T) ** 2 + near**2, (points**2).sum(axis=1))


def test_three_dimensions_keep_neighbours_that_two_keep_too() -> None:
    groups = np.repeat(np.eye(4), 10, axis=0) + np.random.default_rng(0).normal(0, 0.05, (40, 4))
    units = (groups / np.linalg.norm(groups, axis=1, keepdims=True)).astype(np.float32)
    for projection in ("pca", "tsne"):
        found = places(units, projection, 3)
        assert found.shape == (40, 3)
        nearest = np.argsort(((found[:, None] - found[None]) ** 2).sum(axis=2), axis=1)[:, 1]
        assert (nearest // 10 == np.arange(40) // 10).all()


def test_labels_of_categories_do_not_overlap() -> None:
    words = [f"category{number}" for number in range(300)]
    picture = categories_plot(made(words), Categories(words, [f"c{number % 20}" for number in range(300)]))
    ((boxes),) = labels_of(picture)
    assert len(boxes) > 280
    assert overlapping(boxes) == 0
    assert [int(note.split()[0]) for note in picture.notes] == [300 - len(boxes)] * (len(boxes) < 300)


def test_neighbourhoods_stand_side_by_side_and_say_who_lacks_the_word() -> None:
    spaces = {"one": made(WORDS), "two": made(WORDS, seed=1), "three": made(["other"])}
    picture = neighbors_plot(spaces, "word7", count=15)
    panels = labels_of(picture)
    assert [len(boxes) for boxes in panels] == [16, 16]
    assert all(overlapping(boxes) == 0 for boxes in panels)
    assert picture.notes == ["three has no vector for word7"]


def test_neighbours_stand_as_far_out_as_their_cosine_says() -> None:
    vectors = made(WORDS)
    picture = neighbors_plot({"one": vectors}, "word7", count=10)
    (axes,) = picture.figure.axes
    drawn = np.concatenate([np.asarray(points.get_offsets()) for points in axes.collections[1:]])
    expected = [1 - cosine for _, cosine in vectors.most_similar("word7", topn=10)]
    assert np.allclose(np.sort(np.hypot(*drawn.T)), np.sort(expected), atol=1e-5)


@pytest.mark.parametrize("ending", ["png", "svg"])
def test_words_of_any_script_are_drawn_without_a_warning(ending: str, tmp_path: Path) -> None:
    picture = categories_plot(made(UGLY), Categories(UGLY, ["a", "b"] * (len(UGLY) // 2) + ["a"]), "pca")
    save(picture.figure, tmp_path / f"ugly.{ending}")
    ((boxes),) = labels_of_without_glyph_warnings(picture)
    assert len(boxes) == len(UGLY)
    assert overlapping(boxes) == 0
    if ending == "svg":
        ElementTree.parse(tmp_path / "ugly.svg")


def labels_of_without_glyph_warnings(picture: Picture) -> list[list[tuple[float, float, float, float]]]:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph")
        return labels_of(picture)


def test_the_same_picture_has_the_same_bytes(tmp_path: Path) -> None:
    for name in ("one", "two"):
        picture = pairs_plot(made(WORDS), list(zip(WORDS[:9], WORDS[9:18], strict=True)), "tsne")
        save(picture.figure, tmp_path / f"{name}.svg")
        save(picture.figure, tmp_path / f"{name}.png")
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "two.svg").read_bytes()
    assert (tmp_path / "one.png").read_bytes() == (tmp_path / "two.png").read_bytes()


def test_a_relation_of_an_analogy_set_is_found_by_name(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pytest.importorskip("gensim", reason="its wheel carries the Google analogies")
    monkeypatch.delenv("WORDSTILL_DATA", raising=False)
    monkeypatch.setenv("WORDSTILL_CACHE", str(tmp_path))
    pairs = relation_pairs("family")
    assert ("king", "queen") in pairs
    assert len(pairs) == 23
    with pytest.raises(InputError, match=r"choose from capital-common-countries, .*family"):
        relation_pairs("families")


def test_pairs_of_a_file_may_stand_between_tabs_commas_or_blanks(tmp_path: Path) -> None:
    (tmp_path / "pairs.txt").write_text("# who\nking\tqueen\nman,woman\nuncle aunt\nking\tqueen\n")
    assert read_word_pairs(tmp_path / "pairs.txt") == [("king", "queen"), ("man", "woman"), ("uncle", "aunt")]
    (tmp_path / "bad.txt").write_text("king queen\nman\n")
    with pytest.raises(InputError, match=r"bad.txt, line 2: expected two words, found 'man'"):
        read_word_pairs(tmp_path / "bad.txt")


def test_the_command_writes_the_picture_and_prints_its_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made(WORDS).save(tmp_path / "v")
    made(WORDS, seed=3).save(tmp_path / "w")
    (tmp_path / "pairs.txt").write_text("word1 word2\nword3 word4\nword5 absent\n")
    (tmp_path / "kinds.txt").write_text("\n".join(f"word{number}\tkind{number % 3}" for number in range(20)))
    commands = {
        "pairs.png": ["pairs", "v", "--relation", "pairs.txt", "--title", "A $title$"],
        "near.svg": ["neighbors", "v", "w", "--word", "word5", "--top", "4"],
        "kinds.png": ["categories", "v", "--dataset", "kinds.txt", "--method", "pca"],
    }
    for name, (kind, *arguments) in commands.items():
        given = [str(tmp_path / part) if (tmp_path / part).exists() else part for part in arguments]
        assert main(["plot", kind, *given, "--out", str(tmp_path / name)]) == 0
        shown = capsys.readouterr()
        assert shown.out == f"{tmp_path / name}\n"
        assert (shown.err != "") == (name == "pairs.png")
    assert (tmp_path / "pairs.png").read_bytes()[1:4] == b"PNG"
    text = (tmp_path / "near.svg").read_text()
    assert "word5" in re.sub("<[^>]*>", "", text)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["pairs", "{v}", "--relation", "{v}.txt", "--out", "{v}.png"], "no relation and no file"),
        (["neighbors", "{v}", "--word", "wrod1", "--out", "{v}.png"], "near it are word1"),
        (["neighbors", "{v}", "--word", "word1", "--top", "0", "--out", "{v}.png"], "--top must be at least 1"),
        (["categories", "{v}", "--dataset", "google", "--out", "{v}.png"], "no category set and no file 'google'"),
        (["pairs", "{v}", "--relation", "{pairs}", "--out", "{v}.png"], "only 1 of the 2 pairs"),
    ],
)
def test_bad_input_is_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], expected: str
) -> None:
    made(WORDS).save(tmp_path / "v")
    (tmp_path / "pairs").write_text("word1 word2\nno such\n")
    names = {"v": str(tmp_path / "v"), "pairs": str(tmp_path / "pairs")}
    assert main(["plot", *(argument.format(**names) for argument in arguments)]) == 2
    assert expected in capsys.readouterr().err


def test_python_draws_what_the_command_line_draws(tmp_path: Path) -> None:
    made(WORDS).save(tmp_path / "v")
    (tmp_path / "pairs.txt").write_text("word1 word2\nword3 word4\nword5 absent\n")
    given = ["--relation", str(tmp_path / "pairs.txt"), "--method", "tsne", "--title", "A"]
    assert main(["plot", "pairs", str(tmp_path / "v"), "--out", str(tmp_path / "one.svg"), *given]) == 0
    settings = PairsPlot(relation=str(tmp_path / "pairs.txt"), projection="tsne", title="A")
    for name, vectors in (("two.svg", tmp_path / "v"), ("three.svg", made(WORDS))):
        picture = plot("pairs", vectors, tmp_path / name, settings=settings)
        assert picture.notes == ["1 pairs without a vector left out: word5 absent"]
        assert (tmp_path / name).read_bytes() == (tmp_path / "one.svg").read_bytes()
    assert plot("neighbors", {"v": tmp_path / "v", "w": made(WORDS, seed=3)}, word="word5").figure.axes


def test_bad_requests_are_refused_in_a_sentence() -> None:
    vectors = made(WORDS)
    for kind, keywords, expected in (
        ("clouds", {}, "no picture 'clouds'; choose from pairs, neighbors, categories, attention"),
        ("neighbors", {}, "needs a word"),
        ("pairs", {"limit": 1}, "--limit must be at least 2"),
        ("pairs", {"projection": "mds"}, "--method is one of pca, tsne, umap"),
        ("attention", {"sentence": "a"}, "give its path"),
    ):
        with pytest.raises(InputError, match=expected):
            plot(kind, vectors, **keywords)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="shows one of the vectors, not 2; choose from one, two"):
        plot("categories", {"one": vectors, "two": vectors})


def test_umap_is_asked_for_where_it_is_missing() -> None:
    if importlib.util.find_spec("umap") is not None:
        pytest.skip("umap-learn is installed")
    with pytest.raises(InputError, match="pip install umap-learn"):
        pairs_plot(made(WORDS), [("word1", "word2"), ("word3", "word4")], "umap")


def test_a_picture_of_another_kind_is_refused_before_any_work(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plot", "pairs", "no-such-vectors", "--out", "pairs.pdf"]) == 2
    assert "neither .png nor .svg" in capsys.readouterr().err


def test_attention_asks_for_a_teacher_where_no_run_names_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made(WORDS).save(tmp_path / "v")
    given = ["plot", "attention", str(tmp_path / "v"), "--sentence", "a b", "--out", str(tmp_path / "a.png")]
    assert main(given) == 2
    assert "name it with --teacher" in capsys.readouterr().err


def test_attention_of_a_run_is_drawn_with_the_runs_own_teacher(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("torch", reason="a teacher needs torch")
    from small_models import make_model
    from texts import write_corpus
    from wordstill import distill

    teacher = make_model("bert", tmp_path / "bert")
    corpus = write_corpus(tmp_path / "texts.txt", 40)
    run = distill(corpus, teacher=str(teacher), students=["dynamic-skipgram"], out=tmp_path / "run")
    given = [str(run.folder / "dynamic-skipgram"), "--sentence", "The fox reads", "--out", str(tmp_path / "a.svg")]
    assert main(["plot", "attention", *given]) == 0
    text = re.sub("<[^>]*>", " ", (tmp_path / "a.svg").read_text())
    assert {"The", "fox", "reads", "centre"} <= set(text.split())
