"""How close a run is to the teacher's own speed, and what it needs. Prints JSON.

  python benchmarks/distillation.py                         the demo's corpus, 100,000 words, 3 repeats
  python benchmarks/distillation.py --corpus wiki.txt.xz --words 2000000 --repeats 1

The whole run (counting, reading, students, checkpoints and writing included) is compared with the bare forward pass of
the teacher over the same batches, both timed within one run.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
from pathlib import Path

from wordstill.demo import demo_corpus
from wordstill.distillation import distill
from wordstill.settings import DistillSettings


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path)
    parser.add_argument("--words", type=int, default=100_000)
    parser.add_argument("--teacher", default="minilm")
    parser.add_argument("--students", default="aggregate,closed,x2static")
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    settings = DistillSettings(
        teacher=options.teacher, students=tuple(options.students.split(",")), words=options.words
    )
    records = []
    for _ in range(options.repeats):
        with tempfile.TemporaryDirectory() as folder:
            run = distill(options.corpus or demo_corpus(), out=Path(folder) / "run", settings=settings)
            records.append(run.record)
    speeds = [record["tokens_per_second"] for record in records]
    ratios = [speed["run"] / speed["teacher_alone"] for speed in speeds]
    last = records[-1]
    print(
        json.dumps(
            {
                "words": last["corpus"]["words"],
                "students": list(last["students"]),
                "run_over_bare_teacher": round(statistics.median(ratios), 3),
                "spread": [round(min(ratios), 3), round(max(ratios), 3)],
                "share_of_students": round(sum(last["seconds"]["students"].values()) / last["seconds"]["total"], 3),
                "share_of_checkpoints": round(last["seconds"]["checkpoint"] / last["seconds"]["total"], 4),
                "padding": last["padding"],
                "peak_memory_gb": round(last["peak_memory_bytes"] / 1e9, 2),
                "tokens_per_second": speeds,
            },
            indent=2,
        )
    )


if __name__ == "__main__":
    main()
