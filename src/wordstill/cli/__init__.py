"""The command line: one thin file per command, imported only when that command is called.

A command's module has `configure(parser)`, which adds its arguments, and `run(arguments)`.
"""

from __future__ import annotations

import argparse
import importlib
import logging
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import NoReturn

from wordstill import __version__
from wordstill.cli.output import OutputLost, discard, finish, prepare_streams
from wordstill.errors import InputError
from wordstill.escaping import for_terminal

COMMANDS = {
    "demo": "everything on what pip installed, offline, in minutes",
    "distill": "distill a teacher over a corpus into static word vectors",
    "parse": "parse texts with a spaCy pipeline, for students that read parses",
    "evaluate": "judge vectors on similarity, analogy, relations and categories",
    "refine": "improve vectors with a lexicon or by their spectrum",
    "combine": "join several vectors of the same words",
    "lexicon": "tell what is in a lexicon",
    "study": "reproduce the papers' studies and tables",
    "tune": "search the options of a student on the dev halves of data sets",
    "data": "list, get and locate the data sets",
    "report": "write one HTML file about vectors: scores, map, neighbours",
    "plot": "draw word pairs, neighbourhoods and categories",
    "neighbors": "list the words nearest to a word",
    "analogy": "solve A is to B as C is to ...",
    "similarity": "print the cosine of two words",
    "odd": "find the word that does not belong with the others",
    "encode": "write the vector of each line of text to a .npy file",
    "search": "find the lines of a file nearest in meaning to a query",
    "subwords": "fit a model of spellings for words outside the vocabulary",
    "convert": "write vectors in another format",
    "info": "tell what a vectors file or folder is",
    "doctor": "tell what this machine can do, and what would make it faster",
    "plan": "estimate the hours and the memory of a large run",
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; return 0 on success, 2 on bad usage or input, 130 after Ctrl-C."""
    # Children of other libraries shall not import what lies in the current folder either (Python 3.11 and newer).
    os.environ.setdefault("PYTHONSAFEPATH", "1")
    prepare_streams()
    arguments = list(sys.argv[1:] if argv is None else argv)
    # Only the module of the command that is called is imported, so that `neighbors` never waits for torch.
    named = next((word for word in arguments if not word.startswith("-")), None)
    parser = _parser(named)
    options = parser.parse_args(arguments)
    if options.command is None:
        parser.print_help()
        return 2
    try:
        with _listening(quiet=getattr(options, "quiet", False), verbose=getattr(options, "verbose", False)):
            options.run(options)
        finish()
    except InputError as error:
        _complain(options.command, error)
        return 2
    except OutputLost as error:
        discard(sys.stdout)
        _complain(options.command, error)
        return 2
    except KeyboardInterrupt as stop:
        _complain(options.command, stop if str(stop) else "interrupted")
        return 130
    except BrokenPipeError:
        # `wordstill ... | head` closed its end: not an error, but Python would complain once more at exit.
        discard(sys.stdout)
    return 0


def _complain(command: str, reason: object) -> None:
    """Print one sentence on standard error; a name in it does no harm to a terminal."""
    try:
        print(f"wordstill {command}: {for_terminal(str(reason))}", file=sys.stderr, flush=True)
    except OSError:
        discard(sys.stderr)  # nobody can be told; the exit code tells


class _Parser(argparse.ArgumentParser):
    """A parser whose errors repeat what was typed in a form that a terminal does not obey."""

    def error(self, message: str) -> NoReturn:
        super().error(for_terminal(message))


@contextmanager
def _listening(*, quiet: bool, verbose: bool) -> Iterator[None]:
    """Print the messages of a command on standard error, with its progress; nothing if it is to be quiet."""
    from wordstill.system.progress import MessageHandler, TerminalDisplay, log, progress_shown

    display = TerminalDisplay(sys.stderr)
    handler, before = MessageHandler(display), log.level
    log.addHandler(handler)
    log.setLevel(logging.WARNING if quiet else logging.DEBUG if verbose else logging.INFO)
    try:
        with nullcontext() if quiet else progress_shown(display):
            yield
    finally:
        log.removeHandler(handler)
        log.setLevel(before)


def _parser(named: str | None) -> argparse.ArgumentParser:
    """Make the parser of all commands; the arguments of the one that is called alone are known."""
    parser = _Parser(prog="wordstill", description="Distill contextual language models into static word vectors.")
    parser.add_argument("--version", action="version", version=f"wordstill {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", title="commands")
    for name, told in COMMANDS.items():
        command = commands.add_parser(
            name, help=told, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False
        )
        if name != named:
            continue
        module = importlib.import_module(f"wordstill.cli.{name.replace('-', '_')}")
        command.description = module.__doc__
        module.configure(command)
        command.set_defaults(run=module.run)
    return parser
