"""Read files of texts, one text per line, whatever they are packed in: every line counts, the empty ones too."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from wordstill.corpus.decode import Decoder
from wordstill.errors import InputError
from wordstill.io.reading import explaining, open_regular
from wordstill.io.stdin import spool_stdin
from wordstill.io.streams import kind_of, open_stream
from wordstill.system.progress import log

LONGEST_LINE = 1 << 26
_ADVICE = {
    "parquet": "is parquet",
    "json": "is JSON, of which only the texts are wanted: take them out, for example with jq -r .text",
    "mediawiki": "is a dump of a wiki: turn it into plain text first",
    "wikiextractor": "is WikiExtractor's output: turn it into plain text first",
}


@contextmanager
def text_files(names: Sequence[str]) -> Iterator[list[Path]]:
    """Yield the files of the names given; standard input, named "-", is kept in a temporary file until the end."""
    if names.count("-") > 1:
        raise InputError("- stands for standard input and may be given once")
    with tempfile.TemporaryDirectory(prefix="wordstill-") as folder:
        yield [spool_stdin(sys.stdin.buffer, Path(folder)) if name == "-" else Path(name) for name in names]


def read_lines(paths: Sequence[Path]) -> Iterator[str]:
    """Yield the lines of all files, without their ends; only a newline ends one, with or without "\\r" before it.

    What is not UTF-8 becomes U+FFFD; how often is told in a message at the end.
    """
    decoder = Decoder()
    for path in paths:
        open_regular(path).close()
        with explaining(path, "archive"):
            kind = kind_of(path)
            if kind != "text":
                raise InputError(f"{path} {_ADVICE[kind]}; lines of text are needed")
            with open_stream(path) as stream:
                number = 0
                while line := stream.readline(LONGEST_LINE):
                    number += 1
                    if len(line) == LONGEST_LINE:
                        raise InputError(
                            f"{path}, line {number} is longer than {LONGEST_LINE >> 20} MiB; break it into texts"
                        )
                    yield decoder.decode(line.removesuffix(b"\n").removesuffix(b"\r"))
    if decoder.replaced:
        log.info("%s bytes that are not UTF-8 were replaced", f"{decoder.replaced:,}")
