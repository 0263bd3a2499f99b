"""What tags mark: spans of words with a type, and the strict F1 over them.

A span counts where its first word, its last word and its type are right. Spans are read as the CoNLL script does: a
span begins at B- (or S-), and at I- (or E-) that follows something of another type; it ends where another begins, at O,
and after E- and S-. On tags that keep to their scheme this equals seqeval's strict mode; the CRF keeps to it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, TypeAlias

Span: TypeAlias = tuple[int, int, str]
"""The first word, the word behind the last, the type."""
Scheme: TypeAlias = Literal["bioes", "bio"]
_MARKS = ("B", "I", "E", "S")


def marks_spans(tags: Iterable[str]) -> bool:
    """Tell whether tags mark spans (O, B-NP, I-NP, ...) rather than naming single words."""
    found = set(tags)
    return any(tag != "O" for tag in found) and all(tag == "O" or _parts(tag)[0] in _MARKS for tag in found)


def spans_of(tags: Sequence[str]) -> list[Span]:
    """Read the spans of one sentence, by the rule above."""
    spans: list[Span] = []
    begin, kind = -1, ""
    for place, tag in enumerate([*tags, "O"]):
        mark, own = _parts(tag)
        goes_on = begin >= 0 and mark in ("I", "E") and own == kind
        if begin >= 0 and not goes_on:
            spans.append((begin, place, kind))
            begin = -1
        if begin < 0 and mark != "O":
            begin, kind = place, own
        if begin >= 0 and mark in ("E", "S"):
            spans.append((begin, place + 1, kind))
            begin = -1
    return spans


def tags_of(spans: Iterable[Span], words: int, scheme: Scheme) -> list[str]:
    """Write spans as tags: B- for a first word, I- for others; with "bioes" E- for a last and S- for an only one."""
    tags = ["O"] * words
    for begin, end, kind in spans:
        tags[begin:end] = [f"B-{kind}", *[f"I-{kind}"] * (end - begin - 1)]
        if scheme == "bioes":
            tags[end - 1] = f"S-{kind}" if end - begin == 1 else f"E-{kind}"
    return tags


def may_follow(before: str | None, after: str | None, scheme: Scheme) -> bool:
    """Tell whether a scheme lets one tag follow another; None stands for the beginning and the end of a sentence."""
    inside, (mark, kind) = _parts(before or "O"), _parts(after or "O")
    if scheme == "bio":
        return mark != "I" or (inside[0] in ("B", "I") and inside[1] == kind)
    if inside[0] in ("B", "I"):
        return mark in ("I", "E") and inside[1] == kind
    return mark not in ("I", "E")


def span_counts(gold: Sequence[str], predicted: Sequence[str]) -> tuple[int, int, int]:
    """Count the spans of one sentence that are right, those predicted, and those there are."""
    true, found = set(spans_of(gold)), set(spans_of(predicted))
    return len(true & found), len(found), len(true)


def _parts(tag: str) -> tuple[str, str]:
    mark, dash, kind = tag.partition("-")
    return (mark, kind) if dash else (mark, "") if mark in ("O", *_MARKS) else ("?", tag)
