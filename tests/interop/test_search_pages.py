"""ONNX folders in transformers.js, in node and in a browser, and the pages of docs/search.md in a real Chromium.

transformers.js is looked for in .npm-interop, where `make interop` installs it, or in the folder that
$WORDSTILL_NPM names. Nothing is downloaded here.
"""

from __future__ import annotations

import functools
import http.server
import json
import os
import re
import shutil
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from browsers import browser as browser
from browsers import wait
from wordstill.formats import save
from wordstill.vectors import WordVectors
from wordstill.vectors.text_search import write_encoded

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
WORDS = ["the", "river", "sea", "bank", "teacher", "school", "new_york", "c++", "東", ".", "<b>"]
MATRIX = np.random.default_rng(4).standard_normal((len(WORDS), 12)).astype(np.float32)
VECTORS = WordVectors(WORDS, MATRIX, card={"lowercase": True})
# Seconds: a busy machine takes its time to compile 27 MB of WebAssembly.
PATIENCE = 120
TEXTS = ["The RIVER, the sea.", "in New York: C++!", "renew yorkshire", "東京 qqq teacher", "new york's river"]
LINES = ["the river bank", "a teacher of the school", "", "the sea and the <b>river</b>", "qqq"]
NODE = """
const { env, pipeline } = await import(process.argv[2]);
env.allowRemoteModels = false;
env.localModelPath = process.argv[3];
const extract = await pipeline("feature-extraction", "vectors.onnx");
console.log(JSON.stringify((await extract(JSON.parse(process.argv[4]), { pooling: "mean" })).tolist()));
"""


@pytest.fixture(scope="module")
def packages() -> Path:
    """The folder of npm's packages."""
    folder = Path(os.environ.get("WORDSTILL_NPM") or ROOT / ".npm-interop") / "node_modules"
    if not (folder / "@huggingface" / "transformers" / "dist").is_dir():
        pytest.skip("transformers.js is not here: `make interop` installs it, or name its folder in $WORDSTILL_NPM")
    return folder


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What lies beside a page."""
    folder = tmp_path_factory.mktemp("page")
    (folder / "texts.txt").write_text("\n".join(LINES), encoding="utf-8")
    write_encoded(VECTORS, LINES, folder / "lines.npy", normalize=True)
    save(VECTORS, folder / "run" / "aggregate")
    return folder


@pytest.fixture(scope="module")
def folder(files: Path) -> Path:
    """The same, with the ONNX folder."""
    pytest.importorskip("onnx")
    save(VECTORS, files / "vectors.onnx")
    return files


def blocks(kind: str) -> list[str]:
    page = (ROOT / "docs" / "search.md").read_text(encoding="utf-8")
    return re.findall(rf"^```{kind}\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)


def test_node_gives_the_vectors_of_encode(packages: Path, folder: Path) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed")
    script = folder / "run.mjs"
    script.write_text(NODE)
    library = packages / "@huggingface" / "transformers" / "dist" / "transformers.node.mjs"
    given = [node, str(script), library.as_uri(), f"{folder}/", json.dumps(TEXTS)]
    done = subprocess.run(given, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    np.testing.assert_allclose(json.loads(done.stdout), VECTORS.encode(TEXTS), atol=1e-6)


@pytest.fixture
def host(folder: Path) -> Iterator[str]:
    """A host of plain files on this machine."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def guess_type(self, path: Any) -> str:
            return "text/javascript" if str(path).endswith(".mjs") else super().guess_type(path)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def found_lines(browser: Any, query: str, first: str) -> list[str]:
    """Type a query, wait until the answer begins with a line, and return all of it."""
    field = browser.find_element("id", "query")
    field.clear()
    field.send_keys(query)
    wait(browser, f"document.querySelector('#found li')?.textContent === {json.dumps(first)}", PATIENCE)
    return [item.text for item in browser.find_elements("css selector", "#found li")]


def nearest(query: str) -> list[str]:
    cosines = VECTORS.encode(LINES, normalize=True) @ VECTORS.encode(query)
    return [LINES[row] for row in np.argsort(-cosines, kind="stable")]


def test_a_page_searches_with_transformers_js(packages: Path, folder: Path, host: str, browser: Any) -> None:
    for name in ("ort-wasm-simd-threaded.asyncify.mjs", "ort-wasm-simd-threaded.asyncify.wasm"):
        shutil.copy(packages / "onnxruntime-web" / "dist" / name, folder)
    shutil.copy(packages / "@huggingface" / "transformers" / "dist" / "transformers.min.js", folder)
    html = blocks("html")[0]
    assert len(html.splitlines()) <= 20
    (folder / "search.html").write_text(html, encoding="utf-8")
    browser.get_log("browser")
    browser.get(f"{host}/search.html")
    wait(browser, "!query.disabled", PATIENCE)
    for query in ("The teacher", "river sea"):
        expected = nearest(query)[0]
        assert found_lines(browser, query, expected)[0] == expected
    asked = browser.execute_script("return performance.getEntriesByType('resource').map(entry => entry.name)")
    assert all(name.startswith((host, "blob:")) for name in asked), asked
    severe = [entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"]
    # Browsers ask for an icon by themselves.
    assert [entry for entry in severe if "favicon" not in entry["message"]] == []


def test_a_page_searches_from_a_file(files: Path, browser: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(files)
    exec(compile(blocks("python")[1], "search.md", "exec"), {"__name__": "__main__"})
    html = blocks("html")[1]
    assert len(html.splitlines()) <= 20
    (files / "alone.html").write_text(html, encoding="utf-8")
    browser.get_log("browser")
    browser.get((files / "alone.html").as_uri())
    for query in ("The teacher", "river sea"):
        expected = nearest(query)
        known = [line for line in expected if line not in ("", "qqq")]
        assert [line for line in found_lines(browser, query, expected[0]) if line not in ("", "qqq")] == known
    assert browser.get_log("browser") == []
