"""How close a run is to the teacher's own speed, and what it needs. Prints JSON.

  python benchmarks/distillation.py                         the demo's corpus, 100,000 words, 3 repeats
  python benchmarks/distillation.py --corpus wiki.txt.xz --words 2000000 --repeats 1

The same as `wordstill benchmark --only run,reading`: whole runs (counting, reading, students, checkpoints and writing
included) against the bare forward pass of the teacher over the same batches, in turns.
"""

from __future__ import annotations

import sys

from wordstill.cli import main

if __name__ == "__main__":
    sys.exit(main(["benchmark", "--words", "100000", "--only", "run,reading", *sys.argv[1:]]))
