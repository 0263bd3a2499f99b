"""A clock whose parts add up to the whole."""

from __future__ import annotations

from contextlib import suppress

import pytest

from wordstill.system.clock import Clock


def test_parts_add_up_and_an_inner_part_stops_the_outer_one(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr("wordstill.system.clock.time.perf_counter", lambda: now[0])
    clock = Clock()
    now[0] += 1
    with clock.part("teacher"):
        now[0] += 10
        with clock.part("checkpoint"):
            now[0] += 4
        now[0] += 2
    now[0] += 3
    assert clock.seconds() == {"other": 4, "teacher": 12, "checkpoint": 4}
    clock.add({"teacher": 5.0, "read": 1.0})  # what another process counted before
    assert clock.seconds() == {"other": 4, "teacher": 17, "checkpoint": 4, "read": 1}


def test_a_part_ends_with_an_exception(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr("wordstill.system.clock.time.perf_counter", lambda: now[0])
    clock = Clock()
    with suppress(KeyError), clock.part("read"):
        now[0] += 1
        raise KeyError
    now[0] += 1
    assert clock.seconds() == {"other": 1, "read": 1}
