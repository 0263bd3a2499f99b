"""The words that pictures show: pairs of a relation, and words of categories, from data sets or a user's file."""

from __future__ import annotations

from pathlib import Path

from wordstill.errors import InputError
from wordstill.evaluation.dataset_lines import bad_line, read_rows
from wordstill.evaluation.datasets import DATASETS
from wordstill.evaluation.lookup import find, locate
from wordstill.evaluation.tasks.analogy import read_questions
from wordstill.evaluation.tasks.categorization import Categories, read_categories

Pair = tuple[str, str]


def relation_pairs(source: str) -> list[Pair]:
    """Find pairs of a relation: a section of an analogy set that is here (`family`), or a file with a pair per line."""
    if Path(source).is_file():
        return read_word_pairs(Path(source))
    sections = analogy_sections()
    if source not in sections:
        known = f"choose from {', '.join(sections)}" if sections else "no analogy set is here (wordstill data list)"
        raise InputError(f"there is no relation and no file {source!r}; {known}, or give a file with a pair per line")
    return sections[source]


def analogy_sections() -> dict[str, list[Pair]]:
    """Read the pairs of every section of the analogy sets that are on this machine."""
    sections: dict[str, dict[Pair, None]] = {}
    for entry in DATASETS.values():
        found = find(entry) if entry.task == "analogy" else None
        if found is None:
            continue
        questions = read_questions(found.path)
        for (first, second, third, fourth), name in zip(questions.words, questions.sections, strict=True):
            sections.setdefault(name, {}).update({(first, second): None, (third, fourth): None})
    return {name: list(pairs) for name, pairs in sections.items()}


def read_word_pairs(path: Path) -> list[Pair]:
    """Read two words per line, between tabs, commas or blanks; lines that start with # are left out."""
    pairs: dict[Pair, None] = {}
    for number, fields in read_rows(path):
        words = [field for field in fields if field]
        if len(words) != 2:
            raise bad_line(path, number, "two words", words)
        pairs[words[0], words[1]] = None
    if not pairs:
        raise InputError(f"{path} has no word pairs; expected two words per line")
    return list(pairs)


def category_words(source: str) -> Categories:
    """Read words with their categories: a set by name, or a file with a word and its category per line."""
    if Path(source).is_file():
        return read_categories(Path(source))
    entry = DATASETS.get(source)
    if entry is None or entry.task != "categorization":
        known = ", ".join(name for name, entry in DATASETS.items() if entry.task == "categorization")
        raise InputError(f"there is no category set and no file {source!r}; choose from {known}, or give a file")
    return read_categories(locate(entry).path)
