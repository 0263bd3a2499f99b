"""Where the labels of points go so that no two of them overlap, and few hide a point or a line."""

from __future__ import annotations

import numpy as np

from wordstill.arrays import Array

DIRECTIONS = 16
# How far from its point a label may go, in heights of a label.
RADII = (0.35, 0.7, 1.2, 1.8, 2.6, 3.6, 4.8, 6.2, 8.0, 10.0, 13.0, 17.0)


def place_labels(
    anchors: Array, sizes: Array, bounds: tuple[float, float, float, float], lines: Array | None = None
) -> Array:
    """The lower left corner of each label; NaN where there is no room for it.

    anchors  the points (x, y)
    sizes    width and height of each label, with the space that is to stay free around it
    bounds   left, bottom, right, top: no label leaves these
    lines    segments (x, y, x, y) that labels should rather not cross

    Labels of crowded points choose first; each takes the cheapest free place around its point. A place costs its
    distance, and more where it hides points or crosses lines.
    """
    lines = np.zeros((0, 4)) if lines is None else lines
    corners = np.full((len(anchors), 2), np.nan)
    taken = np.zeros((0, 4))
    unit = float(np.median(sizes[:, 1])) if len(sizes) else 1.0
    for one in _most_crowded_first(anchors, unit):
        boxes, costs = _candidates(anchors[one], sizes[one], unit)
        free = _inside(boxes, bounds) & ~_overlaps(boxes, taken).any(axis=1)
        if not free.any():
            continue
        boxes, costs = boxes[free], costs[free]
        costs = costs + 2.0 * _points_within(boxes, anchors) + 1.0 * _crossings(boxes, lines)
        best = boxes[int(np.argmin(costs))]
        corners[one] = best[:2]
        taken = np.vstack([taken, best])
    return corners


def _most_crowded_first(anchors: Array, unit: float) -> list[int]:
    away = np.abs(anchors[:, None, :] - anchors[None, :, :])
    crowd = ((away[..., 0] < 6 * unit) & (away[..., 1] < 2 * unit)).sum(axis=1)
    return [int(number) for number in np.argsort(-crowd, kind="stable")]


def _candidates(anchor: Array, size: Array, unit: float) -> tuple[Array, Array]:
    """Boxes (left, bottom, right, top) around a point, and what each costs; right of the point is cheapest."""
    angle = np.arange(DIRECTIONS) * 2 * np.pi / DIRECTIONS
    radius = np.repeat(np.array(RADII), DIRECTIONS)
    across, up = np.tile(np.cos(angle), len(RADII)), np.tile(np.sin(angle), len(RADII))
    centre = np.stack([across * (radius * unit + size[0] / 2), up * (radius * unit + size[1] / 2)], axis=1) + anchor
    costs = radius + 0.15 * (1 - across)
    return np.hstack([centre - size / 2, centre + size / 2]), costs


def _inside(boxes: Array, bounds: tuple[float, float, float, float]) -> Array:
    left, bottom, right, top = bounds
    within = (boxes[:, 0] >= left) & (boxes[:, 1] >= bottom) & (boxes[:, 2] <= right) & (boxes[:, 3] <= top)
    return np.asarray(within)


def _overlaps(boxes: Array, others: Array) -> Array:
    one, two = boxes[:, None, :], others[None, :, :]
    return np.asarray(
        (one[..., 0] < two[..., 2])
        & (two[..., 0] < one[..., 2])
        & (one[..., 1] < two[..., 3])
        & (two[..., 1] < one[..., 3])
    )


def _points_within(boxes: Array, points: Array) -> Array:
    x, y = points[None, :, 0], points[None, :, 1]
    left, bottom, right, top = (boxes[:, side, None] for side in range(4))
    return np.asarray(((left < x) & (x < right) & (bottom < y) & (y < top)).sum(axis=1))


def _crossings(boxes: Array, lines: Array) -> Array:
    """How many segments pass through each box (Liang and Barsky's clipping, all at once)."""
    enter = np.zeros((len(boxes), len(lines)))
    leave = np.ones_like(enter)
    for axis in (0, 1):
        start, step = lines[None, :, axis], lines[None, :, axis + 2] - lines[None, :, axis]
        step = np.where(np.abs(step) < 1e-9, 1e-9, step)
        low, high = (boxes[:, axis, None] - start) / step, (boxes[:, axis + 2, None] - start) / step
        enter = np.maximum(enter, np.minimum(low, high))
        leave = np.minimum(leave, np.maximum(low, high))
    return np.asarray((enter < leave).sum(axis=1))
