"""Start child processes of Python that import nothing from the current folder.

`python -c` and `python -m` look for modules in the current folder first. The user's texts may lie there beside files
that are named like modules (`select.py`, `random.py`), and a child that is started in this way runs them. The children
of this module look where their parent looks, but not in the current folder, unless wordstill itself lies in it.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

# What keeps the current folder off the import path of a child, and of the children that it starts itself. Python 3.10
# knows neither: a child is safe without them.
SAFE_OPTIONS = ["-P"] if sys.version_info >= (3, 11) else []
SAFE_VARIABLES = {"PYTHONSAFEPATH": "1"}
# What a child runs first. It must import nothing but `sys`, which is built in, before the import path is set.
BOOT = "import sys; sys.path[:] = filter(None, sys.argv.pop(1).split('\\n')); exec(sys.argv.pop(1))"
# The folder that the package wordstill lies in.
HOME = str(Path(__file__).parents[2])


def run_python(code: str, *arguments: str, env: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    """Run code in a child process and return what it printed and its exit code.

    The code finds the arguments in `sys.argv[1:]`. `env` is by default what `python_environment` returns.
    """
    return subprocess.run(
        python_command(code, *arguments),
        env=python_environment() if env is None else env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


def python_command(code: str, *arguments: str) -> list[str]:
    """Return the command line of a child that runs code, with this process's import path."""
    return [sys.executable, *SAFE_OPTIONS, "-c", BOOT, "\n".join(import_path(sys.path)), code, *arguments]


def python_environment(**changes: str | None) -> dict[str, str]:
    """Return this process's environment for a child of Python, with changes; None removes a variable."""
    environment: dict[str, str | None] = {**os.environ, **SAFE_VARIABLES}
    environment["PYTHONINSPECT"] = None  # it imports `readline` before the import path is set
    if "PYTHONPATH" in os.environ:
        environment["PYTHONPATH"] = os.pathsep.join(import_path(os.environ["PYTHONPATH"].split(os.pathsep))) or None
    return {name: value for name, value in (environment | changes).items() if value is not None}


def import_path(entries: Iterable[str]) -> list[str]:
    """Return the entries of an import path as absolute paths, without the current folder.

    The current folder stays if wordstill itself lies in it: a child could not import wordstill otherwise.
    """
    try:
        here = os.getcwd()
    except FileNotFoundError:  # the folder was deleted, so nothing can be imported from below it
        here = ""
    paths = [os.path.join(here, entry) for entry in entries if isinstance(entry, str)]
    keeps_here = _is_current_folder(HOME)
    # A child gets the entries as lines, so that one with a line break could not be told from two.
    paths = [path for path in paths if os.path.isabs(path) and "\n" not in path]
    return [path for path in paths if keeps_here or not _is_current_folder(path)]


def _is_current_folder(path: str) -> bool:
    try:
        return os.path.samefile(path, os.curdir)
    except OSError:  # there is nothing at the path, or it leads into an archive
        return False
