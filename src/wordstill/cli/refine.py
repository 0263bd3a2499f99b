"""Improve any vectors: draw synonyms together, push antonyms apart, even out or drop directions.

  wordstill refine glove.6B.300d.txt better.vec --method graph-retrofit --lexicon ppdb-xl.txt
  wordstill refine run/closed out --method center --method graph-retrofit --lexicon wordnet+ --lexicon ppdb-xl.txt
  wordstill refine run/aggregate small --method pca --set pca.dimensions=128

Steps are taken in the order given. The formats of IN and OUT are those of `wordstill convert`; a folder's model card
lists the steps. A lexicon is a file (a word and its neighbors per line), a WordNet folder, `wordnet` (synonyms) or
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
from pathlib import Path

from wordstill.cli.output import tell
from wordstill.formats import WRITTEN, check_target
from wordstill.options import given_options


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
    add("--overwrite", action="store_true", help="replace OUT where it holds vectors that wordstill wrote")
    add("-q", "--quiet", action="store_true", help="tell nothing of the steps")


def run(arguments: argparse.Namespace) -> None:
    """Read, take the steps, write."""
    from wordstill.refinement import refine

    check_target(arguments.target, arguments.format, arguments.overwrite)
    vectors = refine(
        arguments.source,
        arguments.method,
        arguments.lexicon or None,
        arguments.antonyms or None,
        given_options(arguments.set),
    )
    vectors.save(arguments.target, format=arguments.format)
    tell(f"{arguments.target}: {len(vectors)} words, {vectors.vector_size} dimensions")
