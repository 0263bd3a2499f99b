"""Measure how long an evaluation takes, and how that compares with gensim's analogies. Prints JSON.

  python benchmarks/evaluation.py                       2,000 Google questions for the comparison, 3 repeats
  python benchmarks/evaluation.py --questions 19544     the whole set (gensim takes minutes)

Every word of the sets is among the vectors, so nothing is skipped: the slowest case. The vectors are random but
for the words that answer questions, which are drawn towards b - a + c, so that about half are answered right.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from pathlib import Path

import numpy as np

from wordstill import WordVectors, evaluate
from wordstill.evaluation.datasets import DATASETS
from wordstill.evaluation.lookup import find
from wordstill.evaluation.tasks.analogy import read_questions
from wordstill.evaluation.tasks.similarity import read_pairs
from wordstill.system.memory import peak_memory


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--words", type=int, default=100_000)
    parser.add_argument("--dimensions", type=int, default=384)
    parser.add_argument("--questions", type=int, default=2000, help="questions of the comparison with gensim")
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    vectors = made_up(options.words, options.dimensions)
    before = peak_memory()
    seconds, busy = [], []
    for _ in range(options.repeats):
        started, worked = time.perf_counter(), time.process_time()
        results = evaluate(vectors, ["similarity", "analogy"])
        seconds.append(time.perf_counter() - started)
        busy.append(time.process_time() - worked)
    report = {
        "words": options.words,
        "dimensions": options.dimensions,
        "sets": [result.dataset for result in results if result.outcome is not None],
        "items": results.find("overall").items,
        "coverage": results.find("overall").coverage,
        "seconds": [round(value, 2) for value in seconds],
        "processor_seconds": [round(value, 2) for value in busy],
        "memory_added_megabytes": round((peak_memory() - before) / 1e6),
        **against_gensim(vectors, options.questions, options.repeats),
    }
    print(json.dumps(report, indent=2))


def made_up(words: int, dimensions: int) -> WordVectors:
    """Make random vectors of the data sets' words and of as many others as are asked for."""
    needed: dict[str, None] = {}
    questions: list[list[str]] = []
    for entry in DATASETS.values():
        if entry.task not in ("similarity", "analogy"):
            continue
        found = find(entry)
        if found is None:
            raise SystemExit(f"{entry.name} is not here; name a folder with it in $WORDSTILL_DATA")
        if entry.task == "similarity":
            pairs = read_pairs(found.path)
            needed |= dict.fromkeys(word.lower() for word in (*pairs.first, *pairs.second))
        else:
            questions += [[word.lower() for word in question] for question in read_questions(found.path).words]
            needed |= dict.fromkeys(word for question in questions for word in question)
    names = [*needed, *(f"word{number}" for number in range(words - len(needed)))]
    generator = np.random.default_rng(0)
    order = generator.permutation(words)
    matrix = generator.standard_normal((words, dimensions), dtype=np.float32)
    vectors = WordVectors([names[place] for place in order], matrix)
    for number in generator.permutation(len(questions)):
        one, two, three, four = (vectors.key_to_index[word] for word in questions[number])
        matrix[four] = 0.5 * matrix[four] + 0.2 * (matrix[two] - matrix[one] + matrix[three])
    return vectors


def against_gensim(vectors: WordVectors, questions: int, repeats: int) -> dict[str, object]:
    """Solve the same questions with both and the same settings; the accuracies must be equal."""
    from gensim.models import KeyedVectors

    keyed = KeyedVectors(vectors.vector_size)
    keyed.add_vectors(vectors.words, vectors.matrix)
    google = find(DATASETS["google"])
    assert google is not None
    lines = [line for line in google.path.read_text().splitlines() if not line.startswith(":")]
    chosen = np.random.default_rng(0).permutation(len(lines))[:questions]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "questions.txt")
        path.write_text(": all\n" + "\n".join(lines[number] for number in sorted(chosen)) + "\n")
        ours, theirs = [], []
        for _ in range(repeats):
            started = time.perf_counter()
            accuracy = evaluate(vectors, datasets=[f"analogy:{path}"], case="ignore", resamples=0)[0].score
            ours.append(time.perf_counter() - started)
            started = time.perf_counter()
            gensim_accuracy, _ = keyed.evaluate_word_analogies(str(path), restrict_vocab=len(vectors))
            theirs.append(time.perf_counter() - started)
    return {
        "questions": len(chosen),
        "analogy_seconds": [round(value, 2) for value in ours],
        "gensim_seconds": [round(value, 2) for value in theirs],
        "times_as_fast_as_gensim": round(min(theirs) / min(ours), 1),
        "accuracy": accuracy,
        "gensim_accuracy": gensim_accuracy,
    }


if __name__ == "__main__":
    main()
