"""Runs side by side, in real processes; the work is the standard library's, which every process can import."""

from __future__ import annotations

import json
import logging
import math
import os
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from few_students import only
from texts import write_corpus
from wordstill.cli import main
from wordstill.errors import InputError
from wordstill.studies.side_by_side import side_by_side
from wordstill.studies.table_runs import Planned, _called, _reads_parses
from wordstill.system.progress import log, progress_shown


def test_results_come_in_the_order_given() -> None:
    assert side_by_side(math.sqrt, [16, 9, 4, 1], 3, "roots") == [4, 3, 2, 1]
    assert side_by_side(math.sqrt, [], 3, "roots") == []


def test_one_worker_is_this_process_and_more_are_others() -> None:
    pids = side_by_side(eval, ["__import__('os').getpid()"] * 4, 2, "processes")
    assert os.getpid() not in pids
    assert 1 <= len(set(pids)) <= 2
    assert side_by_side(eval, ["__import__('os').getpid()"], 2, "processes") == [os.getpid()]


def test_what_the_work_raises_is_raised_here() -> None:
    with pytest.raises(ValueError, match=r"math domain error|nonnegative"):
        side_by_side(math.sqrt, [4, -1, 9], 2, "roots")


def test_a_worker_that_is_gone_is_told_in_one_sentence() -> None:
    with pytest.raises(InputError, match=r"ended unexpectedly \(exit code 3\); if memory ran out, give --threads 1"):
        side_by_side(os._exit, [3, 3, 3], 2, "exits")


def test_where_a_process_dies_the_runs_of_the_tables_follow_one_after_the_other(
    caplog: pytest.LogCaptureFixture,
) -> None:
    dying = partial(eval, f"{{}} if __import__('os').getpid() == {os.getpid()} else __import__('os')._exit(3)")
    assert _called([dying, dying], 2) == [{}, {}]
    assert "going on with one run at a time" in caplog.text


def test_a_wrong_option_of_a_row_is_its_runs_to_tell() -> None:
    assert not _reads_parses(Planned("words-cbow", "words", "", {"cbow": {"window": "wide"}}))
    assert _reads_parses(Planned("words-deps", "words", "", {"deps": {}}))


def test_messages_of_workers_are_lines_on_standard_error_where_progress_is_shown(
    capfd: pytest.CaptureFixture[str],
) -> None:
    said, warned = (
        f"__import__('logging').getLogger('wordstill').{level}('from %s', 'a worker')" for level in ("info", "warning")
    )
    before = log.level
    log.setLevel(logging.INFO)
    try:
        with progress_shown():
            side_by_side(eval, [said, said], 2, "lines")
        assert capfd.readouterr().err.count("from a worker\n") == 2
        side_by_side(eval, [said, said], 2, "lines")
        assert "worker" not in capfd.readouterr().err
        side_by_side(eval, [warned, warned], 2, "lines")
        assert capfd.readouterr().err.count("from a worker\n") == 2, "a warning is told, however quiet"
    finally:
        log.setLevel(before)


@pytest.mark.slow
def test_tables_have_the_same_figures_whether_their_runs_go_side_by_side(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_corpus(Path("texts.txt"), 60)
    Path("pairs.tsv").write_text("river\tsea\t3\nfox\tdog\t2\ncity\tcountry\t7\nteacher\tstudent\t5\n")
    found: list[Any] = []
    for threads in ("1", "2"):
        out = f"out-{threads}"
        sets = ["--set", "skipgram.dimensions=8", "cbow.dimensions=8", "glove.dimensions=8"]
        call = ["study", "tables", "--corpus", "texts.txt", "--teacher", "none", "--datasets", "pairs.tsv", "-q"]
        with only("skipgram", "cbow", "glove"):
            assert main([*call, "--threads", threads, "--out", out, *sets]) == 0
        found.append(json.loads(Path(out, "tables.json").read_text())["records"])
        folders = sorted(Path(out).glob("words-*"))
        assert [path.name for path in folders] == ["words-cbow", "words-glove", "words-skipgram"]
        for folder in folders:  # they share the cores, so each has one
            assert json.loads((folder / "run.json").read_text())["settings"]["threads"] == 1
    assert found[0] == found[1]
    assert any("score" in one["cells"]["pairs"] for one in found[0] if "cells" in one and "pairs" in one["cells"])
