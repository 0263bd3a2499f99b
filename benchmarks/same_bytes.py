"""Fingerprint what a run of every student writes, to compare two versions of the code byte by byte.

    python benchmarks/same_bytes.py > before.json          # and again with the other version
    diff before.json after.json

The run reads the first words of the demo's corpus, in float32 and on one thread, through the command line: so the
script works on any version. Model cards are left out (config.json, README.md): they hold settings and versions.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import subprocess
import sys
import tempfile
from pathlib import Path

STUDENTS = (
    "aggregate,lowest=aggregate,closed,window=closed,x2static,paper=x2static,pieces=x2static,dynamic-skipgram,"
    "context-to-vec,released=context-to-vec,principal,alone,table"
)
OPTIONS = (
    *("lowest.over_contexts=min", "window.view=window", "paper.preset=paper", "pieces.variant=pieces"),
    *("released.variant=released", "x2static.epochs=2"),
)
COMPARED = ("model.safetensors", "vocabulary.tsv", "tokenizer.json", "subwords.safetensors", "projection.safetensors")
DUMP = "test/test_data/enwiki-latest-pages-articles1.xml-p000000010p000030302-shortened.bz2"


def main() -> None:
    """Run and print one JSON object: the SHA-256 of each file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--words", type=int, default=100_000)
    parser.add_argument("--corpus", type=Path, help="text to read (the demo's corpus)")
    arguments = parser.parse_args()
    import gensim

    corpus = arguments.corpus or Path(gensim.__file__).parent / DUMP
    with tempfile.TemporaryDirectory() as name:
        out = Path(name) / "run"
        command = [sys.executable, "-m", "wordstill.cli", "distill", "--teacher", "minilm", "--corpus", str(corpus)]
        command += ["--student", STUDENTS, "--set", *OPTIONS, "--words", str(arguments.words), "--out", str(out)]
        command += ["--precision", "float32", "--threads", "1", "--quiet"]
        subprocess.run(command, check=True, stdout=sys.stderr)
        digests = {
            str(path.relative_to(out)): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted(out.rglob("*"))
            if path.name in COMPARED
        }
    print(json.dumps(digests, indent=2))


if __name__ == "__main__":
    main()
