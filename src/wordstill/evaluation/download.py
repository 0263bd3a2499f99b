"""Fetching a data set from its pinned address: whole and with the right hash, or not at all."""

from __future__ import annotations

import hashlib
import http.client
import re
import urllib.error
import urllib.request
from pathlib import Path

from wordstill.errors import InputError
from wordstill.evaluation.datasets import Dataset, File
from wordstill.evaluation.lookup import Found, found_in
from wordstill.io.files import cache_folder, only_these, replacing

TIMEOUT_SECONDS = 30.0
# No file of the registry is larger; a server that never stops sending is not waited for.
LARGEST_FILE = 1 << 28


def download(entry: Dataset, folder: Path | None = None) -> Found:
    """Fetch every file of the set into the cache (or `folder`); the set appears only when all are there."""
    if entry.repository is None:
        names = " and ".join(file.name for file in entry.files)
        raise InputError(
            f"{entry.name} has no public address; put {names} into a folder and name it in $WORDSTILL_DATA"
        )
    target = (folder or cache_folder()) / entry.name
    with replacing(target, ours=only_these(*(file.name for file in entry.files))) as temporary:
        for file in entry.files:
            path = temporary / file.name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(fetch(file, entry.name))
    found = found_in(target, entry, "cache")
    assert found is not None
    return found


def fetch(file: File, name: str) -> bytes:
    """Fetch a file's bytes and check them against its hash; an InputError says what went wrong and what to do."""
    assert file.address is not None
    try:
        with urllib.request.urlopen(file.address, timeout=TIMEOUT_SECONDS) as answer:
            length = answer.headers.get("Content-Length")
            content = bytes(answer.read(LARGEST_FILE))
    except urllib.error.HTTPError as error:
        with error:
            reason = f"the server answered {error.code} ({error.reason})"
        raise _failed(file, name, reason) from None
    except (OSError, http.client.HTTPException) as error:
        raise _failed(file, name, str(getattr(error, "reason", error)) or type(error).__name__) from None
    # A length that is no number, or one of thousands of digits, tells nothing: the hash decides.
    if length is not None and re.fullmatch(r"[0-9]{1,18}", length) and len(content) < int(length):
        raise _failed(file, name, f"the connection broke after {len(content)} of {length} bytes")
    sha256 = hashlib.sha256(content).hexdigest()
    if sha256 != file.sha256:
        raise _failed(file, name, f"its SHA-256 is {sha256}, not {file.sha256}: it is not the pinned file")
    return content


def _failed(file: File, name: str, reason: str) -> InputError:
    return InputError(
        f"{name} could not be downloaded from {file.address}: {reason}; try again later, or put"
        f" {Path(file.name).name} into a folder and name it in $WORDSTILL_DATA"
    )
