"""Pages of one HTML file that need no network: a template of `assets`, a style, scripts, and the data put into them.

Words are data: they stand in a block of JSON in which no `<` is left, and the scripts only ever set text. A page's own
security policy allows nothing but the one style and the one script, by their hashes.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Mapping, Sequence
from importlib import resources
from typing import Any

from wordstill.escaping import for_html, for_script
from wordstill.io.files import only_marked

# Every page says in its head who made it; no other file is replaced by one.
ONLY_PAGES = only_marked(rb'<meta name="generator" content="wordstill">')


def page(template: str, scripts: Sequence[str], data: Mapping[str, Any]) -> bytes:
    """Make the whole file as bytes; `data` has at least a `title`."""
    style, script = asset("report.css"), "\n".join(asset(name) for name in scripts)
    policy = (
        f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; img-src data:;"
        " base-uri 'none'; form-action 'none'"
    )
    head = {"policy": policy, "style": style, "title": for_html(str(data["title"]))}
    parts = {"head": _filled("head.html", head), "data": for_script(data), "script": script}
    return _filled(template, parts).encode("utf-8", errors="backslashreplace")


def _filled(template: str, parts: Mapping[str, str]) -> str:
    # One pass: what is put in is never looked at again.
    return re.sub(r"\{\{(\w+)\}\}", lambda match: parts[match[1]], asset(template))


def asset(name: str) -> str:
    """Read one of the pages' own files."""
    return resources.files("wordstill.explore").joinpath("assets").joinpath(name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
