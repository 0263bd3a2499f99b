"""Where sentences end: rules over the marks that can end one, with the abbreviations that keep one open.

Only the places with a mark are looked at, so the cost is one regular-expression scan of the text. The lists
are English; the marks of other scripts are known, and a text without capitals is split at its marks.
"""

from __future__ import annotations

import re

_MARKS = ".!?…。！？｡।॥؟۔።။។"
_WIDE_MARKS = frozenset("。！？｡")
_CANDIDATE = re.compile(rf"""([{_MARKS}]+)(["'”’)\]»」』）*]*)(\s*)(["'“‘(\[«「『（*]*)(\w*)""")
_CONTINUING = frozenset(",;:.&/=|?!%…")
_CHUNK = 24


def _listed(words: str) -> frozenset[str]:
    return frozenset(words.split())


# A name or a number follows these, so the period is theirs.
_OPEN = _listed(
    """mr mrs ms messrs mme mlle dr drs prof rev revd fr sen rep reps gov pres gen brig adm col lt cpt capt
    maj sgt cpl pvt cmdr cdr hon st ste mt ft amb supt insp det vs viz cf ca approx eg ie resp esp incl
    excl attn asst assoc née nee fig figs eq eqs ref refs sec sect aka cit ibid"""
)
# The same when a digit follows ("No. 5", "pp. 12"), otherwise ordinary words and letters.
_BEFORE_DIGIT = _listed(
    """no nos nr p pp vol vols ch chap art par para op ver v vv ed eds c cc r fl b d m § l ll cl cat bk pt
    pts sc jan feb mar apr jun jul aug sep sept oct nov dec ext tel"""
)
# They end a sentence only when a word follows that likes to begin one ("Acme Inc. The ...").
_EITHER = _listed(
    """inc corp ltd co bros jr sr etc al ave blvd rd dept univ est mon tue tues wed thu thur thurs fri jan
    feb mar apr jun jul aug sep sept oct nov dec llc plc trans repr illus abbr lit lat ger var subsp spp
    sp govt natl intl mfg assn ala ariz ark calif colo conn fla ill kan mich minn mont neb nev okla ore
    tenn tex wis wyo arr arrv dep conf tr rec yahoo jeopardy"""
)
_STARTERS = _listed(
    """the a an he she it they we i you this that these those his her its their our my your there here in
    on at by for from with after before when while as if but and or however although though then since
    during some many most other others one another both each all several what who how why where which to
    also not so because once until under despite following according such later thus therefore instead
    meanwhile furthermore moreover additionally finally first second no yes please thanks thank let have
    has do does did is are was were will would can could should may nor yet unlike like through between
    among within without over due"""
)
_SHORT_WORDS = _listed("""am an as at be by do go he hi if is it me my no of oh ok on or so to up us we""")
_ENUMERATOR = re.compile(r"[(*]*(?:\d{1,2}|[A-Za-z]|[ivx]+|[IVX]+)$")


def sentence_borders(text: str) -> list[int]:
    """Offsets at which a new sentence begins, without 0; each behind a mark and the whitespace after it."""
    borders = []
    last = 0
    for match in _CANDIDATE.finditer(text):
        border = match.end(3)
        if border < len(text) and _ends_sentence(text, last, match):
            borders.append(border)
            last = border
    return borders


def _ends_sentence(text: str, last: int, match: re.Match[str]) -> bool:
    marks, closers, space, openers, word = match.groups()
    start, border = match.start(), match.end(3)
    if not space:
        if not (word or openers):
            return False
        return marks[-1] in _WIDE_MARKS or _is_glued(text[max(0, start - _CHUNK) : start], marks, word)
    if not word and not openers and text[border] in _CONTINUING:
        return False
    lowercase = word[:1].islower()
    if marks != ".":
        if not lowercase:
            return not (marks == "!" and _before(text, last, start).lower() in _EITHER)
        # "Really?" he asked; an ellipsis goes on in lower case; "great! it was" is two casual sentences.
        return not closers and marks[-1] not in ".…"
    before = _before(text, last, start)
    if not before:
        return text[max(last, start - 2) : start] != ". "
    name = before.lower()
    if lowercase:
        return not closers and _is_ordinary(before, name)
    if closers:
        return name not in _OPEN or not word
    if "." in before:
        return _after_dotted(before, name, word)
    if len(before) == 1 and before.isalpha():
        return _after_letter(before, word)
    if start - len(before) <= last + 1 and _ENUMERATOR.match(before):
        return False
    if name in _OPEN or (name in _BEFORE_DIGIT and word[:1].isdigit()):
        return False
    return name not in _EITHER or word.lower() in _STARTERS


def _before(text: str, last: int, start: int) -> str:
    """The last characters before a mark, back to a space: a whole word, unless it is a very long one."""
    chunk = text[max(last, start - _CHUNK) : start]
    return "" if chunk[-1:].isspace() else "".join(chunk.split()[-1:]).lstrip("(\"'“‘[")


def _is_glued(chunk: str, marks: str, word: str) -> bool:
    """A space was forgotten: "the end.Then"; not "www.Example", and nothing longer that may be an address."""
    before = chunk.rpartition(" ")[2]
    long_enough = len(word) > 1 and 1 < len(before) < _CHUNK
    return (
        long_enough
        and word[0].isupper()
        and (marks in {".", "!", "?"} or len(marks) > 1)
        and before.isalpha()
        and before[-2:].islower()
        and before != "www"
    )


def _is_ordinary(before: str, name: str) -> bool:
    """Not an abbreviation, so that even a lowercase word after it begins a sentence, as in casual writing."""
    if len(before) <= 2:
        return name in _SHORT_WORDS
    return "." not in before and not (name in _OPEN or name in _BEFORE_DIGIT or name in _EITHER)


def _after_dotted(before: str, name: str, word: str) -> bool:
    """After "U.S", "a.m", "e.g", but also "example.com" and "3.5"."""
    if len(before.rpartition(".")[2]) > 2 or not before[-1].isalpha():
        return True
    return name not in {"e.g", "i.e"} and word[:1].isupper() and word.lower() in _STARTERS


def _after_letter(before: str, word: str) -> bool:
    """After an initial: "J. Smith" goes on, "vitamin C. The" does not."""
    if before.isupper():
        return word.lower() in _STARTERS and (before == "I" or word not in {"I", "A"})
    return not (word[:1].isdigit() or before in _BEFORE_DIGIT)
