"""The main job, end to end, on a small random BERT."""

from __future__ import annotations

import gc
import json
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from runs import vector_bytes
from small_models import make_model
from wordstill import WordVectors
from wordstill.corpus.segment import SegmentSettings
from wordstill.corpus.vocabulary import VocabularySettings
from wordstill.distillation.distill import distill
from wordstill.distillation.run_record import read_record
from wordstill.distillation.settings import DistillSettings
from wordstill.distillation.shard_work import ShardWork
from wordstill.errors import InputError

pytestmark = pytest.mark.slow


def test_processes_that_read_ahead_change_no_byte(
    settings: DistillSettings, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wordstill.corpus.segmented_text.CHUNK", 2000)
    monkeypatch.setattr("wordstill.system.workers.DONE_HERE", 2)
    limited = replace(settings, students=("aggregate", "closed"), student_options={}, words=3000)
    alone = distill(corpus, out=tmp_path / "alone", settings=limited, workers=0)
    shared = distill(corpus, out=tmp_path / "shared", settings=limited, workers=2)
    assert vector_bytes(alone.folder) == vector_bytes(shared.folder)
    assert 3000 <= alone.record.corpus.words == shared.record.corpus.words < 3100


def test_words_are_counted_while_the_teacher_is_loaded(
    settings: DistillSettings, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wordstill.corpus.segmented_text.CHUNK", 500)
    text = tmp_path / "run" / "unfinished" / "kept" / "+text.bin"

    def load(*asked: Any, **more: Any) -> Any:
        assert text.stat().st_size > 0, "the first stretch is counted and kept"
        raise InputError("the teacher does not load")

    monkeypatch.setattr("wordstill.distillation.preparing.load_teacher", load)
    with pytest.raises(InputError, match="does not load"):
        distill(corpus, out=tmp_path / "run", settings=settings, workers=2)
    # A teacher that cannot be loaded ends the counting too, and leaves nothing behind.
    assert not (tmp_path / "run").exists()
    assert not [each for each in threading.enumerate() if "worker" in each.name.lower()]


def test_a_garbage_collector_that_looks_rarely_is_left_as_it_was(
    settings: DistillSettings, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, inside = gc.get_threshold(), []
    rest = ShardWork.rest
    monkeypatch.setattr(ShardWork, "rest", lambda self: (inside.append(gc.get_threshold()), rest(self))[1])
    distill(corpus, out=tmp_path / "run", settings=settings)
    assert {each[:2] for each in inside} == {before[:2]}
    assert {each[2] for each in inside} == {100 * before[2]}
    assert gc.get_threshold() == before


def test_a_run_leaves_its_record_and_the_vectors_of_every_student(
    settings: DistillSettings, corpus: Path, tmp_path: Path
) -> None:
    run = distill(corpus, out=tmp_path / "run", settings=settings)
    assert sorted(item.name for item in run.folder.iterdir()) == [
        "aggregate", "closed", "paper", "run.json", "x2static",
    ]  # fmt: skip
    record = json.loads((run.folder / "run.json").read_text())
    assert record == run.record.as_json()
    assert read_record(run.folder) is not None
    assert record["corpus"]["paragraphs"] == 300
    assert record["corpus"]["words"] > 3000
    assert 1.0 <= record["padding"] < 1.1
    assert set(record["seconds"]["students"]) == {"aggregate", "closed", "x2static", "paper"}
    for name, student in record["students"].items():
        vectors = run.vectors(name)
        assert not vectors.matrix.flags.owndata  # memory-mapped
        assert (len(vectors), vectors.vector_size) == (student["words"], student["dimensions"])
        assert vectors.vector_size == 32
        assert {"river", "u.s.", "3.5", "10,000", "."} <= set(vectors)
        assert np.isfinite(vectors.matrix).all()
        assert vectors.card["teacher"] == Path(settings.teacher or "").name
    assert record["students"]["x2static"]["loss"]
    assert not record["students"]["closed"]["loss"]
    with pytest.raises(InputError, match="has no 'glove'; it has: aggregate, closed"):
        run.vectors("glove")


def test_aggregate_is_the_mean_over_plain_encodings(teacher: str, corpus: Path, tmp_path: Path) -> None:
    """Against transformers alone: every paragraph by itself, and a dictionary of sums."""
    import torch
    from transformers import AutoModel, AutoTokenizer

    from wordstill.corpus.segment import Segmenter

    tokenizer, model = AutoTokenizer.from_pretrained(teacher), AutoModel.from_pretrained(teacher).eval()
    tokenizer.backend_tokenizer.no_truncation()
    tokenizer.backend_tokenizer.no_padding()
    sums: dict[str, list[Any]] = {}
    for line in corpus.read_text(encoding="utf-8").split("\n")[:40]:
        for sentence in Segmenter()(line):
            encoded = tokenizer(sentence, is_split_into_words=True, return_tensors="pt")
            with torch.no_grad():
                hidden = model(**encoded).last_hidden_state[0].numpy()
            places = encoded.word_ids()
            for number, word in enumerate(sentence):
                pieces = hidden[[place for place, owner in enumerate(places) if owner == number]]
                sums.setdefault(word.lower(), []).append(pieces.mean(axis=0))
    few = tmp_path / "few.txt"
    few.write_text("\n".join(corpus.read_text(encoding="utf-8").split("\n")[:40]), encoding="utf-8")
    vectors = distill(few, out=tmp_path / "run", settings=DistillSettings(teacher=teacher, context="sentence")).vectors(
        "aggregate"
    )
    assert set(vectors) == {word for word, held in sums.items() if len(held) >= 5}
    assert vectors.counts is not None
    for word, count in zip(vectors.words, vectors.counts, strict=True):
        assert count == len(sums[word])
        np.testing.assert_allclose(vectors[word], np.mean(sums[word], axis=0), atol=1e-5)


def test_the_same_seed_gives_the_same_bytes_and_another_seed_others(
    settings: DistillSettings, corpus: Path, tmp_path: Path
) -> None:
    first, second, other = (
        vector_bytes(distill(corpus, out=tmp_path / name, settings=replace(settings, seed=seed)).folder)
        for name, seed in (("first", 0), ("second", 0), ("other", 1))
    )
    assert first == second
    assert first["paper/model.safetensors"] != other["paper/model.safetensors"]


def test_every_layer_can_be_aggregated_at_once(teacher: str, corpus: Path, tmp_path: Path) -> None:
    settings = DistillSettings(teacher=teacher, students=("aggregate", "closed"), layer="all")
    run = distill(corpus, out=tmp_path / "run", settings=settings)
    assert list(run.record.students) == [*(f"aggregate/layer-0{n}" for n in range(4)), "closed"]
    assert (tmp_path / "run" / "aggregate" / "layer-02" / "model.safetensors").is_file()
    single = distill(
        corpus, out=tmp_path / "single", settings=DistillSettings(teacher=teacher, students=("aggregate",), layer=-2)
    )
    np.testing.assert_allclose(single.vectors("aggregate").matrix, run.vectors("aggregate/layer-02").matrix, atol=1e-6)
    with pytest.raises(InputError, match="has layers 0 to 3, no layer 9"):
        distill(corpus, out=tmp_path / "no", settings=DistillSettings(teacher=teacher, layer=9))


def test_a_limit_of_words_ends_with_a_whole_paragraph(teacher: str, corpus: Path, tmp_path: Path) -> None:
    run = distill(corpus, out=tmp_path / "run", settings=DistillSettings(teacher=teacher, words=500))
    assert 500 <= run.record.corpus.words < 600
    assert run.record.corpus.paragraphs < 60


def test_fewer_dimensions_keep_most_of_the_similarities(teacher: str, corpus: Path, tmp_path: Path) -> None:
    full = distill(corpus, out=tmp_path / "full", settings=DistillSettings(teacher=teacher)).vectors("aggregate")
    small = distill(corpus, out=tmp_path / "small", settings=DistillSettings(teacher=teacher, dimensions=12)).vectors(
        "aggregate"
    )
    assert small.vector_size == 12
    products = [np.asarray(v.matrix) @ np.asarray(v.matrix).T for v in (full, small)]
    assert np.corrcoef(products[0].ravel(), products[1].ravel())[0, 1] > 0.95


def test_forced_words_and_phrases_are_matched_in_the_text(teacher: str, corpus: Path, tmp_path: Path) -> None:
    vocabulary = VocabularySettings(min_count=5, forced=("new_york", "ten countries", "Tokyo", "unicorn"))
    run = distill(corpus, out=tmp_path / "run", settings=DistillSettings(teacher=teacher, vocabulary=vocabulary))
    vectors = run.vectors("aggregate")
    text = corpus.read_text(encoding="utf-8")
    assert vectors.counts is not None
    counts = dict(zip(vectors.words, vectors.counts.tolist(), strict=True))
    assert counts["new_york"] == text.count("New York")
    assert counts["ten countries"] == text.count("ten countries")
    assert counts["tokyo"] == text.count("Tokyo")
    assert "york" not in vectors
    assert counts["unicorn"] == 0
    assert np.linalg.norm(vectors["unicorn"]) > 0
    assert run.record.corpus.vocabulary == len(vectors)
    assert run.record.students["aggregate"].unseen["words_never_seen"] == 1


def test_cased_vocabularies_tell_the_from_the(teacher: str, corpus: Path, tmp_path: Path) -> None:
    vocabulary = VocabularySettings(lowercase=False)
    run = distill(corpus, out=tmp_path / "run", settings=DistillSettings(teacher=teacher, vocabulary=vocabulary))
    assert {"The", "the", "U.S.", "Tokyo"} <= set(run.vectors("aggregate"))


def test_the_filters_of_the_papers_leave_out_what_they_say(teacher: str, corpus: Path, tmp_path: Path) -> None:
    filtered = SegmentSettings(min_sentences=3, min_sentence_words=10, max_kept_sentence_words=40)
    run = distill(corpus, out=tmp_path / "run", settings=DistillSettings(teacher=teacher, segmentation=filtered))
    everything = distill(corpus, out=tmp_path / "all", settings=DistillSettings(teacher=teacher))
    assert 0 < run.record.corpus.sentences < everything.record.corpus.sentences
    assert run.record.corpus.words / run.record.corpus.sentences >= 10


@pytest.mark.parametrize(
    ("text", "message"),
    [("", "no words"), ("\n\n\n", "no words"), ("one two three four", r"no word of the corpus is seen 5 times")],
)
def test_a_corpus_without_enough_words_is_refused(teacher: str, tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "texts.txt"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        distill(path, out=tmp_path / "run", settings=DistillSettings(teacher=teacher))


@pytest.mark.slow
def test_ugly_text_is_read_by_stated_rules_and_breaks_nothing(teacher: str, tmp_path: Path) -> None:
    path = tmp_path / "ugly.txt"
    ugly = b"bad \xff\xfe bytes here. NUL \x00 and \x07 bell. " * 5
    long_word, long_line = b"x" * 5000 + b" ", b"a long line of words " * 40_000
    path.write_bytes(ugly + b"\n" + long_word * 6 + b"\n" + long_line + b"\nno final newline")
    run = distill(path, out=tmp_path / "run", settings=DistillSettings(teacher=teacher, students=("closed",)))
    assert run.record.corpus.replaced_bytes == 10
    vectors = run.vectors("closed")
    assert {"bad", "bytes", "nul", "bell", "long"} <= set(vectors)
    assert not any(set(word) & set(" \n\t\0") for word in vectors)
    assert np.isfinite(vectors.matrix).all()


def test_words_that_the_teacher_cannot_read_are_counted(teacher: str, tmp_path: Path) -> None:
    path = tmp_path / "long.txt"
    path.write_text(("short words and " + "unbelievableincredible" * 4 + " too. ") * 6)
    run = distill(path, out=tmp_path / "run", settings=DistillSettings(teacher=teacher, longest_text=10))
    assert run.record.truncated_words == 6
    assert "short" in run.vectors("aggregate")


def test_a_teacher_that_speaks_nonsense_is_caught(corpus: Path, tmp_path: Path) -> None:
    import torch
    from transformers import AutoModel

    folder = make_model("bert", tmp_path / "bert")
    model = AutoModel.from_pretrained(folder)
    with torch.no_grad():
        model.encoder.layer[1].output.dense.bias.fill_(3e38)  # its square is beyond all numbers
    model.save_pretrained(folder)
    with pytest.raises(InputError, match="the teacher's vectors at layer 3 are not finite in batch 1 of buffer 1"):
        distill(corpus, out=tmp_path / "run", settings=DistillSettings(teacher=str(folder)))


def test_vectors_load_without_torch(settings: DistillSettings, corpus: Path, tmp_path: Path) -> None:
    run = distill(corpus, out=tmp_path / "run", settings=replace(settings, students=("closed",), student_options={}))
    program = (
        "import sys, wordstill; v = wordstill.WordVectors.load(sys.argv[1]); v.most_similar('river'); "
        "print(sorted({'torch', 'numba', 'scipy', 'transformers'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(run.folder / "closed")], check=True, capture_output=True, text=True
    )
    assert done.stdout.strip() == "[]"
    assert isinstance(run.vectors("closed"), WordVectors)
