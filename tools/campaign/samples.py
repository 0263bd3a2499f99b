"""A small sound input for every reader, and some that bring code along."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import pickle
import shutil
import sqlite3
import zipfile
from pathlib import Path

import numpy as np

from campaign.case import Place
from texts import write_corpus
from wordstill.formats import save
from wordstill.vectors import WordVectors
from wordstill.vectors.subwords import fit_subwords

WORDS = ["river", "sea", "the", "café", "new_york", "a\tb", "x" * 70, "東京"]
PLAIN = [word for word in WORDS if "\t" not in word]
DUMP = """<mediawiki xml:lang="en"><siteinfo><namespaces><namespace key="6">File</namespace></namespaces></siteinfo>
<page><title>River</title><ns>0</ns><revision><model>wikitext</model><text>A '''river''' is [[water|wet]].
{{convert|3|km}}
== Head ==
* list
It flows <ref>a</ref> to the [[sea]].</text></revision></page>
<page><title>R</title><ns>0</ns><revision><text>#REDIRECT [[River]]</text></revision></page></mediawiki>"""
NOUNS = """  1 a licence
00000010 06 n 02 car 0 motor_car 0 001 @ 00000020 n 0000 | with wheels
00000020 06 n 01 vehicle 0 001 ~ 00000010 n 0000 | that moves
"""
OTHERS = {
    "data.verb": "00000010 38 v 02 drive 0 motor 0 000 01 + 02 00 | go | by car\n",
    "data.adj": "00000010 00 a 02 hot(p) 0 warm 0 001 ! 00000020 a 0101 | warm\n00000020 00 a 01 cold 0 000 | cold\n",
    "data.adv": "00000010 02 r 02 coldly 0 icily 0 000 | cold\n",
}
PAIRS = [("river", "sea", 8.0), ("the", "river", 1.5), ("sea", "the", 2.0), ("café", "sea", 4.0)]


class RunsCode:
    """A pickle that creates the canary when it is opened."""

    def __init__(self, canary: Path) -> None:
        self.canary = str(canary)

    def __reduce__(self) -> tuple[object, tuple[str, str]]:
        return open, (self.canary, "w")


def make_samples(place: Place) -> None:
    """Write all samples, each in a folder named after it."""
    place.samples.mkdir(parents=True)
    _vectors(place.samples)
    _corpora(place.samples)
    _lexicons(place.samples)
    _data_sets(place.samples)
    _run(place.samples)
    _teachers(place.samples)
    _with_code(place)
    _traps(place)


def _vectors(samples: Path) -> None:
    draw = np.random.default_rng(0)
    card = {"teacher": "t", "notes": ["a note"], "settings": {"lowercase": True}}
    every = WordVectors(WORDS, draw.standard_normal((len(WORDS), 6)).astype(np.float32), range(90, 82, -1), card)
    plain = every.take(PLAIN)
    every.subwords = fit_subwords(every)
    save(every, samples / "folder" / "v")
    save(every, samples / "folder-int8" / "v", dtype="int8")
    save(every, samples / "parquet" / "v.parquet")
    save(every, samples / "numpy" / "v.npy")
    save(every, samples / "projector" / "vectors.tsv")
    save(plain, samples / "word2vec" / "v.txt")
    save(plain, samples / "word2vec-packed" / "v.txt.gz")
    save(plain, samples / "word2vec-binary" / "v.bin")
    save(plain, samples / "glove" / "v.glove")
    save(plain, samples / "spacy" / "v.spacy")
    shutil.copytree(samples / "folder" / "v", samples / "static-embedding" / "v")
    (samples / "static-embedding" / "v" / "vocabulary.tsv").unlink()


