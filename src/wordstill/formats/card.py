"""README.md of a vectors folder: a model card for people, with the front matter that the Hub reads."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from wordstill import __version__
from wordstill.errors import InputError
from wordstill.escaping import for_markdown
from wordstill.io.files import plain
from wordstill.io.reading import read_json
from wordstill.vectors import WordVectors

_TAGS = ["word-embeddings", "static-embeddings", "wordstill", "model2vec", "sentence-transformers"]
_HUB_NAME = re.compile(r"[\w.-]+(/[\w.-]+)?", re.ASCII)

_USE = """
## Use

```python
from wordstill import WordVectors
vectors = WordVectors.load("this folder")
vectors.most_similar("river")

from sentence_transformers import SentenceTransformer   # the mean of a text's word vectors
SentenceTransformer("this folder").encode(["a river in the south"])

from model2vec import StaticModel
StaticModel.from_pretrained("this folder").encode(["a river in the south"])
```

Words without a vector: model2vec leaves them out of the mean. sentence-transformers counts them as zero vectors,
which shortens the mean and does not turn it: cosines are the same.
"""


def readme(vectors: WordVectors) -> str:
    """The whole file, made from the vectors' card."""
    card = vectors.card
    licence = card.get("licence", card.get("license"))
    title = card.get("title") or "Static word vectors"
    parts = [
        _front_matter(card, licence),
        f"# {_inline(title)}\n",
        f"{len(vectors)} words, {vectors.vector_size} dimensions, made with wordstill {__version__}.\n",
    ]
    for heading in _HEADINGS:
        if card.get(heading) not in (None, "", {}, []):
            parts.append(f"## {heading.capitalize()}\n\n{_value(card[heading])}\n")
    others = {key: value for key, value in card.items() if key not in _KNOWN}
    if others:
        parts.append(f"## More\n\n{_value(others)}\n")
    parts.append(_USE.lstrip())
    stated = _inline(licence) if licence else "not stated; those of the teacher and of the corpus apply"
    parts.append(f"## Licence\n\nLicence: {stated}.\n")
    return "\n".join(parts).encode("utf-8", "backslashreplace").decode("utf-8")


_HEADINGS = ("teacher", "corpus", "method", "refinement", "settings", "scores", "notes")
_KNOWN = {"title", "licence", "license", "language", *_HEADINGS}


def _front_matter(card: Mapping[str, Any], licence: Any) -> str:
    fields: dict[str, Any] = {"library_name": "model2vec", "tags": _TAGS}
    if isinstance(licence, str):
        fields["license"] = licence
    if isinstance(card.get("language"), str):
        fields["language"] = card["language"]
    teacher = card.get("teacher")
    name = teacher.get("name") if isinstance(teacher, Mapping) else teacher
    if isinstance(name, str) and _HUB_NAME.fullmatch(name):
        fields["base_model"] = name
    lines = (f"{key}: {_yaml(value)}" for key, value in fields.items())
    return "\n".join(["---", *lines, "---", ""])


def _yaml(value: Any) -> str:
    # JSON is YAML, but for a few characters, none of which is printable.
    return "".join(
        letter if letter.isprintable() else _yaml_escape(letter) for letter in json.dumps(value, ensure_ascii=False)
    )


def _yaml_escape(letter: str) -> str:
    return f"\\u{ord(letter):04x}" if ord(letter) < 0x10000 else f"\\U{ord(letter):08x}"


def _value(value: Any) -> str:
    if isinstance(value, Mapping):
        rows = (f"| {_inline(name)} | {_inline(item)} |" for name, item in _flat(value))
        return "\n".join(["| | |", "|---|---|", *rows])
    if isinstance(value, list | tuple):
        return "\n".join(f"- {_step(item)}" for item in value)
    return _inline(value)


def _step(value: Any) -> str:
    if not isinstance(value, Mapping):
        return _inline(value)
    return "; ".join(f"{_inline(name)}: {_inline(item)}" for name, item in _flat(value))


def _flat(value: Mapping[Any, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, item in value.items():
        if isinstance(item, Mapping):
            yield from _flat(item, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", item


def _inline(value: Any) -> str:
    """One line of text that Markdown shows as it is."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=plain)
    return for_markdown(text)


def card_of(path: Path) -> dict[str, Any]:
    """Read the card out of a config.json; an empty one where there is none."""
    if not path.exists():
        return {}
    config = read_json(path)
    if not isinstance(config, dict):
        raise InputError(f"{path} is not a JSON object; is it whole?")
    card = config.get("wordstill", {})
    return card if isinstance(card, dict) else {}
