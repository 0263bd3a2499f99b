"""The benchmark, called as the shell calls it, on a small model: both sides of every ratio really ran."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from measuring import memory as memory_module
from measuring import workload as workload_module
from measuring.memory import memory, memory_large
from measuring.opening import opening_vectors
from measuring.parts import PARTS, choose_parts
from measuring.research_loop import plain_loop
from measuring.row_updates import Ours, Torchs, made_step, row_updates
from measuring.turns import in_turns, ratio
from measuring.workload import Workload, time_run
from run import main
from small_models import make_model
from texts import write_corpus
from wordstill.corpus.vocabulary import Vocabulary
from wordstill.distillation import teaching
from wordstill.distillation.run_folder import Run
from wordstill.distillation.run_record import CorpusRecord, RunRecord, TimeRecord
from wordstill.errors import InputError
from wordstill.planning.made_text import made_paragraphs

pytestmark = pytest.mark.slow

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"
# int8 needs a guard that came before torch. Compiling bfloat16 takes too long here.
PROGRAM = """
import sys
from wordstill.system.machine import guard
guard()
sys.path.insert(0, sys.argv.pop(1))
from measuring import precisions
precisions.FAST = ("int8", "float16")
from run import main
sys.exit(main(sys.argv[1:]))
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("benchmark")
    make_model("bert", folder / "teacher")
    write_corpus(folder / "texts.txt", 200)
    return folder


