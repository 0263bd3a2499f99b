"""Measure wordstill on this machine; print JSON.

    python benchmarks/run.py                        the demo's corpus, a few minutes
    python benchmarks/run.py --corpus wiki.txt.xz --words 2000000 --repeats 1 --only run,loop --precisions bfloat16

Every figure is a ratio of two sides that ran in turns, with the least and the largest of its repeats: a busy machine
slows both sides alike. The parts:

"""

from __future__ import annotations

import argparse
import json
import logging
import sys
from collections.abc import Sequence
from pathlib import Path

from measuring.parts import PARTS, choose_parts, measure
from measuring.workload import Workload
from wordstill.cli.options import add_settings, read_settings
from wordstill.errors import InputError
from wordstill.io.files import write_json
from wordstill.options import listed
from wordstill.system.machine import guard
from wordstill.system.progress import log


def main(argv: Sequence[str] | None = None) -> int:
    """Measure and print; return 0 on success, 2 on bad usage or input."""
    parts = "\n".join(
        f"  {name:<14}{part.what}{'' if part.usual else '; only if named'}" for name, part in PARTS.items()
    )
    parser = argparse.ArgumentParser(
        description=f"{__doc__}{parts}", formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False
    )
    add_settings(parser, Workload)
    parser.add_argument("--only", metavar="PART,..", default="", help="only these parts")
    parser.add_argument("--json", metavar="FILE", type=Path, help="write it to a file besides")
    parser.add_argument("-q", "--quiet", action="store_true", help="do not tell what is measured")
    arguments = parser.parse_args(argv)
    if not arguments.quiet:
        logging.basicConfig(format="%(message)s")
        log.setLevel(logging.INFO)
    guard()  # before torch is imported
    try:
        measured = measure(read_settings(arguments, Workload), choose_parts(listed(arguments.only)))
        if arguments.json:
            write_json(arguments.json, measured)
    except InputError as error:
        print(f"benchmarks/run.py: {error}", file=sys.stderr)
        return 2
    print(json.dumps(measured, indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