def _corpora(samples: Path) -> None:
    import pyarrow
    import pyarrow.parquet
    import zstandard

    lines = write_corpus(_new(samples / "corpus-text" / "c.txt"), 20).read_text().split("\n")
    text = ("\n".join(lines) + "\n").encode()
    _new(samples / "corpus-json" / "c.jsonl").write_text("".join(json.dumps({"text": line}) + "\n" for line in lines))
    _new(samples / "corpus-gzip" / "c.txt.gz").write_bytes(gzip.compress(text, mtime=0))
    _new(samples / "corpus-bzip2" / "c.txt.bz2").write_bytes(bz2.compress(text))
    _new(samples / "corpus-xz" / "c.txt.xz").write_bytes(lzma.compress(text))
    _new(samples / "corpus-zstandard" / "c.txt.zst").write_bytes(zstandard.ZstdCompressor().compress(text))
    pyarrow.parquet.write_table(pyarrow.table({"text": lines}), _new(samples / "corpus-parquet" / "c.parquet"))
    _new(samples / "corpus-mediawiki" / "c.xml").write_text(DUMP)
    page = '<doc id="1" url="u" title="River">\nRiver\n\nA river flows.\n</doc>\n'
    _new(samples / "corpus-wikiextractor" / "c.txt").write_text(page * 3)
    _new(samples / "word-list" / "words.txt").write_text("river\t3\nsea\nnew york\n")


