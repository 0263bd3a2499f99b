"""Words, names, notes, cards and paths that a terminal, LaTeX, a spreadsheet or a page would obey."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import numpy as np

from campaign.case import Case, Wrong
from campaign.runs import command
from wordstill.formats import save
from wordstill.vectors import WordVectors

PARTS = [
    *("\x1b[2J", "\x1b]0;owned\x07", "\x9b31m", "\x07", "\r", "\n", "\b", "\u202e", "\u200f", "\x00", "\x7f", "\ufeff"),
    *("=1+1", "+cmd|' /C calc'!A0", "-2", "@SUM(1)", "\t=1"),
    *("\\input{/etc/passwd}", "\\write18{touch x}", "%", "^^5c", "$x$", "&", "#", "_", "{", "}", "~"),
    *("<script>alert(1)</script>", "</script>", "<!--", "]]>", '" onload="x', "&lt;", "javascript:x"),
    *(
        "[a](javascript:x)",
        "`code`",
        "| cell |",
        "# head",
        "![a](b)",
        "---",
        "river",
        "東京",
        "é",
        "\udc80",
        " ",
        "'",
        '"',
    ),
]
# How a line of LaTeX's table may begin, and what may be left where its escapes are taken out.
ESCAPES = re.compile(r"\\(?:[&%$#_{}]|text[a-z]+\{\}|textbf\{[\d.-]*\}|,|\\)|--")
FRAME = ("\\begin{tabular}", "\\toprule", "\\midrule", "\\bottomrule", "\\end{tabular}", "dataset & vectors")


def run(case: Case) -> str:
    """Give vectors, files and data sets such names, and look at all that is printed and written."""
    folder = case.place.scratch("names")
    words = list(dict.fromkeys([*(hostile(case) for _ in range(6)), "river", "sea"]))
    words = [word.encode("utf-8", "replace").decode() for word in words]
    words = list(dict.fromkeys(words))
    card = {"title": hostile(case), "notes": [hostile(case)], hostile(case): hostile(case), "licence": hostile(case)}
    vectors = folder / file_name(case)
    matrix = np.random.default_rng(0).standard_normal((len(words), 4)).astype(np.float32)
    save(WordVectors(words, matrix, card=card), vectors, "folder")
    pairs = folder / f"{file_name(case)}.tsv"
    pairs.write_text("".join(f"{a}\t{b}\t{number}\n" for number, (a, b) in enumerate(_pairs(words))), encoding="utf-8")
    case.what = repr([vectors.name, pairs.name, words])
    told = [str(vectors), "--datasets", str(pairs)]
    for call in (
        ["evaluate", *told, "--parts"],
        ["info", str(vectors)],
        ["info", str(vectors), "--json"],
        ["neighbors", str(vectors), *[word for word in words if not word.startswith("-") and "\0" not in word]],
        ["convert", str(vectors), str(folder / file_name(case)), "--to", "folder"],
        ["convert", str(vectors), str(vectors)],
        ["lexicon", "info", str(pairs)],
        ["neighbors", str(vectors), hostile(case).replace("\0", "")],
        [
            "distill",
            "--corpus",
            str(folder / file_name(case)),
            "--student",
            hostile(case).replace("\0", ""),
            "--out",
            "x",
        ],
    ):
        done = command(call, case)
        done.check()
        for text in (done.output, done.errors):
            if not text.replace("\n", "").isprintable():
                raise Wrong(f"{call[0]} prints what a terminal obeys: {ascii(text)[:300]}")
    _check_tables(case, told)
    _check_page(case, vectors, pairs, folder / "report.html")
    case.check_canary()
    return "shown"


def hostile(case: Case) -> str:
    """Draw a text."""
    return "".join(case.draw.choices(PARTS, k=case.draw.randint(1, 3)))


def file_name(case: Case) -> str:
    """Draw a name that a file system takes."""
    text = hostile(case).replace("\0", "").replace("/", "").encode("utf-8", "replace").decode()
    return f"x{text}"[:60].rstrip("+")


def _pairs(words: list[str]) -> list[tuple[str, str]]:
    good = [word for word in words if word.strip() and not set(word) & set("\t\n\r#")]
    return list(zip(good, good[1:] + good[:1], strict=True))


def _check_tables(case: Case, told: list[str]) -> None:
    done = command(["evaluate", *told, "--csv"], case)
    done.check()
    for row in csv.reader(io.StringIO(done.output, newline="")):
        for cell in row:
            if cell.lstrip().startswith(("=", "+", "@", "-")) and not re.fullmatch(r"-\d.*", cell):
                raise Wrong(f"a cell that is a formula: {cell!r}")
    done = command(["evaluate", *told, "--latex"], case)
    done.check()
    for line in done.output.splitlines():
        if not line.startswith(FRAME) and set(ESCAPES.sub("", line.removeprefix("%").replace(" & ", ""))) & set(
            "\\%$#^~&{}"
        ):
            raise Wrong(f"LaTeX that does something: {line!r}")
    done = command(["evaluate", *told, "--json"], case)
    done.check()
    if done.code == 0:
        json.loads(done.output)


def _check_page(case: Case, vectors: Path, pairs: Path, page: Path) -> None:
    text = (vectors / "README.md").read_text(encoding="utf-8")
    if not text.replace("\n", "").isprintable():
        raise Wrong("README.md has what a terminal obeys")
    if re.search(r"(?<!\\)<(?!-)", text.partition("---\n\n")[2].partition("## Use")[0]):
        raise Wrong("README.md has an element of HTML")
    done = command(["report", str(vectors), "--datasets", str(pairs), "--out", str(page)], case)
    done.check()
    if done.code == 0 and re.search("<script>alert|onload=.x|<!-- *$", page.read_text(encoding="utf-8")):
        raise Wrong("the report has an element that is not its own")
