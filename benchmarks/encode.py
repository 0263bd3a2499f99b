"""Texts per second of `WordVectors.encode` beside model2vec, on the same folder and the same texts, in turns.

    python -m venv model2vec && model2vec/bin/pip install model2vec
    python benchmarks/encode.py run/closed texts.txt --model2vec model2vec/bin/python

The folder's tokenizer.json is model2vec's own; each side is warmed up by one turn that does not count. Each is measured
as it comes: model2vec's tokenizer may use all cores, wordstill uses one. `wordstill_new` makes a new encoder for each
turn, which has cut no text before. Without --model2vec wordstill is measured alone. Other encoders of texts, each
named as in `wordstill evaluate --encoder-rows`, are measured in the same turns:

    python benchmarks/encode.py run/sentence texts.txt --encoder-rows model2vec:potion-base-8M,wordllama

Prints JSON.
"""

from __future__ import annotations

import argparse
import json
import subprocess
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from measuring.turns import Side, figure, figures, in_turns, load_average, ratio, timed
from wordstill.corpus.lines import read_lines
from wordstill.evaluation.encoders import TextEncoder, open_encoder
from wordstill.evaluation.settings import read_names
from wordstill.vectors import WordVectors
from wordstill.vectors.encoding import Encoder

# model2vec lives in an environment of its own. For each line it gets it encodes all texts and prints the seconds.
CHILD = """
import json, sys, time
from model2vec import StaticModel
model = StaticModel.from_pretrained(sys.argv[1])
texts = json.loads(sys.stdin.readline())
for _ in sys.stdin:
    began = time.perf_counter()
    model.encode(texts, use_multiprocessing=False)
    print(time.perf_counter() - began, flush=True)
"""


def main() -> None:
    """Measure, and print JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("vectors", help="a vectors folder")
    parser.add_argument("texts", type=Path, help="texts, one per line")
    parser.add_argument("--model2vec", metavar="PYTHON", help="the Python of an environment that has model2vec")
    parser.add_argument("--encoder-rows", type=read_names, default=(), metavar="KIND:WHAT,..", help="other encoders")
    parser.add_argument("--limit", type=int, default=10_000, help="how many texts are taken (10000)")
    parser.add_argument("--repeats", type=int, default=5, help="turns that count (5)")
    arguments = parser.parse_args()
    texts = [text for text in read_lines([arguments.texts]) if text.strip()][: arguments.limit]
    measured = measure(arguments.vectors, texts, arguments.repeats, arguments.model2vec, arguments.encoder_rows)
    print(json.dumps(measured, indent=2))


def measure(
    folder: str, texts: list[str], repeats: int, python: str | None = None, rows: Sequence[str] = ()
) -> dict[str, Any]:
    """Return the texts per second of each side, and how often faster wordstill is."""
    vectors = WordVectors.load(folder)
    sides: dict[str, Side] = {
        "wordstill": lambda: timed(lambda: vectors.encode(texts)),
        "wordstill_new": lambda: timed(lambda: list(Encoder(vectors).batches(texts))),
    }
    if python is not None:
        child = subprocess.Popen(
            [python, "-c", CHILD, folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        sides["model2vec"] = _asked(child, texts)
    for encoder in map(open_encoder, rows):
        sides[encoder.name] = partial(_seconds, encoder, texts)
    in_turns(sides, 1)
    seconds = in_turns(sides, repeats)
    if python is not None:
        child.communicate()
    own = {name: each for name, each in seconds.items() if name.startswith("wordstill")}
    others = {name: each for name, each in seconds.items() if name not in own}
    return {
        "texts": len(texts),
        "words": len(vectors),
        "dimensions": vectors.vector_size,
        "texts_per_second": {name: figures([len(texts) / one for one in each]) for name, each in seconds.items()},
        **{
            f"{name}_over_{other}": ratio(theirs, ours)
            for other, theirs in others.items()
            for name, ours in own.items()
        },
        "characters_per_text": figure(sum(map(len, texts)) / max(1, len(texts))),
        "load_average": load_average(),
    }


def _seconds(encoder: TextEncoder, texts: list[str]) -> float:
    return timed(lambda: encoder.rows(texts))


def _asked(child: subprocess.Popen[str], texts: list[str]) -> Callable[[], float]:
    assert child.stdin is not None
    assert child.stdout is not None
    asked, answers = child.stdin, child.stdout
    asked.write(json.dumps(texts) + "\n")

    def turn() -> float:
        asked.write("again\n")
        asked.flush()
        return float(answers.readline())

    return turn


if __name__ == "__main__":
    main()
