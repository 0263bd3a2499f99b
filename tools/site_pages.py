"""Make pages of the documentation site from files as a code host shows them (hooks of MkDocs, named in mkdocs.yml).

CHANGELOG.md and CONTRIBUTING.md become pages, links between them and docs/ lead to pages, and links to other files of
the repository lead to the code host. A block marked ```sh install is shown like one marked ```sh: the second word
only tells the tests not to run it.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parents[1]
CODE_HOST = "https://github.com/wordstill/wordstill/blob/main/"
PAGES = {"CHANGELOG.md": "changelog.md", "CONTRIBUTING.md": "contributing.md"}
LINK = re.compile(r"(?<=\]\()(?!\w+:)([^)#\s]+)")
MARK = re.compile(r"^(```\w+) \w+$", re.MULTILINE)


def on_files(files: Files, *, config: Any) -> Files:
    """Add the pages whose sources are outside docs/."""
    for source, page in PAGES.items():
        files.append(File.generated(config, page, content=(ROOT / source).read_text(encoding="utf-8")))
    return files


def on_page_markdown(markdown: str, *, page: Any, config: Any, files: Files) -> str:
    """Return the page's text with the links of the site and plain marks of code."""
    folder = ROOT if page.file.src_uri in PAGES.values() else Path(config.docs_dir)

    def link(match: re.Match[str]) -> str:
        target = (folder / match[1]).resolve()
        if target.name in PAGES and target.parent == ROOT:
            return PAGES[target.name]
        if target.is_relative_to(config.docs_dir):
            return str(target.relative_to(config.docs_dir))
        # A file that is not there is left as it is: MkDocs reports it.
        return CODE_HOST + str(target.relative_to(ROOT)) if target.exists() else match[1]

    return MARK.sub(r"\1", LINK.sub(link, markdown))
