from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from wordstill.arrays import Array
from wordstill.explore.labels import place_labels

SIDE = 1000.0


def boxes(corners: Array, sizes: Array) -> list[tuple[float, float, float, float]]:
    placed = ~np.isnan(corners[:, 0])
    return [(x, y, x + w, y + h) for (x, y), (w, h) in zip(corners[placed], sizes[placed], strict=True)]


@settings(max_examples=60)
@given(
    st.lists(
        st.tuples(st.floats(0, SIDE), st.floats(0, SIDE), st.floats(1, 300), st.floats(5, 40)), min_size=1, max_size=60
    )
)
def test_no_two_labels_overlap_and_none_leaves_the_frame(labels: list[tuple[float, float, float, float]]) -> None:
    given_labels = np.array(labels)
    corners = place_labels(given_labels[:, :2], given_labels[:, 2:], (0.0, 0.0, SIDE, SIDE))
    found = boxes(corners, given_labels[:, 2:])
    for number, (left, bottom, right, top) in enumerate(found):
        assert left >= 0
        assert bottom >= 0
        assert right <= SIDE + 1e-6
        assert top <= SIDE + 1e-6
        for other in found[:number]:
            assert (
                left >= other[2] - 1e-6
                or other[0] >= right - 1e-6
                or bottom >= other[3] - 1e-6
                or other[1] >= top - 1e-6
            )


def test_a_label_alone_stands_right_beside_its_point() -> None:
    (corner,) = place_labels(np.array([[500.0, 500.0]]), np.array([[80.0, 20.0]]), (0.0, 0.0, SIDE, SIDE))
    assert 500 < corner[0] < 520
    assert corner[1] == 490


def test_points_on_one_spot_all_get_their_labels() -> None:
    corners = place_labels(np.full((12, 2), 500.0), np.full((12, 2), (80.0, 20.0)), (0.0, 0.0, SIDE, SIDE))
    assert not np.isnan(corners).any()


def test_a_label_that_is_larger_than_the_frame_is_left_out() -> None:
    corners = place_labels(np.array([[5.0, 5.0]]), np.array([[80.0, 20.0]]), (0.0, 0.0, 50.0, 50.0))
    assert np.isnan(corners).all()


def test_a_label_moves_aside_for_a_line_and_for_another_point() -> None:
    anchor, size, bounds = np.array([[500.0, 500.0]]), np.array([[80.0, 20.0]]), (0.0, 0.0, SIDE, SIDE)
    line = np.array([[500.0, 500.0, 900.0, 500.0]])
    (corner,) = place_labels(anchor, size, bounds, line)
    assert corner[1] >= 500 or corner[1] + 20 <= 500 or corner[0] + 80 <= 500
    two = place_labels(np.array([[500.0, 500.0], [550.0, 500.0]]), np.array([[80.0, 20.0], [1.0, 20.0]]), bounds)
    assert two[0][0] + 80 <= 550 or two[0][0] >= 550 or two[0][1] >= 500 or two[0][1] + 20 <= 500
