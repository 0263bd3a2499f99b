"""A run is a fold over shards: the same bytes whoever does which shard, when, and however often one is begun again."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from runs import break_run, vector_bytes
from small_models import make_model
from texts import write_corpus
from wordstill.cli import main
from wordstill.distillation.distill import distill
from wordstill.distillation.job import Job
from wordstill.distillation.settings import DistillSettings
from wordstill.distillation.shard_work import ShardFolder, ShardWork
from wordstill.distillation.shards import Shard
from wordstill.distillation.share import Share, distill_share
from wordstill.distillation.teaching import Teaching
from wordstill.errors import InputError

pytestmark = pytest.mark.slow

STUDENTS = (
    *("aggregate", "least=aggregate", "closed", "x2static", "dynamic-skipgram", "principal", "alone", "table"),
    "sentence",
)


@pytest.fixture(scope="module")
def many(teacher: str) -> DistillSettings:
    """Ten shards of text and three of the vocabulary, a student of every kind."""
    return DistillSettings(
        teacher=teacher,
        students=STUDENTS,
        student_options={"least": {"over_contexts": "min"}, "sentence": {"steps": "3"}},
        batch_tokens=400,
        buffer_tokens=1000,
        threads=1,
        shard_words=1000,
    )


@pytest.fixture(autouse=True, scope="module")
def small_vocabulary_shards() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("wordstill.distillation.shards.WORDS_ALONE", 16)
        yield


@pytest.fixture(scope="module")
def whole(many: DistillSettings, corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The vectors of a run that nothing happened to."""
    run = distill(corpus, out=tmp_path_factory.mktemp("whole") / "run", settings=many)
    assert run.record.shards == 13
    return vector_bytes(run.folder)


