"""Row updates of a large table: ours against torch's SparseAdam, on the same threads. Prints JSON.

python benchmarks/rows.py                                   200,000 x 768, 8,192 rows a step
python benchmarks/rows.py --threads 1 --words 50000 --repeats 9
"""

from __future__ import annotations

import argparse
import json

from wordstill.benchmarking.material import Subject
from wordstill.benchmarking.rows import ROWS, WIDTH, WORDS, row_updates


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--words", type=int, default=WORDS)
    parser.add_argument("--width", type=int, default=WIDTH)
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--threads", type=int)
    options = parser.parse_args()
    subject = Subject((), repeats=options.repeats, threads=options.threads)
    print(json.dumps(row_updates(subject, options.words, options.width, options.rows), indent=2))


if __name__ == "__main__":
    main()
