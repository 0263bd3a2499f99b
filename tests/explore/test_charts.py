"""Charts, read back from the figures they make and from the files."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import matplotlib.image
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from trees import tree_of

from wordstill.cli import main
from wordstill.errors import InputError
from wordstill.explore.charts import Series, bar_chart, check_picture, heat_map, line_chart, save, spaced_apart

TWO = [
    Series("$first$", [10.0, 20.0, float("nan")], [5.0, 18.0, float("nan")], [15.0, 25.0, float("nan")]),
    Series("second_one", [10.0, 20.0, 30.0]),
]


def test_lines_carry_their_values_and_are_named_at_their_ends() -> None:
    axes = line_chart([1, 2, 8], TWO, title="t", x_label="x", y_label="y", log_x=True).axes[0]
    assert [text.get_text() for text in axes.get_xticklabels()] == ["1", "2", "8"]
    assert [text.get_text() for text in axes.texts] == ["$first$", "second_one"]
    assert axes.get_xscale() == "log"
    for one, drawn in zip(TWO, axes.containers, strict=True):
        np.testing.assert_array_equal(drawn.lines[0].get_ydata(), one.values)
        np.testing.assert_allclose(drawn.lines[0].get_xdata(), [1, 2, 8], rtol=0.02)
    low, high = (cap.get_ydata() for cap in axes.containers[0].lines[1])
    np.testing.assert_array_equal(low, TWO[0].low)
    np.testing.assert_array_equal(high, TWO[0].high)


def test_bars_stand_in_groups_with_a_legend() -> None:
    figure = bar_chart(["rg65", "men_3k", "rw"], TWO)
    bars = figure.axes[0].patches
    assert [bar.get_height() for bar in bars[3:]] == [10.0, 20.0, 30.0]
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["$first$", "second_one"]
    assert [text.get_text() for text in figure.axes[0].texts] == ["10", "20", "10", "20", "30"]


def test_a_heat_map_leaves_out_what_is_no_number() -> None:
    figure = heat_map(["a", "b"], ["c", "d", "e"], np.array([[0.25, np.nan, 1.0], [0.0, 0.5, np.nan]]))
    axes = figure.axes[0]
    assert [text.get_text() for text in axes.texts] == ["0.25", "1.00", "0.00", "0.50"]
    assert axes.images[0].get_array().mask.tolist() == [[False, True, False], [False, False, True]]


@pytest.mark.parametrize("kind", ["png", "svg"])
def test_equal_figures_give_equal_files_and_words_are_no_mathematics(tmp_path: Path, kind: str) -> None:
    written = []
    for name in ("one", "two"):
        assert save(line_chart([1, 2, 8], TWO, title="100 $ a % of $"), tmp_path / f"{name}.{kind}") == ""
        written.append((tmp_path / f"{name}.{kind}").read_bytes())
    assert written[0] == written[1]
    if kind == "svg":
        assert b"100 $ a % of $" in written[0]
    else:
        assert matplotlib.image.imread(tmp_path / "one.png").shape == (1140, 1800, 4)


def test_characters_without_a_font_are_told(tmp_path: Path) -> None:
    rare = "\U00012000"  # a cuneiform sign
    assert save(heat_map([rare], ["a"], np.ones((1, 1))), tmp_path / "h.png") == rare


def test_another_ending_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"neither \.png nor \.svg"):
        save(bar_chart(["a"], TWO[:0]), tmp_path / "chart.jpg")


@given(st.lists(st.floats(0, 1), max_size=8))
def test_labels_are_spread_without_changing_places(values: list[float]) -> None:
    placed = spaced_apart(values, 0.05)
    for one, other in pairwise(np.argsort(values, kind="stable")):
        assert placed[other] - placed[one] >= 0.04
    if len(values) == 1:
        assert placed == values


@pytest.mark.parametrize("kind", ["png", "svg"])
def test_a_picture_is_drawn_again_and_again_over_itself(tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"chart.{kind}"
    path.write_bytes(b"")
    for values in ([1.0, 2.0], [3.0, 4.0]):
        before = path.read_bytes()
        save(line_chart([1, 2], [Series("one", values)]), path)
        assert path.read_bytes() != before


@pytest.mark.parametrize("kind", ["png", "svg"])
@pytest.mark.parametrize("made", ["a photograph", "a chart of matplotlib's", "a chart without a mark", "notes"])
def test_a_picture_that_wordstill_did_not_draw_is_refused_before_any_work_and_stays(
    tmp_path: Path, kind: str, made: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / f"holiday.{kind}"
    if made == "a photograph":
        path.write_bytes(b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" if kind == "png" else b"<svg>wordstill</svg>")
    elif made == "notes":
        path.write_text("I drew this with wordstill")
    else:
        nameless = {"Software": None} if kind == "png" else {"Date": None, "Creator": None}
        line_chart([1, 2], [Series("wordstill", [1.0, 2.0])]).savefig(
            path, metadata=nameless if made == "a chart without a mark" else None
        )
    before = tree_of(tmp_path)
    with pytest.raises(InputError, match=r"holiday\.\w+ is not recognised as wordstill's own and is not replaced"):
        save(line_chart([1, 2], [Series("one", [1.0, 2.0])]), path)
    assert main(["plot", "pairs", "no-such-vectors", "--out", str(path)]) == 2
    assert "choose another name, or move it away" in capsys.readouterr().err
    assert tree_of(tmp_path) == before


def test_a_folder_with_the_name_of_a_picture_is_refused_and_stays(tmp_path: Path) -> None:
    (tmp_path / "album.png").mkdir()
    (tmp_path / "album.png" / "one.jpg").write_bytes(b"\xff\xd8")
    before = tree_of(tmp_path)
    with pytest.raises(InputError, match=r"album\.png holds one\.jpg, which wordstill did not write"):
        check_picture(tmp_path / "album.png")
    assert tree_of(tmp_path) == before
