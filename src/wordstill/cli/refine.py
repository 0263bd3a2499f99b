"""Improve any vectors: draw synonyms together, push antonyms apart, even out or drop directions.

  wordstill refine glove.6B.300d.txt better.vec --method graph-retrofit --lexicon ppdb-xl.txt
  wordstill refine run/closed out --method center --method graph-retrofit --lexicon wordnet+ --lexicon ppdb-xl.txt
  wordstill refine run/aggregate small --method pca --set pca.dimensions=128

Steps are taken in the order given. The formats of IN and OUT are those of `wordstill convert`; a folder's model card
lists the steps. A lexicon is a file (a line a word and its neighbors), a WordNet folder, `wordnet` (synonyms) or
`wordnet+` (hypernyms and hyponyms too).

  graph-retrofit  Zheng et al. 2022: towards the neighbors, the near ones more   variant own neighbors freedom scale
                                                                                 sweeps push
  retrofit        Faruqui et al. 2014: towards the mean of the neighbors         sweeps push
  spectral        Artetxe et al. 2018: principal directions reweighed            power
  center          the mean of all words becomes zero
  remove-top      and the widest directions go (all-but-the-top)                 directions
  whiten          directions evened out                                          power ridge
  pca             fewer dimensions (not centred: use `center` before it)         dimensions
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from wordstill.errors import InputError
from wordstill.formats import WRITTEN
from wordstill.options import given_options
from wordstill.vectors import WordVectors


def configure(parser: argparse.ArgumentParser) -> None:
    """Add this command's arguments."""
    add = parser.add_argument
    add("source", metavar="IN", help="vectors in any format that is read")
    add("target", metavar="OUT", type=Path, help="the file or folder to write")
    add("--method", metavar="NAME", action="append", required=True, help="a step; several are taken in order")
    add("--lexicon", metavar="FILE", action="append", default=[], help="words that belong together; several are joined")
    add("--antonyms", metavar="FILE", action="append", default=[], help="words to push apart: a file, or `wordnet`")
    add("--set", metavar="METHOD.OPTION=VALUE", action="append", default=[], help="an option of a method")
    add("--format", choices=WRITTEN, help="the format to write, whatever the name of OUT")
    add("--overwrite", action="store_true", help="replace OUT where it exists")
    add("-q", "--quiet", action="store_true", help="tell nothing of the steps")


def run(arguments: argparse.Namespace) -> None:
    """Read, take the steps, write."""
    from wordstill.refinement import read_lexicons, refine

    refuse_existing(arguments.target, arguments.overwrite)
    vectors = refine(
        WordVectors.load(arguments.source),
        arguments.method,
        read_lexicons(arguments.lexicon),
        read_lexicons(arguments.antonyms, "antonyms"),
        given_options(arguments.set),
        None if arguments.quiet else lambda line: print(line, file=sys.stderr),
    )
    vectors.save(arguments.target, format=arguments.format)
    print(f"{arguments.target}: {len(vectors)} words, {vectors.vector_size} dimensions")


def refuse_existing(target: Path, overwrite: bool) -> None:
    """Never replace what is there without being told to."""
    if target.exists() and not overwrite:
        raise InputError(f"{target} exists; give another name, or --overwrite to replace it")
