from __future__ import annotations

import io

import pytest

from wordstill.system.progress import MessageHandler, Progress, TerminalDisplay, duration, log, progress_shown


@pytest.mark.parametrize(
    ("seconds", "said"), [(0, "0 s"), (59.4, "59 s"), (60, "1 min 0 s"), (200, "3 min 20 s"), (7500, "2 h 5 min")]
)
def test_durations_are_said_as_people_say_them(seconds: float, said: str) -> None:
    assert duration(seconds) == said


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [100.0]
    monkeypatch.setattr("wordstill.system.progress.time.monotonic", lambda: now[0])
    return now


def test_a_log_gets_a_plain_line_now_and_then(clock: list[float], capsys: pytest.CaptureFixture[str]) -> None:
    with progress_shown(), Progress("distilling", 4000, 1000) as progress:
        for _ in range(10):
            clock[0] += 10
            progress.advance(100)
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "distilling: 1,300 words, 10 words/s, 32%, 4 min 30 s left"
    assert len(lines) == 3


def test_what_is_done_once_says_nothing_about_the_time_left(
    clock: list[float], capsys: pytest.CaptureFixture[str]
) -> None:
    with progress_shown(), Progress("distilling", 4000, 1000) as progress:
        with progress.paused():
            clock[0] += 3600
        clock[0] += 30
        progress.advance(300)
    assert capsys.readouterr().err == "distilling: 1,300 words, 10 words/s, 32%, 4 min 30 s left\n"


def test_a_library_shows_nothing_unless_asked(clock: list[float], capsys: pytest.CaptureFixture[str]) -> None:
    with Progress("distilling", 4000) as progress:
        clock[0] += 1000
        progress.advance(100)
    log.info("a message")
    assert capsys.readouterr() == ("", "")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_gets_a_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    with progress_shown() as display, Progress("distilling", 4_000_000) as progress:
        progress.advance(2_000_000)
        assert isinstance(display, TerminalDisplay)
        display._bar.refresh()
    shown = terminal.getvalue()
    assert "distilling" in shown
    assert "50%" in shown
    assert "words/s" in shown


def test_a_message_does_no_harm_to_a_terminal(caplog: pytest.LogCaptureFixture) -> None:
    stream = io.StringIO()
    handler = MessageHandler(TerminalDisplay(stream))
    log.addHandler(handler)
    try:
        with caplog.at_level("INFO", logger="wordstill"):
            log.info("the word %s", "\x1b[31mred\x07")
    finally:
        log.removeHandler(handler)
    assert stream.getvalue() == "the word \\x1b[31mred\\x07\n"
