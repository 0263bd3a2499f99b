"""List, get and locate the data sets that wordstill evaluates on.

  wordstill data list              what is here, what can be had, and under which licence
  wordstill data get ws353 men3k   download into the cache ($WORDSTILL_CACHE), checked by SHA-256
  wordstill data path ws353        where a data set is

Data sets are looked for in the folders of $WORDSTILL_DATA, in the cache, and in installed packages.
"""

from __future__ import annotations

import argparse

from wordstill.cli.output import give_json, tell
from wordstill.cli.text_table import table
from wordstill.errors import InputError
from wordstill.evaluation.datasets import DATASETS, dataset
from wordstill.evaluation.lookup import find
from wordstill.system.progress import log


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the actions of `wordstill data`."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    listing = actions.add_parser("list", help="what is here, what can be had, under which licence")
    listing.add_argument("--json", action="store_true", help="as JSON, with citation, address and SHA-256")
    getting = actions.add_parser("get", help="download data sets into the cache")
    getting.add_argument("names", nargs="+", metavar="NAME", help="names of data sets, or `all`")
    getting.add_argument("--force", action="store_true", help="download again what is here already")
    locating = actions.add_parser("path", help="print where a data set is")
    locating.add_argument("name", metavar="NAME")


def run(arguments: argparse.Namespace) -> None:
    """Do what the action says."""
    if arguments.action == "list":
        _list(arguments.json)
    elif arguments.action == "get":
        _get(arguments.names, arguments.force)
    else:
        _path(arguments.name)


def _list(as_json: bool) -> None:
    rows = []
    for entry in DATASETS.values():
        found = find(entry)
        state = f"here ({found.place})" if found else "can be had" if entry.repository else "not here"
        rows.append((entry, found, state))
    if as_json:
        columns = ("name", "task", "title", "citation", "licence")
        listed = [
            {name: getattr(entry, name) for name in columns}
            | {
                "state": state,
                "path": str(found.path) if found else None,
                "files": [vars(file) for file in entry.files],
            }
            for entry, found, state in rows
        ]
        give_json(listed)
        return
    lines = [(one.name, one.task, state, one.licence, f"{one.title} ({one.citation})") for one, _, state in rows]
    tell(table(("name", "task", "state", "licence", "what"), lines))


def _get(names: list[str], force: bool) -> None:
    from wordstill.evaluation.download import download

    if names == ["all"]:
        names = [entry.name for entry in DATASETS.values() if entry.repository]
    # Every name is checked before the first download.
    for entry in [dataset(name) for name in names]:
        found = None if force else find(entry)
        if found is None:
            log.info("%s: %d files, licence: %s", entry.name, len(entry.files), entry.licence)
            found = download(entry)
        tell(str(found.path))


def _path(name: str) -> None:
    found = find(dataset(name))
    if found is None:
        raise InputError(f"{name} is not on this machine; get it with: wordstill data get {name}")
    tell(str(found.path))
