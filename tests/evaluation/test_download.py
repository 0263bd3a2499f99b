"""Downloads against a local server that does what servers do: break off, redirect, lose files, send other files."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from wordstill.errors import InputError
from wordstill.evaluation import download as module
from wordstill.evaluation.datasets import Dataset, File
from wordstill.evaluation.download import download
from wordstill.evaluation.lookup import find
from wordstill.io.files import cache_folder

CONTENT = b"sun\tmoon\t3.5\n" * 1000


class Answers(BaseHTTPRequestHandler):
    asked: list[str] = []  # noqa: RUF012

    def do_GET(self) -> None:
        self.asked.append(self.path)
        if self.path == "/whole":
            self.send(200, CONTENT, len(CONTENT))
        elif self.path == "/broken-off":
            self.send(200, CONTENT[:5000], len(CONTENT))
        elif self.path == "/hostile-length":
            self.send(200, b"<xml>gone</xml>", "ten")
        elif self.path == "/endless-length":
            self.send(200, b"<xml>gone</xml>", "9" * 5_000)
        elif self.path == "/other":
            self.send(200, b"<xml>gone</xml>", 15)
        elif self.path == "/moved":
            self.send_response(302)
            self.send_header("Location", "/whole")
            self.end_headers()
        elif self.path == "/round":
            self.send_response(302)
            self.send_header("Location", "/round")
            self.end_headers()
        elif self.path == "/silent":
            self.connection.close()
        else:
            self.send_error(404)

    def send(self, code: int, content: bytes, length: int | str) -> None:
        self.send_response(code)
        self.send_header("Content-Length", str(length))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    running = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    thread = threading.Thread(target=running.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{running.server_port}"
    running.shutdown()
    running.server_close()
    thread.join()


@pytest.fixture
def entry(monkeypatch: pytest.MonkeyPatch, server: str, request: pytest.FixtureRequest) -> Dataset:
    """A data set of one good file and one that the test names."""
    sha256 = hashlib.sha256(CONTENT).hexdigest()
    files = (File("good.txt", f"{server}/whole", sha256), File("part/other.txt", server + request.param, sha256))
    monkeypatch.setattr(Dataset, "files", property(lambda self: files))
    return Dataset(
        "made-up", "similarity", "Made up", "nobody", "none", "made-up", "somebody/something", "0" * 40, None
    )


def left_behind() -> list[Path]:
    return [path for path in cache_folder().rglob("*") if path.is_file()] if cache_folder().exists() else []


@pytest.mark.parametrize("entry", ["/whole", "/moved"], indirect=True)
def test_a_whole_set_lands_in_the_cache_and_is_found_there(entry: Dataset) -> None:
    assert find(entry) is None
    found = download(entry)
    assert found.path == cache_folder() / "made-up"
    assert [path.read_bytes() for path in found.files] == [CONTENT, CONTENT]
    assert find(entry) == found


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        ("/broken-off", "the connection broke after 5000 of 13000 bytes"),
        ("/hostile-length", "it is not the pinned file"),
        ("/endless-length", "it is not the pinned file"),
        ("/other", "it is not the pinned file"),
        ("/gone", r"the server answered 404 \(Not Found\)"),
        ("/round", "the server answered 302"),
        ("/silent", "closed|reset|refused"),
    ],
    indirect=["entry"],
)
def test_a_failed_download_says_why_and_leaves_nothing(entry: Dataset, reason: str) -> None:
    with pytest.raises(InputError, match=reason) as caught:
        download(entry)
    assert "try again later, or put other.txt into a folder" in str(caught.value)
    assert left_behind() == []
    assert find(entry) is None


@pytest.mark.parametrize("entry", ["/gone"], indirect=True)
def test_a_failed_download_leaves_the_old_set_as_it_was(entry: Dataset) -> None:
    for file in entry.files:
        path = cache_folder() / "made-up" / file.name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"old")
    with pytest.raises(InputError, match="404"):
        download(entry)
    assert [path.read_bytes() for path in left_behind()] == [b"old", b"old"]


@pytest.mark.parametrize("entry", ["/whole"], indirect=True)
def test_an_interrupted_download_leaves_nothing(entry: Dataset, monkeypatch: pytest.MonkeyPatch) -> None:
    fetched = iter([CONTENT])

    def interrupted(*_: object) -> bytes:
        try:
            return next(fetched)
        except StopIteration:
            raise KeyboardInterrupt from None

    monkeypatch.setattr(module, "fetch", interrupted)
    with pytest.raises(KeyboardInterrupt):
        download(entry)
    assert left_behind() == []


def test_a_server_that_is_not_there_is_an_input_error() -> None:
    with pytest.raises(InputError, match="could not be downloaded"):
        module.fetch(File("a.txt", "http://127.0.0.1:9/a.txt", "0" * 64), "made-up")


def test_a_set_without_an_address_says_where_to_put_it() -> None:
    from wordstill.evaluation.datasets import dataset

    with pytest.raises(InputError, match=r"put esslli08_nouns\.csv into a folder"):
        download(dataset("esslli-nouns"))