@pytest.fixture(scope="module")
def broken(many: DistillSettings, corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that was killed in the middle of its shards; to be copied."""
    out = tmp_path_factory.mktemp("broken") / "run"
    break_run(corpus, out, many, 45)
    return out


def test_the_cut_into_shards_changes_vectors_in_the_last_bits_alone(
    many: DistillSettings, corpus: Path, tmp_path: Path
) -> None:
    """Sums are added up in another order, and a batch never reaches across a border."""
    import numpy as np

    sums = replace(many, students=("aggregate", "closed", "alone", "table"), student_options={})
    cut = distill(corpus, out=tmp_path / "cut", settings=sums)
    one = distill(corpus, out=tmp_path / "one", settings=replace(sums, shard_words=10**6))
    assert (cut.record.shards, one.record.shards) == (13, 4)
    for name in sums.students:
        first, second = cut.vectors(name), one.vectors(name)
        assert first.words == second.words
        np.testing.assert_allclose(first.matrix, second.matrix, rtol=1e-3, atol=1e-4)
    np.testing.assert_array_equal(cut.vectors("table").matrix, one.vectors("table").matrix)


@pytest.mark.parametrize("shares", [2, 5])
def test_shares_done_in_any_order_give_the_same_bytes(
    many: DistillSettings, corpus: Path, tmp_path: Path, whole: dict[str, bytes], shares: int
) -> None:
    out = tmp_path / "shared"
    order = list(range(1, shares + 1))
    random.Random(shares).shuffle(order)
    done: list[str] = []
    for number in order:
        record = distill_share(corpus, out=out, share=f"{number}/{shares}", settings=many)
        done += record.done
        assert len(record.missing) == 13 - len(done)
    assert sorted(done) == [f"{number:06d}" for number in range(13)]
    assert distill_share(corpus, out=out, share=f"1/{shares}", settings=many).done == [], "all of it was done"
    resumed = distill(corpus, out=out, settings=many, resume=True)
    assert vector_bytes(resumed.folder) == whole
    again = distill_share(corpus, out=out, share=Share(1, shares), settings=many)
    assert (again.done, again.missing, again.shards) == ([], [], 13), "the run is finished"


def test_folders_that_were_worked_on_apart_are_copied_together(
    many: DistillSettings, corpus: Path, tmp_path: Path, whole: dict[str, bytes]
) -> None:
    for number in (1, 2):
        distill_share(corpus, out=tmp_path / f"part{number}", share=f"{number}/3", settings=many)
    shutil.copytree(
        tmp_path / "part2" / "unfinished" / "shards", tmp_path / "part1" / "unfinished" / "shards", dirs_exist_ok=True
    )
    resumed = distill(corpus, out=tmp_path / "part1", settings=many, resume=True)
    assert vector_bytes(resumed.folder) == whole


def test_processes_at_work_on_one_folder_share_the_shards_and_a_killed_one_is_replaced(
    teacher: str, tmp_path: Path
) -> None:
    corpus = write_corpus(tmp_path / "texts.txt", 600)
    command = [
        sys.executable, "-m", "wordstill.cli", "distill", "--teacher", teacher, "--corpus", str(corpus),
        "--student", "closed,x2static", "--batch-tokens", "300", "--threads", "1", "--shard-words", "1500",
        "--checkpoint-seconds", "0",
    ]  # fmt: skip
    subprocess.run([*command, "--out", str(tmp_path / "whole"), "-q"], check=True, capture_output=True)
    out = tmp_path / "run"
    # Both are told to do everything: each shard is done by one of them.
    both = [
        subprocess.Popen(
            [*command, "--out", str(out), "--shard", "1/1"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        for _ in range(2)
    ]
    while len(list(out.glob("unfinished/shards/*/checkpoint"))) < 3:
        time.sleep(0.02)
        assert any(process.poll() is None for process in both)
    both[0].kill()
    told, complaints = both[1].communicate()
    both[0].communicate()
    assert both[1].returncode == 0, complaints
    assert b"shards were done now" in told
    refused = subprocess.run([*command, "--out", str(out), "--shard", "1/2"], capture_output=True, text=True)
    assert refused.returncode == 0, refused.stderr
    finished = subprocess.run([*command, "--out", str(out), "--resume", "-q"], capture_output=True, text=True)
    assert finished.returncode == 0, finished.stderr
    assert vector_bytes(out) == vector_bytes(tmp_path / "whole")


def test_a_driver_and_shares_keep_each_other_out(
    many: DistillSettings, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inside: list[str] = []
    observe = ShardWork.finish

    def second(self: ShardWork) -> None:
        if not inside:
            for call in (
                lambda: distill(corpus, out=tmp_path / "run", settings=many, resume=True),
                lambda: distill_share(corpus, out=tmp_path / "run", share="1/1", settings=many),
            ):
                with pytest.raises(InputError, match="another process is at work") as caught:
                    call()
                inside.append(str(caught.value))
        observe(self)

    monkeypatch.setattr(ShardWork, "finish", second)
    distill(corpus, out=tmp_path / "run", settings=replace(many, students=("aggregate",), student_options={}))
    assert len(inside) == 2


@pytest.mark.parametrize("after", [1, 12, 31, 75, 78, 80])
def test_a_run_that_breaks_anywhere_resumes_to_the_same_bytes(
    many: DistillSettings, corpus: Path, tmp_path: Path, whole: dict[str, bytes], after: int
) -> None:
    break_run(corpus, tmp_path / "broken", many, after)
    resumed = distill(corpus, out=tmp_path / "broken", settings=many, resume=True)
    assert vector_bytes(resumed.folder) == whole
    assert not (tmp_path / "broken" / "unfinished").exists()


def test_sums_that_are_saved_let_their_shards_go_and_change_nothing(
    many: DistillSettings, corpus: Path, tmp_path: Path, whole: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wordstill.distillation.job.WAITING_BYTES", 0)
    monkeypatch.setattr(Job, "_state_bytes", lambda self: 0)
    break_run(corpus, tmp_path / "broken", many, 40)
    shards = tmp_path / "broken" / "unfinished" / "shards"
    assert not list(shards.glob("000000/checkpoint/*.safetensors"))
    assert list(shards.glob("000000/x2static/vectors.bin")), "what the replays need stays"
    resumed = distill(corpus, out=tmp_path / "broken", settings=many, resume=True)
    assert vector_bytes(resumed.folder) == whole


def damage(path: Path, how: str) -> None:
    content = bytearray(path.read_bytes())
    if how == "cut":
        del content[len(content) // 2 :]
    elif how == "flip":
        content[len(content) // 2] ^= 4
    path.unlink()
    if how != "gone":
        path.write_bytes(content)


@pytest.mark.parametrize(
    ("file", "how"),
    [
        ("vocabulary.json", "flip"),
        ("vocabulary.json", "cut"),
        ("order.json", "flip"),
        ("kept/+text.bin", "flip"),
        ("shards/000002/checkpoint/progress.json", "flip"),
        ("shards/000002/checkpoint/progress.json", "gone"),
        ("shards/000002/checkpoint/001.safetensors", "flip"),
        ("shards/000002/checkpoint/001.safetensors", "cut"),
        ("shards/000001/x2static/vectors.bin", "flip"),
        ("shards/000003/+words-03/words.bin", "cut"),
        ("shards/000003/+words-03/words.bin", "gone"),
    ],
)
def test_a_damaged_file_of_the_state_is_found_and_what_it_held_is_done_again(
    many: DistillSettings, corpus: Path, broken: Path, tmp_path: Path, whole: dict[str, bytes], file: str, how: str
) -> None:
    out = shutil.copytree(broken, tmp_path / "run")
    damage(out / "unfinished" / file, how)
    resumed = distill(corpus, out=out, settings=many, resume=True)
    assert vector_bytes(resumed.folder) == whole


@pytest.mark.parametrize("file", ["progress.json", "000.safetensors"])
def test_a_damaged_sum_is_found_and_its_shards_are_done_again(
    many: DistillSettings, corpus: Path, tmp_path: Path, whole: dict[str, bytes], file: str
) -> None:
    break_run(corpus, tmp_path / "broken", many, 1, [Job])  # in the replays, which begin with a sum that is saved
    damage(tmp_path / "broken" / "unfinished" / "checkpoint" / file, "flip")
    resumed = distill(corpus, out=tmp_path / "broken", settings=many, resume=True)
    assert vector_bytes(resumed.folder) == whole


def test_another_teacher_under_the_same_path_is_refused(many: DistillSettings, corpus: Path, tmp_path: Path) -> None:
    import torch
    from transformers import AutoModel

    folder = make_model("bert", tmp_path / "bert")
    settings = replace(many, teacher=str(folder))
    break_run(corpus, tmp_path / "run", settings, 20)
    model = AutoModel.from_pretrained(folder)
    with torch.no_grad():
        model.encoder.layer[1].output.dense.bias.add_(0.01)
    model.save_pretrained(folder)
    for call in (
        lambda: distill(corpus, out=tmp_path / "run", settings=settings, resume=True),
        lambda: distill_share(corpus, out=tmp_path / "run", share="1/2", settings=settings),
    ):
        with pytest.raises(InputError, match=r"is not the one that .*run was begun with: its weights"):
            call()


CHANGES: dict[str, Callable[[dict[str, Any]], None]] = {
    "version of wordstill": lambda identity: identity.update({"version of wordstill": "0.0.1"}),
    "teacher": lambda identity: identity.update({"teacher": "f" * 64}),
    "corpus": lambda identity: identity.update({"corpus": "f" * 64}),
    "precision": lambda identity: identity.update({"precision": "int8"}),
}


@pytest.mark.parametrize("changed", CHANGES)
def test_a_shard_that_was_made_with_something_else_is_refused(
    many: DistillSettings, corpus: Path, tmp_path: Path, changed: str
) -> None:
    from wordstill.distillation.checkpoint import load_record, load_states, save_checkpoint

    distill_share(corpus, out=tmp_path / "run", share="1/4", settings=many)
    folder = tmp_path / "run" / "unfinished" / "shards" / "000004" / "checkpoint"
    record = load_record(folder)
    assert record is not None
    states = {
        name: {key: array.copy() for key, array in arrays.items()} for name, arrays in load_states(folder).items()
    }
    CHANGES[changed](record["identity"])
    save_checkpoint(folder, record, states)
    with pytest.raises(InputError, match=rf"shards/000004 differs in its {changed}"):
        distill(corpus, out=tmp_path / "run", settings=many, resume=True)


def test_a_corpus_that_changed_while_nobody_looked_is_refused(
    many: DistillSettings, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its size, beginning and end are the same, and the text kept is gone."""
    changing = tmp_path / "texts.txt"
    changing.write_bytes(corpus.read_bytes())
    monkeypatch.setattr("wordstill.corpus.read.MIB", 100)
    break_run(changing, tmp_path / "run", many, 20)
    (tmp_path / "run" / "unfinished" / "kept" / "+text.bin").unlink()
    content = changing.read_bytes()
    middle = content.index(b"over", len(content) // 2)
    changing.write_bytes(content[: middle - 1] + b"x" + content[middle:])  # two words are one
    with pytest.raises(InputError, match=r"when it was counted: the corpus has changed"):
        distill(changing, out=tmp_path / "run", settings=many, resume=True)


def test_a_shard_is_done_by_one_process_at_a_time(tmp_path: Path) -> None:
    folder = ShardFolder(tmp_path / "000001")
    with folder.claimed() as mine:
        assert mine
        with folder.claimed() as second:
            assert not second
    with folder.claimed() as again:
        assert again


def test_a_worker_holds_tables_of_its_shard_alone(
    many: DistillSettings, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Memory per worker is flat in the vocabulary and in the number of shards."""
    rows: list[int] = []
    taken_up = Teaching._take_up

    def watched(self: Teaching, shard: Shard, numbers: Any, folder: ShardFolder) -> ShardWork:
        work = taken_up(self, shard, numbers, folder)
        if shard.kind == "text":
            rows.extend(len(learner.seen) for learner in work.learners.values() if hasattr(learner, "seen"))
        return work

    monkeypatch.setattr(Teaching, "_take_up", watched)
    rare = "\n".join(f"{corpus.read_text().splitlines()[n]} {f'rare{n // 10} ' * 5}" for n in range(300))
    (tmp_path / "texts.txt").write_text(rare)
    run = distill(
        tmp_path / "texts.txt",
        out=tmp_path / "run",
        settings=replace(many, students=("aggregate",), student_options={}),
    )
    assert max(rows) < run.record.corpus.vocabulary


@pytest.mark.parametrize("text", ["0/3", "4/3", "1", "1/0", "a/b", "-1/2", "1/2/3", ""])
def test_a_share_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="--shard takes I/N"):
        Share.parse(text)


def test_the_command_does_a_share_and_says_how_to_finish(
    teacher: str, corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = ["distill", "--teacher", teacher, "--corpus", str(corpus), "--student", "aggregate", "--out"]
    given += [str(tmp_path / "run"), "--shard-words", "3000", "-q"]
    assert main([*given, "--shard", "2/2"]) == 0
    printed = capsys.readouterr().out
    assert "2 shards were done now; 2 of 4 are missing." in printed
    assert "--resume" in printed
    assert main([*given, "--shard", "2/2", "--on", "ray"]) == 2
    assert main([*given, "--resume"]) == 0
    record = json.loads((tmp_path / "run" / "run.json").read_text())
    assert record["shards"] == 4
    assert sum(record["processors"].values()) > 0
