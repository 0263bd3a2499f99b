"""A reader and a damaged input: what it says, or one sentence; nothing on the disk changes, and no code runs."""

from __future__ import annotations

import shutil
import warnings

from campaign.case import Case, Wrong, tree
from campaign.mutations import mutate
from campaign.readers import READERS
from wordstill.errors import InputError

NAMES = list(READERS)
WEIGHTS = [reader.weight for reader in READERS.values()]


def run(case: Case) -> str:
    """Damage a file of a sample and read it; return what came of it."""
    (name,) = case.draw.choices(NAMES, WEIGHTS)
    folder = case.place.scratch("mutated") / name
    shutil.copytree(case.place.samples / name, folder)
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    for path in case.draw.sample(files, min(len(files), case.draw.choice((1, 1, 1, 2)))):
        content, how = mutate(path.read_bytes(), case.draw)
        path.write_bytes(content)
        case.what += f"{path.relative_to(folder.parent)}: {how}; "
    before = tree(folder)
    outcome = "read"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            READERS[name].read(folder)
    except InputError as error:
        outcome = "refused"
        if "\n" in str(error):
            raise Wrong(f"more than one line: {error}") from None
    except KeyError as error:
        # What `vectors[word]` raises, and nothing else.
        if "has no vector" not in str(error):
            raise
    case.check_canary()
    if tree(folder) != before:
        raise Wrong("a file that was only to be read has changed")
    return outcome
