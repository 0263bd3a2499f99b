"""What sharing a run out costs and brings: two workers on Ray against one, a node that is killed half-way, and how much
the vectors differ where a processor has fewer instructions.

    python benchmarks/scaling.py --corpus wiki.txt.xz --words 40000 --shard-words 2500
    python benchmarks/scaling.py --only processors

Workers have one thread each. A worker's speed is counted from its first progress on, without loading. Prints JSON.
"""

from __future__ import annotations

import argparse
import json
import logging
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from wordstill import WordVectors
from wordstill.distillation.distill import distill
from wordstill.distillation.settings import DistillSettings
from wordstill.studies.demo import demo_corpus
from wordstill.system.children import python_environment, run_python
from wordstill.system.machine import guard
from wordstill.system.progress import Progress, progress_shown


class Watch:
    """Notes when the pass over the text made its first progress and when it ended; `half_way` is called in between."""

    def __init__(self, half_way: Any = None) -> None:
        self.half_way = half_way
        self.first = self.last = 0.0
        self.words = self.first_words = 0

    def begin(self, phase: Progress) -> None:
        """A phase begins."""

    def update(self, phase: Progress, done: int) -> None:
        """Note progress."""
        if phase.label != "distilling" or done <= 0:
            return
        if not self.first:
            self.first, self.first_words = time.monotonic(), phase.done
        if self.half_way is not None and phase.total and phase.done >= phase.total / 2:
            self.half_way()
            self.half_way = None
        self.words = phase.done

    def end(self, phase: Progress) -> None:
        """Note the end."""
        if phase.label == "distilling":
            self.last = time.monotonic()

    def message(self, text: str) -> None:
        """Messages are not shown."""

    @property
    def words_per_second(self) -> float:
        """The speed of the pass from the first progress on."""
        return (self.words - self.first_words) / (self.last - self.first)


def pass_on_ray(corpus: list[str], settings: DistillSettings, nodes: int, kill: bool = False) -> Watch:
    """Make a run on a cluster of so many nodes with a core each; with `kill` one of them goes away half-way."""
    import ray
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
    members = [cluster.add_node(num_cpus=1) for _ in range(nodes)]
    ray.init(address=cluster.address, log_to_driver=False, logging_level=logging.ERROR)
    watch = Watch((lambda: cluster.remove_node(members[-1], allow_graceful=False)) if kill else None)
    try:
        with tempfile.TemporaryDirectory() as folder, progress_shown(watch):
            distill(corpus, out=Path(folder) / "run", settings=settings, on="ray")
    finally:
        ray.shutdown()
        cluster.shutdown()
    return watch


# The kernels of torch and MKL that a processor with fewer instructions would run.
KERNELS = {
    "as it is": {},
    "AVX2": {"ATEN_CPU_CAPABILITY": "avx2", "MKL_CBWR": "AVX2", "ONEDNN_MAX_CPU_ISA": "AVX2"},
    "none of AVX": {"ATEN_CPU_CAPABILITY": "default", "MKL_CBWR": "COMPATIBLE", "ONEDNN_MAX_CPU_ISA": "SSE41"},
}
CHILD = """
import json, sys
from wordstill import distill
corpus, out, settings = json.loads(sys.argv[1])
distill(corpus, out=out, **settings)
"""


def processors(corpus: list[str], settings: DistillSettings) -> dict[str, Any]:
    """Make the same run with the kernels of other processors; compare the vectors with those of this one."""
    found: dict[str, Any] = {}
    names = ["aggregate", "closed"]
    given = {"teacher": settings.teacher, "students": names, "words": settings.words, "threads": 1}
    with tempfile.TemporaryDirectory() as folder:
        runs = {}
        for name, kernels in KERNELS.items():
            out = str(Path(folder) / name.replace(" ", "-"))
            arguments = json.dumps([corpus, out, given | {"precision": "float32"}])
            done = run_python(CHILD, arguments, env=python_environment(**kernels))
            if done.returncode:
                raise RuntimeError(done.stderr[-2000:])
            runs[name] = {student: WordVectors.load(Path(out) / student) for student in names}
        for name in list(KERNELS)[1:]:
            for student in names:
                own, other = (np.asarray(runs[each][student].matrix, dtype=np.float64) for each in ("as it is", name))
                lengths = np.linalg.norm(own, axis=1) * np.linalg.norm(other, axis=1)
                cosines = np.einsum("ij,ij->i", own, other) / lengths
                found[f"{name}, {student}"] = {
                    "same_bytes": bool((own == other).all()),
                    "largest_difference_over_largest_number": float(np.abs(own - other).max() / np.abs(own).max()),
                    "least_cosine_below_one_by": float(1 - cosines.min()),
                }
    return found


def main() -> None:
    """Measure, and print JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", nargs="+", default=[str(demo_corpus())])
    parser.add_argument("--words", type=int, default=40_000)
    parser.add_argument("--shard-words", type=int, default=2_500)
    parser.add_argument("--teacher", default="minilm")
    parser.add_argument("--only", choices=["ray", "processors"])
    given = parser.parse_args()
    guard()
    settings = DistillSettings(
        teacher=given.teacher,
        students=("aggregate", "closed"),
        words=given.words,
        shard_words=given.shard_words,
        threads=1,
        precision="float32",
    )
    figures: dict[str, Any] = {"words": given.words, "shard_words": given.shard_words}
    if given.only != "ray":
        figures["processors"] = processors(given.corpus, settings)
    if given.only != "processors":
        figures |= on_ray(given.corpus, settings)
    print(json.dumps(figures, indent=2))


def on_ray(corpus: list[str], settings: DistillSettings) -> dict[str, Any]:
    """Compare one worker, two workers, and two of which one is killed half-way."""
    one, two = (pass_on_ray(corpus, settings, nodes) for nodes in (1, 2))
    killed = pass_on_ray(corpus, settings, 2, kill=True)
    # Half of the text with two workers, half with one.
    expected = (one.last - one.first + two.last - two.first) / 2
    return {
        "words_per_second": {"one": round(one.words_per_second, 1), "two": round(two.words_per_second, 1)},
        "two_workers_over_one": round(two.words_per_second / one.words_per_second, 3),
        "seconds": {
            name: round(each.last - each.first, 1)
            for name, each in {"one": one, "two": two, "two, one killed": killed}.items()
        },
        "killed_over_one_node_less_from_half_way_on": round((killed.last - killed.first) / expected, 3),
        "seconds_of_a_shard": round(settings.shard_words / one.words_per_second, 1),
    }


if __name__ == "__main__":
    main()
