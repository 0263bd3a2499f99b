"""The words that pictures show: pairs of a relation, and words of categories, from data sets or a user's file."""

from __future__ import annotations

from pathlib import Path

from wordstill.errors import InputError
from wordstill.evaluation import parsers
from wordstill.evaluation.datasets import DATASETS
from wordstill.evaluation.lookup import find, locate
from wordstill.evaluation.tasks import TASKS

Pair = tuple[str, str]


def relation_pairs(source: str) -> list[Pair]:
    """Word pairs of a relation: a section of an analogy set that is here (`family`), or a file, a pair a line."""
    if Path(source).is_file():
        return read_word_pairs(Path(source))
    sections = analogy_sections()
    if source not in sections:
        known = f"choose from {', '.join(sections)}" if sections else "no analogy set is here (wordstill data list)"
        raise InputError(f"there is no relation and no file {source!r}; {known}, or give a file with a pair a line")
    return sections[source]


def analogy_sections() -> dict[str, list[Pair]]:
    """The pairs of every section of the analogy sets that are on this machine."""
    sections: dict[str, dict[Pair, None]] = {}
    for entry in DATASETS.values():
        found = find(entry) if entry.task == "analogy" else None
        if found is None:
            continue
        questions = TASKS["analogy"].read(found.path)
        for (first, second, third, fourth), name in zip(questions.words, questions.sections, strict=True):
            sections.setdefault(name, {}).update({(first, second): None, (third, fourth): None})
    return {name: list(pairs) for name, pairs in sections.items()}


def read_word_pairs(path: Path) -> list[Pair]:
    """Two words a line, by a tab, a comma or blanks; lines that start with # are left out."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8 text (byte {error.start}); convert it first") from None
    pairs: dict[Pair, None] = {}
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip() or line.startswith("#"):
            continue
        sign = next((sign for sign in "\t," if sign in line), None)
        fields = [field.strip() for field in line.split(sign)]
        fields = [field for field in fields if field]
        if len(fields) != 2:
            raise InputError(f"{path}, line {number}: expected two words, found {len(fields)}")
        pairs[fields[0], fields[1]] = None
    if not pairs:
        raise InputError(f"{path} has no word pairs; expected two words a line")
    return list(pairs)


def category_words(source: str) -> parsers.Categories:
    """Words and the category of each: a categorization set by name, or a file with a word and its category a line."""
    if Path(source).is_file():
        return parsers.read_categories(Path(source))
    entry = DATASETS.get(source)
    if entry is None or entry.task != "categorization":
        known = ", ".join(name for name, entry in DATASETS.items() if entry.task == "categorization")
        raise InputError(f"there is no category set and no file {source!r}; choose from {known}, or give a file")
    return parsers.read_categories(locate(entry).path)
