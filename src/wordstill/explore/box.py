"""Points of three dimensions on paper: in a box that is seen from one corner, without perspective.

The points become points of a plane, so that their labels keep apart as in every other picture.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np

from wordstill.arrays import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

AZIMUTH, ELEVATION = np.deg2rad(-60.0), np.deg2rad(25.0)
# The size of the signs of the farthest and the nearest points.
SMALLEST, LARGEST = 8.0, 26.0
BOX_COLOUR = "#CCCCCC"


def seen_from_a_corner(points: Array) -> tuple[Array, Array]:
    """Turn points of three dimensions; return their places on paper, and how near each is to who looks."""
    across = np.array([-np.sin(AZIMUTH), np.cos(AZIMUTH), 0.0])
    towards = np.array([np.cos(ELEVATION) * np.cos(AZIMUTH), np.cos(ELEVATION) * np.sin(AZIMUTH), np.sin(ELEVATION)])
    up = np.cross(towards, across)
    return points @ np.stack([across, up], axis=1), points @ towards


def draw_box(axes: Axes, points: Array) -> tuple[Array, Array]:
    """Draw the edges of a box around the points, and give it its limits; return the places and the sizes of signs."""
    low, high = points.min(axis=0), points.max(axis=0)
    scaled = (points - low) / np.maximum(high - low, 1e-12)
    corners = np.array(list(itertools.product((-0.05, 1.05), repeat=3)))
    flat, _ = seen_from_a_corner(corners)
    for one, two in itertools.combinations(range(8), 2):
        if (corners[one] != corners[two]).sum() == 1:
            axes.plot(flat[[one, two], 0], flat[[one, two], 1], color=BOX_COLOUR, linewidth=0.6, zorder=0)
    axes.set_xlim(flat[:, 0].min() - 0.05, flat[:, 0].max() + 0.05)
    axes.set_ylim(flat[:, 1].min() - 0.05, flat[:, 1].max() + 0.05)
    places, near = seen_from_a_corner(scaled)
    share = (near - near.min()) / max(float(np.ptp(near)), 1e-12)
    return places, SMALLEST + share * (LARGEST - SMALLEST)
