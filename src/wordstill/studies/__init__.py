"""The papers' studies and tables, each by one call or one command.

    import wordstill
    found = wordstill.study("window-size", teacher="minilm", corpus="wiki.txt", words=500_000, out="studies")

A study is one file here and one line in `registry`. Its module has a docstring (what it compares, shown by --help), a
settings class and `run(settings) -> Study`. Studies that distill share `distilled` (their settings and their runs) and
`points` (scores along a line, as a table and a chart).
"""

from __future__ import annotations

from wordstill.studies.contract import Study, StudySettings
from wordstill.studies.registry import STUDIES, study, study_settings

__all__ = ["STUDIES", "Study", "StudySettings", "study", "study_settings"]
