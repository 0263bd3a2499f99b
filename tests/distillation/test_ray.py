"""Shards on a Ray cluster of several nodes on this machine, with the faults that happen there really made to happen."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from runs import vector_bytes
from wordstill.cli import main
from wordstill.distillation.distill import distill
from wordstill.distillation.settings import DistillSettings
from wordstill.errors import InputError

ray = pytest.importorskip("ray", reason="Ray is not installed: pip install wordstill[ray]")

from wordstill.distillation.ray_shards import Crew, Hired  # noqa: E402

pytestmark = [
    pytest.mark.slow,
    # Ray's own processes and sockets, which end with the test.
    pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning", "ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


@pytest.fixture(scope="module")
def settings(teacher: str) -> DistillSettings:
    return DistillSettings(
        teacher=teacher,
        students=("aggregate", "closed", "x2static", "alone"),
        batch_tokens=400,
        buffer_tokens=1000,
        threads=1,
        shard_words=1000,
    )


@pytest.fixture(scope="module")
def whole(settings: DistillSettings, corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The vectors of a run in one process."""
    return vector_bytes(distill(corpus, out=tmp_path_factory.mktemp("whole") / "run", settings=settings).folder)


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """Three nodes: one that only leads, and two with a core each. A test that takes one away gives another."""
    from ray.cluster_utils import Cluster

    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
    try:
        made.workers = [made.add_node(num_cpus=1) for _ in range(2)]
        ray.init(address=made.address, log_to_driver=False)
        yield made
    finally:
        ray.shutdown()
        made.shutdown()


@pytest.fixture
def when_a_shard_is_done(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[Crew, Hired], None]], None]:
    """Let something happen once, when the first shard has arrived, to a worker that is at another one."""

    def arrange(happen: Callable[[Crew, Hired], None]) -> None:
        hear, happened = Crew._hear, []

        def heard(self: Crew, worker: Hired, progress: Any) -> None:
            hear(self, worker, progress)
            busy = [one for one in self.workers if one.shard is not None]
            ready = all(one.ready is None for one in self.workers)
            if ready and busy and list(self.run.state.shards.glob("*/checkpoint")) and not happened:
                happened.append(True)
                happen(self, busy[-1])

        monkeypatch.setattr(Crew, "_hear", heard)

    return arrange


def test_two_workers_give_the_same_bytes_as_one_process(
    settings: DistillSettings, corpus: Path, tmp_path: Path, whole: dict[str, bytes], cluster: Any
) -> None:
    run = distill(corpus, out=tmp_path / "run", settings=settings, on="ray")
    assert vector_bytes(run.folder) == whole
    assert run.record.elapsed_seconds > 0
    assert run.record.shards == 11
    assert not (tmp_path / "run" / "unfinished").exists()
    with pytest.raises(InputError, match=r"no machine of the Ray cluster has the 64 cores that a worker needs"):
        distill(corpus, out=tmp_path / "no", teacher=settings.teacher, threads=64, on="ray")


def test_workers_that_do_not_see_the_folder_send_their_shards(
    settings: DistillSettings,
    corpus: Path,
    tmp_path: Path,
    whole: dict[str, bytes],
    cluster: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    hire, sent = Crew._hire, []
    get = ray.get

    def far(self: Crew) -> Hired:
        (self.run.state.path / self.token).unlink(missing_ok=True)
        return hire(self)

    def watched(given: Any, **options: Any) -> Any:
        found = get(given, **options)
        sent.append(isinstance(found, dict) and "checkpoint/progress.json" in found)
        return found

    monkeypatch.setattr(Crew, "_hire", far)
    monkeypatch.setattr(ray, "get", watched)
    run = distill(corpus, out=tmp_path / "run", settings=settings, on="ray")
    assert sum(sent) == 11
    assert vector_bytes(run.folder) == whole


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGSTOP])
def test_a_worker_that_dies_or_hangs_is_replaced(
    settings: DistillSettings,
    corpus: Path,
    tmp_path: Path,
    whole: dict[str, bytes],
    cluster: Any,
    when_a_shard_is_done: Callable[[Any], None],
    caplog: pytest.LogCaptureFixture,
    how: signal.Signals,
) -> None:
    ended = []

    def end(crew: Crew, worker: Hired) -> None:
        process = ray.get(worker.actor.process.remote(), timeout=60)
        ended.append(process)
        os.kill(process, how)

    when_a_shard_is_done(end)
    run = distill(corpus, out=tmp_path / "run", settings=settings, on="ray", hang_seconds=20.0)
    assert len(ended) == 1
    assert vector_bytes(run.folder) == whole
    assert "is lost" in caplog.text
    assert ("no progress for 20 seconds" in caplog.text) == (how == signal.SIGSTOP)


