from __future__ import annotations

import subprocess
import sys

import pytest

from wordstill import __version__
from wordstill.cli import COMMANDS, main


def test_every_command_explains_itself(capsys: pytest.CaptureFixture[str]) -> None:
    for name in COMMANDS:
        with pytest.raises(SystemExit) as stop:
            main([name, "--help"])
        assert stop.value.code == 0
        assert f"usage: wordstill {name}" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        main(["--help"])
    shown = capsys.readouterr().out
    assert all(name in shown for name in COMMANDS)


def test_no_command_and_no_such_command_are_bad_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    with pytest.raises(SystemExit) as stop:
        main(["destill"])
    assert stop.value.code == 2
    assert "destill" in capsys.readouterr().err


def test_the_version_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--version"])
    assert capsys.readouterr().out == f"wordstill {__version__}\n"


@pytest.mark.parametrize(
    "command", [["--help"], ["distill", "--help"], ["neighbors", "--help"], ["evaluate", "--help"]]
)
def test_help_waits_for_nothing_heavy(command: list[str]) -> None:
    program = (
        "import sys\nfrom wordstill.cli import main\n"
        f"try: main({command!r})\nexcept SystemExit: pass\n"
        "sys.exit(','.join({'torch', 'numba', 'scipy', 'sklearn', 'transformers', 'pyarrow'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stderr.strip() == ""


def test_importing_the_package_imports_next_to_nothing() -> None:
    program = "import sys; before = set(sys.modules); import wordstill; print(len(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 60  # numpy alone has several hundred


def test_a_reader_that_goes_away_is_no_error() -> None:
    done = subprocess.run(
        f"{sys.executable} -m wordstill.cli data list | head -n 1", shell=True, capture_output=True, text=True
    )
    assert done.stderr == ""
    assert done.stdout.count("\n") == 1
