from __future__ import annotations

import base64
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from trees import tree_of

from small_reports import UGLY, WORDS, made, make_run, scores
from wordstill import WordVectors
from wordstill.cli import main
from wordstill.distillation.run_record import PARTS, RunRecord, StudentRecord, TimeRecord
from wordstill.errors import InputError
from wordstill.escaping import for_script
from wordstill.explore.displayed_words import displayed
from wordstill.explore.report import MOST_MODELS, default_words, report
from wordstill.explore.report_data import public_name, thinned
from wordstill.explore.wordmap import NONE, frequent_words, word_map


class Page(HTMLParser):
    """Which elements a page has, and the text of its scripts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.scripts: list[str] = []
        self.policy = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if dict(attrs).get("http-equiv") == "Content-Security-Policy":
            self.policy = dict(attrs)["content"] or ""

    def handle_data(self, data: str) -> None:
        if self.tags and self.tags[-1] == "script" and data.strip():
            self.scripts.append(data)

    @property
    def data(self) -> dict[str, Any]:
        return dict(json.loads(self.scripts[0]))


def unpacked(text: str, kind: str, wide: int) -> Any:
    return np.frombuffer(base64.b64decode(text), dtype=kind).reshape(-1, wide)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_run(tmp_path_factory.mktemp("made") / "run")


@pytest.fixture(scope="module")
def page(run: Path) -> Page:
    out = run / "report.html"
    report(run, out, words=["river", UGLY[0]], scores=scores("run/one", "run/two"), title="A <b>title</b>")
    return Page(out.read_text(encoding="utf-8"))


def test_ugly_words_stay_data(page: Page) -> None:
    words = page.data["map"]["words"]
    assert set(UGLY[:9]) <= set(words)
    assert {'""', "tab\\there", "line\\u2028end", "x" * 59 + "…"} <= set(words)
    assert page.tags.count("script") == 2
    assert "img" not in page.tags
    assert "<" not in page.scripts[0]


def test_nothing_is_fetched_and_only_the_pages_own_script_and_style_may_run(page: Page, run: Path) -> None:
    text = (run / "report.html").read_text(encoding="utf-8")
    assert re.findall(r"https?://(?!www\.w3\.org/2000/svg)", text) == []
    assert page.policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "unsafe" not in page.policy
    assert page.tags.count("link") == 1
    assert 'href="data:,"' in text


def test_the_neighbours_of_every_word_are_those_that_the_vectors_give(page: Page, run: Path) -> None:
    words = page.data["map"]["words"]
    vectors = WordVectors.load(run / "one")
    stored = page.data["map"]["models"][0]
    neighbors, cosines = unpacked(stored["neighbors"], "<u2", 10), unpacked(stored["cosines"], "i1", 10)
    for word in ("river", "word17", "queen"):
        row = words.index(word)
        expected = vectors.most_similar(word, topn=10)
        # The map has all words of this small model, so its neighbours are those of the whole vocabulary.
        assert [words[number] for number in neighbors[row]] == [displayed(near) for near, _ in expected]
        assert np.allclose(cosines[row] / 127, [cosine for _, cosine in expected], atol=0.005)


def test_a_word_without_a_vector_in_a_model_is_marked_there(page: Page) -> None:
    words, (one, two) = page.data["map"]["words"], page.data["map"]["models"]
    assert words.index("otherwise") in one["missing"]
    assert words.index("nothing") in one["missing"]  # its vector is zero
    assert words.index("word299") in two["missing"]
    assert words.index("river") not in two["missing"]
    assert (unpacked(two["neighbors"], "<u2", 10)[words.index("word299")] == NONE).all()


def test_chosen_words_have_neighbours_in_each_model(page: Page) -> None:
    river, ugly = page.data["chosen"]
    assert river["word"] == "river"
    assert [near[0][0] for near in river["near"]] == ["rivers", "rivers"]
    assert ugly["near"][1] is None


def test_scores_the_run_and_the_cards_are_there(page: Page) -> None:
    data = page.data
    assert [entry["title"] for entry in data["scores"]] == ["WordSim-353", "<i>mine</i>", "mean of all"]
    assert data["scores"][0]["scores"][1]["covered"] == 80
    (run,) = data["runs"]
    parts = {"reading": 1.5, "teacher": 50.0, "one": 3.0, "two": 4.0, "writing vectors": 0.5, "other": 1.0}
    assert dict(run["seconds"]) == parts
    assert [curve["name"] for curve in run["curves"]] == ["one"]
    assert len(run["curves"][0]["points"]) <= 400
    assert [model["run"] for model in data["models"]] == [0, 0]
    assert ["method.student", "aggregate"] in data["models"][0]["card"]


def test_the_parts_of_a_runs_time_are_named_and_add_up(tmp_path: Path) -> None:
    made([*WORDS, "nothing"]).save(tmp_path / "run" / "one")
    parts = {part: 1.0 + place for place, part in enumerate(PARTS) if part != "students"}
    seconds = TimeRecord(total=sum(parts.values()) + 7.5, parts=parts, students={"one": 7.5})
    record = RunRecord({}, finished=True, students={"one": StudentRecord("one")}, seconds=seconds)
    record.write(tmp_path / "run")
    path = report(tmp_path / "run", tmp_path / "r.html", scores=[], map_words=20)
    (run,) = Page(path.read_text(encoding="utf-8")).data["runs"]
    shown = dict(run["seconds"])
    assert sum(shown.values()) == pytest.approx(seconds.total)
    assert list(shown) == [name if part != "students" else "one" for part, name in PARTS.items()]


def test_the_same_input_gives_the_same_bytes(run: Path, tmp_path: Path) -> None:
    pages = [report(run, tmp_path / name, scores=scores("run/one"), map_words=50) for name in ("a.html", "b.html")]
    assert pages[0].read_bytes() == pages[1].read_bytes()


def test_the_size_is_bounded_by_the_words_of_the_map() -> None:
    models = [made([*WORDS, "nothing"], seed) for seed in range(2)]
    size = len(for_script(word_map(models, 200).as_json()))
    assert size < 200 * (60 + 2 * 48) + 1000


def test_the_most_frequent_words_of_all_models_are_on_the_map() -> None:
    one = WordVectors(["a", "b", "c"], np.eye(3), [1, 5, 3])
    two = WordVectors(["d", "c", "e"], np.eye(3))
    assert frequent_words([one, two], 4) == ["b", "d", "c", "a"]


def test_a_curve_is_thinned_by_averages() -> None:
    assert thinned([[1, 4.0], [2, 2.0], [3, 6.0]], most=2) == [[1.5, 3.0], [3.0, 6.0]]
    assert thinned([[1, float("nan")], [2, 2.0]], most=2) == [[2.0, 2.0]]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("minilm", "minilm"),
        ("org/model", "org/model"),
        ("/home/someone/model", "model"),
        ("../model", "model"),
    ],
)
def test_a_report_does_not_tell_where_a_teacher_lay(name: str, expected: str) -> None:
    assert public_name(name) == expected


def test_words_are_chosen_where_nobody_names_any() -> None:
    assert default_words(made([*WORDS, "nothing"]))[0] == "river"
    assert default_words(WordVectors(["1", "2"], np.eye(2))) == ["1", "2"]
    german = ["der", *(f"wort{one}{two}" for one in "abcdefghijkl" for two in "abcdefghijkl")]
    assert len(default_words(WordVectors(german, np.eye(len(german))))) == 6


def test_vectors_without_counts_card_or_run_have_a_report_too(tmp_path: Path) -> None:
    WordVectors(["a"], np.ones((1, 1))).save(tmp_path / "v.txt")
    report(tmp_path / "v.txt", tmp_path / "r.html", scores=[])
    data = Page((tmp_path / "r.html").read_text(encoding="utf-8")).data
    assert data["runs"] == []
    assert data["models"][0]["words"] == 1


def test_a_lone_surrogate_is_written_as_an_escape(tmp_path: Path) -> None:
    vectors = WordVectors(["\udc80", "b", "c"], np.eye(3))
    path = report({"v": vectors}, tmp_path / "r.html", scores=[])
    assert "\\udc80" in Page(path.read_text(encoding="utf-8")).data["map"]["words"]


def test_data_sets_that_are_here_are_judged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("gensim", reason="its wheel carries the data sets")
    monkeypatch.delenv("WORDSTILL_DATA", raising=False)
    monkeypatch.setenv("WORDSTILL_CACHE", str(tmp_path / "cache"))
    made(["tiger", "cat", "book", "paper", "river", "rivers", "nothing"]).save(tmp_path / "v")
    out = str(tmp_path / "r.html")
    assert main(["report", str(tmp_path / "v"), "--out", out, "--datasets", "ws353", "--words", "river,cat"]) == 0
    printed = capsys.readouterr()
    assert printed.out == f"{out}\n"
    assert "v: ws353" in printed.err
    data = Page(Path(out).read_text(encoding="utf-8")).data
    assert data["scores"][0]["scores"][0]["covered"] == 3  # tiger tiger, tiger cat, book paper
    assert [chosen["word"] for chosen in data["chosen"]] == ["river", "cat"]


def test_scores_of_evaluate_are_used_again(run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "scores.json").write_text(json.dumps(scores("run/one", "else")))
    given = ["report", str(run), "--scores", str(tmp_path / "scores.json"), "--map-words", "20", "-q"]
    assert main([*given, "--out", str(tmp_path / "r.html")]) == 0
    assert capsys.readouterr().err == ""
    entry = Page((tmp_path / "r.html").read_text(encoding="utf-8")).data["scores"][0]
    assert entry["scores"][0]["score"] == 0.5
    assert entry["scores"][1] is None


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["{run}", "--out", "{run}/r.pdf"], "must end in .html"),
        (["{run}", "--scores", "{run}/run.json"], "holds no scores"),
        (["{run}", "--scores", "{run}/absent.json"], "cannot be read"),
        (["{run}", "--scores", "{run}/other.json"], "none is of run/one, run/two"),
        (["{run}", "--scores", "{run}/other.json", "--datasets", "ws353"], "not both"),
        (["{run}", "--scores", "{run}/good.json", "--words", "absent"], "'absent' has no vector in any"),
        (["{run}", "--map-words", "0"], "--map-words must be between 1 and 60,000"),
        (["{run}/absent"], "no file or folder"),
    ],
)
def test_bad_input_is_one_sentence(
    run: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], expected: str
) -> None:
    (run / "other.json").write_text(json.dumps(scores("else")))
    (run / "good.json").write_text(json.dumps(scores("run/one")))
    before = set(run.iterdir())
    given = [argument.format(run=run) for argument in arguments]
    assert main(["report", *given, *([] if "--out" in given else ["--out", str(run / "new.html")])]) == 2
    printed = capsys.readouterr()
    assert expected in printed.err
    assert printed.out == ""
    assert set(run.iterdir()) == before


def test_more_models_than_can_be_told_apart_are_refused() -> None:
    models = {str(number): WordVectors(["a"], np.ones((1, 1))) for number in range(MOST_MODELS + 1)}
    with pytest.raises(InputError, match="at most 12 vectors"):
        report(models, "r.html")


def test_a_report_replaces_a_report_and_an_empty_file(tmp_path: Path) -> None:
    vectors = {"v": WordVectors(["a", "b", "c"], np.eye(3))}
    (tmp_path / "r.html").write_text("")
    for title in ("one", "two" + "o" * 10_000):
        report(vectors, tmp_path / "r.html", scores=[], title=title)
        assert f"<title>{title}</title>" in (tmp_path / "r.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "content",
    ["<!doctype html><title>Mine</title>", "wordstill", "<!doctype html>" + " " * 5000 + '<meta name="generator">'],
)
def test_a_page_that_is_no_report_is_refused_before_any_work_and_stays(
    tmp_path: Path, content: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "index.html").write_text(content)
    before = tree_of(tmp_path)
    refused = pytest.raises(InputError, match=r"index\.html is not recognised as wordstill's own and is not replaced")
    with refused:
        report({"v": WordVectors(["a", "b"], np.eye(2))}, tmp_path / "index.html", scores=[])
    assert main(["report", "no-such-vectors", "--out", str(tmp_path / "index.html")]) == 2
    assert "choose another name, or move it away" in capsys.readouterr().err
    assert tree_of(tmp_path) == before


def test_a_folder_with_the_name_of_a_page_is_refused_and_stays(tmp_path: Path) -> None:
    (tmp_path / "site.html").mkdir()
    (tmp_path / "site.html" / "index").write_text("mine")
    before = tree_of(tmp_path)
    with pytest.raises(InputError, match=r"site\.html holds index, which wordstill did not write"):
        report({"v": WordVectors(["a", "b"], np.eye(2))}, tmp_path / "site.html", scores=[])
    assert tree_of(tmp_path) == before
