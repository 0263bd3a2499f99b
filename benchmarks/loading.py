"""How long vectors take to open and to ask, against gensim with the same vectors. Prints JSON.

  python benchmarks/loading.py                                400,000 random vectors of 300 dimensions
  python benchmarks/loading.py --words 100000 --repeats 9

What is measured, and how, is said in `wordstill.benchmarking.loading`.
"""

from __future__ import annotations

import argparse
import json

from wordstill.benchmarking.loading import loading


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--words", type=int, default=400_000)
    parser.add_argument("--dimensions", type=int, default=300)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--queries", type=int, default=20)
    options = parser.parse_args()
    print(json.dumps(loading(options.words, options.dimensions, options.repeats, options.queries), indent=2))


if __name__ == "__main__":
    main()