def _lexicons(samples: Path) -> None:
    text = "river stream brook\nsea ocean\nnew_york\tbig apple\nhot warm\n"
    _new(samples / "lexicon" / "l.txt").write_text(text)
    _new(samples / "lexicon-packed" / "l.txt.gz").write_bytes(gzip.compress(text.encode(), mtime=0))
    files = {"data.noun": NOUNS, **OTHERS}
    for name, content in files.items():
        _new(samples / "wordnet" / "dict" / name).write_text(content)
    with zipfile.ZipFile(_new(samples / "wordnet-zip" / "wordnet.zip"), "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(f"wordnet/{name}", content)
    database = sqlite3.connect(_new(samples / "wordnet-wn" / "wn.db"))
    database.executescript(
        """CREATE TABLE senses (entry_rowid, synset_rowid); CREATE TABLE forms (entry_rowid, form, rank);
        CREATE TABLE relation_types (type); CREATE TABLE synset_relations (source_rowid, target_rowid, type_rowid);
        CREATE TABLE sense_relations (source_rowid, target_rowid, type_rowid);
        INSERT INTO senses VALUES (1, 1), (2, 1), (3, 2);
        INSERT INTO forms VALUES (1, 'car', 0), (2, 'auto', 0), (3, 'x', 0);
        INSERT INTO relation_types VALUES ('hypernym'), ('antonym'); INSERT INTO synset_relations VALUES (1, 2, 1);
        INSERT INTO sense_relations VALUES (1, 3, 2);"""
    )
    database.commit()
    database.close()


def _data_sets(samples: Path) -> None:
    _new(samples / "pairs" / "p.tsv").write_text("".join(f"{a}\t{b}\t{score}\n" for a, b, score in PAIRS))
    _new(samples / "pairs-with-commas" / "p.csv").write_text(
        "w1,w2,s\n" + "".join(f"{a},{b},{s}\n" for a, b, s in PAIRS)
    )
    _new(samples / "questions" / "q.txt").write_text(
        ": family\nriver sea the café\nsea river café the\n: gram1\na b c d\n"
    )
    _new(samples / "question-table" / "q.csv").write_text("type,word1,word2,word3,target\ns,river,sea,the,café\n")
    _new(samples / "categories" / "c.csv").write_text("word,class\nriver,water\nsea,water\ncafé,house\n")
    base = samples / "relations" / "r"
    question = "a\nConsider the following word pairs\nriver:sea\nthe:sea\nWhat relation best describes\n"
    for part in ("Testing", "Training"):
        _new(base / part / "Phase1Questions" / "Phase1Questions-1a.txt").write_text(question)
        ratings = base / "SemEval-2012-Gold-Ratings" / part / "GoldRatings-1a.txt"
        _new(ratings).write_text('50.0 "river:sea"\n-20.0 "the:sea"\n')


def _run(samples: Path) -> None:
    from wordstill.distillation.run_record import CorpusRecord, RunRecord, StudentRecord, TimeRecord
    from wordstill.distillation.settings import DistillSettings

    shutil.copytree(samples / "folder" / "v", samples / "run" / "r" / "aggregate")
    student = StudentRecord("aggregate", 6, len(WORDS))
    time = TimeRecord(2.0, {"teacher": 1.0}, {"aggregate": 0.5})
    settings = DistillSettings(teacher="t").as_json()
    record = RunRecord(settings, CorpusRecord("f"), students={"aggregate": student}, seconds=time, finished=True)
    record.write(samples / "run" / "r")
    scores = [
        {"vectors": "v", "task": "similarity", "dataset": "ws353", "metric": "spearman", "score": 0.5, "score_all": 0.4}
        | {"low": 0.3, "high": 0.6, "items": 10, "covered": 9, "coverage": 0.9}
    ]
    _new(samples / "scores" / "s.json").write_text(json.dumps(scores, indent=2))
    options = "--teacher minilm --student aggregate,x2static --set x2static.epochs=5 --layer 3 --threads 2 --seed 7"
    _new(samples / "settings" / "s.txt").write_text(options.replace(" ", "\n"))


def _teachers(samples: Path) -> None:
    import torch
    from safetensors.torch import load_file

    from small_models import make_model

    make_model("bert", _new(samples / "teacher" / "t"))
    shutil.copytree(samples / "teacher" / "t", samples / "teacher-bin" / "t")
    torch.save(
        load_file(samples / "teacher" / "t" / "model.safetensors"), samples / "teacher-bin" / "t" / "pytorch_model.bin"
    )
    (samples / "teacher-bin" / "t" / "model.safetensors").unlink()


def _with_code(place: Place) -> None:
    """Inputs that bring code along, in every place where a careless reader would run it."""
    samples, code = place.samples, RunsCode(place.canary)
    _new(samples / "code-pickle" / "v.bin").write_bytes(pickle.dumps(code))
    objects = np.array([[code, code]], dtype=object)
    np.save(_new(samples / "code-numpy" / "v.npy"), objects, allow_pickle=True)
    _new(samples / "code-numpy" / "v.words.tsv").write_text("a\n")
    shutil.copytree(samples / "teacher-bin" / "t", samples / "code-teacher" / "t")
    (samples / "code-teacher" / "t" / "pytorch_model.bin").write_bytes(pickle.dumps(code))
    shutil.copytree(samples / "teacher" / "t", samples / "code-teacher-map" / "t")
    config = json.loads((samples / "teacher" / "t" / "config.json").read_text())
    config |= {"auto_map": {"AutoModel": "evil.Evil", "AutoConfig": "evil.Evil", "AutoTokenizer": ["evil.Evil", None]}}
    (samples / "code-teacher-map" / "t" / "config.json").write_text(json.dumps(config))
    (samples / "code-teacher-map" / "t" / "evil.py").write_text(f"open({str(place.canary)!r}, 'w')\n")
    shutil.copytree(samples / "spacy" / "v.spacy", samples / "code-spacy" / "v.spacy")
    np.save(samples / "code-spacy" / "v.spacy" / "vocab" / "vectors", objects, allow_pickle=True)
    made = samples / "code-spacy" / "v.spacy" / "vocab"
    (made / "vectors.npy").replace(made / "vectors")


def _traps(place: Place) -> None:
    """Fill the current folder with files named like modules."""
    place.traps.mkdir()
    for name in (
        "random",
        "select",
        "json",
        "numpy",
        "torch",
        "wordstill",
        "readline",
        "sitecustomize",
        "usercustomize",
    ):
        (place.traps / f"{name}.py").write_text(f"open({str(place.canary)!r}, 'w')\n")


def _new(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    return path