def test_a_worker_with_another_version_or_teacher_is_refused(
    settings: DistillSettings, corpus: Path, tmp_path: Path, cluster: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("wordstill.distillation.ray_shards.__version__", "9.9.9")
        with pytest.raises(InputError, match=r"has wordstill 0\.1\.0, and the run needs 9\.9\.9; install the same"):
            distill(corpus, out=tmp_path / "run", settings=settings, on="ray")
    with monkeypatch.context() as patch:
        patch.setattr("wordstill.distillation.preparing.fingerprint_of_teacher", lambda teacher: "0" * 64)
        with pytest.raises(InputError, match="has another teacher under the name"):
            distill(corpus, out=tmp_path / "other", settings=settings, on="ray")


def test_a_driver_that_is_killed_is_resumed_without_ray(
    settings: DistillSettings, corpus: Path, tmp_path: Path, whole: dict[str, bytes], cluster: Any
) -> None:
    command = [
        sys.executable, "-m", "wordstill.cli", "distill", "--teacher", settings.teacher or "", "--corpus", str(corpus),
        "--student", ",".join(settings.students), "--out", str(tmp_path / "run"), "--batch-tokens", "400",
        "--threads", "1", "--shard-words", "1000", "--on", "ray",
    ]  # fmt: skip
    # `buffer_tokens` has no option: it is not part of what is compared here but of the settings.
    code = "import sys; from wordstill.distillation.settings import DistillSettings as D; "
    code += "D.__dataclass_fields__['buffer_tokens'].default = 1000; D.__init__.__defaults__ = tuple("
    code += "1000 if value == 400_000 else value for value in D.__init__.__defaults__); "
    code += "from wordstill.cli import main; sys.exit(main(sys.argv[1:]))"
    environment = {**os.environ, "RAY_ADDRESS": cluster.address}
    driver = subprocess.Popen([sys.executable, "-c", code, *command[3:]], env=environment, stderr=subprocess.PIPE)
    while len(list((tmp_path / "run").glob("unfinished/shards/*/checkpoint"))) < 2:
        time.sleep(0.05)
        assert driver.poll() is None, driver.stderr.read() if driver.stderr else ""
    driver.kill()
    driver.communicate()
    resumed = distill(corpus, out=tmp_path / "run", settings=settings, resume=True)
    assert vector_bytes(resumed.folder) == whole


def test_the_doctor_tells_what_a_cluster_has(cluster: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--on", "ray", "--teacher", "minilm"]) == 0
    printed = capsys.readouterr().out
    assert "3 machines, 2 cores, 0 GPUs." in printed
    assert "Room for 2 workers with 1 threads each." in printed
    assert main(["doctor", "--on", "ray", "--teacher", "./nowhere"]) == 2
    assert "has no teacher ./nowhere" in capsys.readouterr().out


def test_a_node_that_goes_away_changes_nothing(
    settings: DistillSettings,
    corpus: Path,
    tmp_path: Path,
    whole: dict[str, bytes],
    cluster: Any,
    when_a_shard_is_done: Callable[[Any], None],
) -> None:
    removed = []

    def remove(crew: Crew, worker: Hired) -> None:
        removed.append(cluster.workers[0])
        cluster.remove_node(cluster.workers[0], allow_graceful=False)

    # Last of those on the cluster: a node that is new starts its worker late, when others have done its shards.
    when_a_shard_is_done(remove)
    try:
        run = distill(corpus, out=tmp_path / "run", settings=settings, on="ray")
    finally:
        for node in removed:
            cluster.workers[cluster.workers.index(node)] = cluster.add_node(num_cpus=1)
    assert vector_bytes(run.folder) == whole
    assert len(removed) == 1


def test_a_place_that_is_no_engine_is_refused(tmp_path: Path, corpus: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = ["distill", "--teacher", "minilm", "--corpus", str(corpus), "--student", "aggregate", "--out"]
    assert main([*given, str(tmp_path / "run"), "--on", "spark"]) == 2
    assert "--on takes local, ray, or ray://HOST:PORT, not 'spark'" in capsys.readouterr().err