def called(place: Path, *options: str, corpus: str = "texts.txt") -> Any:
    """Call the script in a process of its own."""
    call = ["--corpus", str(place / corpus), "--teacher", str(place / "teacher"), "--threads", "1", "-q"]
    environment = os.environ | {"WORDSTILL_CACHE": str(place / "cache"), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-c", PROGRAM, str(BENCHMARKS), *call, *options]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return json.loads(done.stdout)


def ratios(value: Any) -> list[dict[str, Any]]:
    if isinstance(value, dict):
        own = [value] if "ratio" in value else []
        return own + [found for part in value.values() for found in ratios(part)]
    return []


def test_sides_are_measured_in_turns() -> None:
    order: list[str] = []

    def side(name: str, value: float) -> float:
        order.append(name)
        return value

    measured = in_turns({"a": lambda: side("a", 6.0), "b": lambda: side("b", 2.0)}, 3)
    assert order == ["a", "b"] * 3
    assert ratio(measured["a"], measured["b"]) == {"ratio": 3.0, "spread": [3.0, 3.0]}


def test_a_ratio_is_taken_turn_by_turn_with_its_spread() -> None:
    # A turn in which everything was ten times as slow counts like the others.
    assert ratio([2.0, 30.0, 8.0], [1.0, 10.0, 2.0]) == {"ratio": 3.0, "spread": [2.0, 4.0]}


def test_what_vectors_of_each_precision_are_worth_stands_beside_float32(place: Path) -> None:
    pytest.importorskip("gensim", reason="its wheel has the similarity sets that these words are in")
    words = "tiger cat book paper computer keyboard plane car train bread butter doctor".split()  # noqa: SIM905
    lines = [f"The {words[n % 12]} and the {words[(n * 5 + 1) % 12]} are by the sea." for n in range(200)]
    (place / "words.txt").write_text("\n".join(lines), encoding="utf-8")
    options = ("--only", "scores", "--words", "1500", "--students", "aggregate")
    found = called(place, *options, corpus="words.txt")["parts"]["scores"]
    assert "ws353" in found["datasets"]
    assert found["float32"]["aggregate"]["over_float32"] == 0
    assert -100 <= found["int8"]["aggregate"]["score"] <= 100
    difference = found["int8"]["aggregate"]["score"] - found["float32"]["aggregate"]["score"]
    assert found["int8"]["aggregate"]["over_float32"] == pytest.approx(difference, abs=0.02)
    assert "GPU" in found["float16"]["note"]


def test_the_script_prints_json_of_the_parts_asked_for(place: Path) -> None:
    options = ["--words", "1500", "--repeats", "2", "--only", "run,loop,precisions,reading,others"]
    measured = called(place, *options, "--precisions", "float32,int8", "--json", str(place / "b.json"))
    assert json.loads((place / "b.json").read_text()) == measured
    assert list(measured["parts"]) == ["run", "loop", "precisions", "reading", "others"]
    # A CPU multiplies no float16.
    found = measured["parts"]["precisions"]
    assert 0.98 <= found["int8"]["cosine"] <= 1
    assert found["int8"]["over_float32"]["ratio"] > 0
    assert "GPU" in found["float16"]["note"]

    run = measured["parts"]["run"]
    for precision in ("float32", "int8"):
        for students in ("aggregate", "aggregate,closed", "aggregate,closed,x2static"):
            part = run[precision][students]
            assert list(part["seconds"]["students"]) == students.split(",")
            assert len(part["bare_teacher_seconds"]) == len(part["run_seconds"]) == 2
            turns = [a / b for a, b in zip(part["bare_teacher_seconds"], part["run_seconds"], strict=True)]
            assert part["teacher_over_run"]["spread"] == pytest.approx([min(turns), max(turns)], rel=0.01)
            # The whole with loading is never faster than the whole without it.
            assert part["teacher_over_run_with_loading"]["ratio"] <= part["teacher_over_run"]["ratio"]
    loop = measured["parts"]["loop"]
    assert len(loop["float32"]["loop_words_per_second"]) == len(loop["float32"]["words_per_second"]) == 2
    assert loop["float32"]["loop_padding"] > 1
    assert loop["int8"]["run_over_loop"]["ratio"] > 0
    assert measured["parts"]["reading"]["segmentation_and_tokenization_over_run"]["ratio"] > 0
    others = measured["parts"]["others"]
    if find_spec("gensim"):
        assert others["gensim_skip_gram_over_wordstill"]["ratio"] > 0
    assert ("model2vec_over_wordstill" in others) != ("model2vec" in others.get("notes", {}))
    found = ratios(measured)
    assert len(found) >= 18
    for one in found:
        low, high = one["spread"]
        assert 0 < low <= one["ratio"] <= high < math.inf


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--only", "runs"], "no part 'runs'"),
        (["--precisions", "float64"], "not 'float64'"),
        (["--repeats", "0"], "--repeats must be at least 1"),
        (["--corpus", "nowhere.txt", "--only", "reading"], "nowhere.txt"),
    ],
)
def test_wrong_usage_is_told_in_a_sentence(
    options: list[str], reason: str, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = [] if "--corpus" in options else ["--corpus", str(place / "texts.txt")]
    assert main(["-q", *given, "--teacher", str(place / "teacher"), *options]) == 2
    assert reason in capsys.readouterr().err


def test_the_large_table_is_measured_only_if_named() -> None:
    assert "memory-large" not in choose_parts([])
    assert choose_parts(["rows", "rows", "run"]) == ["rows", "run"]
    assert set(choose_parts([])) < set(PARTS)
    with pytest.raises(InputError, match="there are: run, loop"):
        choose_parts(["speed"])


def test_ours_and_torchs_rows_are_equal_after_the_same_steps() -> None:
    """Small gradients, too: what is added to the root of the second moment matters there."""
    start = np.random.default_rng(1).uniform(-0.01, 0.01, (300, 24)).astype(np.float32)
    ours, theirs = Ours(start), Torchs(start)
    for seed in range(6):
        step = made_step(seed, 300, 24, 220)
        step = step._replace(contexts=step.contexts * np.float32(10.0**-seed))
        ours.take(step)
        theirs.take(step)
    assert np.abs(ours.table - start).max() > 1e-3
    np.testing.assert_allclose(ours.table, theirs.table.weight.detach().numpy(), atol=1e-5)


def test_row_updates_time_both_sides_on_the_same_rows() -> None:
    found = row_updates(Workload(repeats=2, threads=1), words=500, width=16, rows=110, steps=2)
    assert {len(times) for times in found["milliseconds"].values()} == {2}
    assert found["sparse_adam_over_adam_rows"]["ratio"] > 0
    assert found["largest_difference"] < 1e-5


def test_the_plain_loop_learns_from_padded_random_batches(place: Path) -> None:
    from transformers import AutoModel, AutoTokenizer

    plain = (AutoTokenizer.from_pretrained(place / "teacher"), AutoModel.from_pretrained(place / "teacher").eval())
    sentences = [["the", "river", "flows"], ["the"] * 9] * 70
    steps = list(plain_loop(plain, sentences, Vocabulary(["the", "river"], np.array([700, 70]))))
    assert len(steps) == 2
    assert sum(step.words for step in steps) == 12 * 70
    assert sum(step.padded for step in steps) > 1.1 * sum(step.real for step in steps)
    assert [step.left > 0 for step in steps] == [True, False]


def test_what_is_done_beside_a_run_is_not_counted_as_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    parts = {"loading": 3.0, "preparing": 1.0, "vocabulary": 2.0, "teacher": 10.0, "other": 9.0}

    def distilled(*paths: Any, **given: Any) -> Run:
        work: Any = teaching._beside.get()
        work("teacher", "grid", [1])
        return Run(Path(), RunRecord({}, CorpusRecord(words=3200), seconds=TimeRecord(25.0, parts)))

    monkeypatch.setattr(workload_module, "distill", distilled)
    ticks = iter([0.0, 1.0, 6.0, 30.0])  # the run begins, a batch's other work begins and ends, the run ends
    monkeypatch.setattr(workload_module.time, "perf_counter", lambda: next(ticks))
    beside: list[Any] = []
    run = time_run(Workload(("texts.txt",)), lambda *given: beside.append(given))
    assert beside == [("teacher", "grid", [1])]
    assert (run.beside, run.seconds) == (5.0, 25.0)
    assert run.record.seconds == TimeRecord(20.0, parts | {"other": 4.0})
    assert run.starting == 25.0 - (20.0 - 3.0 - 1.0)  # 5 seconds before the run's own clock, loading and preparing
    assert run.words_per_second == 3200 / 16


def test_work_beside_the_teacher_sees_every_batch_of_a_run(place: Path) -> None:
    lengths: list[int] = []
    workload = Workload((place / "texts.txt",), teacher=str(place / "teacher"), threads=1)
    run = time_run(workload, lambda teacher, grid, layers: lengths.append(len(grid.lengths)))
    assert sum(lengths) == run.record.corpus.words
    assert run.record.seconds.total == pytest.approx(
        sum(run.record.seconds.parts.values()) + sum(run.record.seconds.students.values()), rel=0.02
    )


def test_memory_is_measured_in_processes_of_their_own(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    workload = Workload((place / "texts.txt",), 1000, str(place / "teacher"), repeats=1, threads=1)
    found = memory(workload, vocabulary=4000, width=256)
    assert found["words"] == [250, 1000]
    assert 0.8 < found["four_times_the_words"]["ratio"] < 1.5
    # 4,000 words are 12 MB, 16,000 are 49: what Python itself takes meanwhile is not much more.
    one, four = found["table_bytes"]["one"][0], found["table_bytes"]["four"][0]
    assert four - one == pytest.approx(12 * 12_000 * 256, rel=0.5)


def test_a_table_that_does_not_fit_is_not_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory_module, "available_memory", lambda: 10**9)
    found = memory_large(Workload())
    assert found["formula_bytes"] == pytest.approx(12 * 750_000 * 768, rel=0.01)
    assert "only 1.0 GB are free" in found["note"]


def test_loading_is_compared_with_gensim() -> None:
    pytest.importorskip("gensim")
    found = opening_vectors(Workload(repeats=2), words=300, dimensions=8, queries=3)
    assert set(found["results"]) == {"float32", "float16", "int8", "gensim_mapped", "gensim_binary.bin"}
    for name in ("opens_times_as_fast_as_gensim_binary", "answers_times_as_fast_as_gensim"):
        assert found[name]["spread"][0] <= found[name]["ratio"] <= found[name]["spread"][1]


def test_made_up_text_is_the_same_for_the_same_seed_and_has_usual_lengths() -> None:
    text = list(made_paragraphs(5000))
    assert text == list(made_paragraphs(5000))
    assert text != list(made_paragraphs(5000, seed=1))
    words = " ".join(text).split()
    assert 5000 <= len(words) < 5400
    assert len(set(words)) > 300
    sentences = [sentence for paragraph in text for sentence in paragraph.split(". ")]
    assert 15 < len(words) / len(sentences) < 35
