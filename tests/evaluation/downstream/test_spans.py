"""Spans against seqeval, which follows the CoNLL script."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordstill.evaluation.downstream.spans import marks_spans, may_follow, span_counts, spans_of, tags_of

ANY = st.lists(st.sampled_from(["O", "B-a", "I-a", "E-a", "S-a", "B-b", "I-b", "E-b", "S-b"]), max_size=9)
BIO = st.lists(st.sampled_from(["O", "B-a", "I-a", "B-b", "I-b"]), min_size=1, max_size=9)


@given(BIO)
def test_spans_are_those_of_the_conll_script(tags: list[str]) -> None:
    sequence_labeling = pytest.importorskip("seqeval.metrics.sequence_labeling")
    theirs = [(begin, end + 1, kind) for kind, begin, end in sequence_labeling.get_entities(tags)]
    assert spans_of(tags) == theirs


@given(st.lists(st.tuples(BIO, BIO), min_size=1, max_size=5))
def test_f1_on_tags_that_keep_to_their_scheme_is_seqevals_strict_one(pairs: list[tuple[list[str], list[str]]]) -> None:
    metrics, schemes = pytest.importorskip("seqeval.metrics"), pytest.importorskip("seqeval.scheme")
    gold, predicted = [], []
    for one, two in pairs:
        size = min(len(one), len(two))
        gold.append(tags_of(spans_of(one[:size]), size, "bio"))
        predicted.append(tags_of(spans_of(two[:size]), size, "bio"))
    right, found, true = np.sum([span_counts(one, two) for one, two in zip(gold, predicted, strict=True)], axis=0)
    ours = 2 * right / (found + true) if found + true else 0.0
    strict = metrics.f1_score(gold, predicted, mode="strict", scheme=schemes.IOB2, zero_division=0)
    assert ours == pytest.approx(strict)
    assert ours == pytest.approx(metrics.f1_score(gold, predicted, zero_division=0))


@given(ANY)
def test_spans_come_back_from_both_schemes(tags: list[str]) -> None:
    spans = spans_of(tags)
    for scheme in ("bio", "bioes"):
        written = tags_of(spans, len(tags), scheme)
        assert spans_of(written) == spans
        assert all(may_follow(one, two, scheme) for one, two in itertools.pairwise([None, *written, None]))


def test_what_marks_spans_is_told_from_parts_of_speech() -> None:
    assert marks_spans(["O", "B-NP", "I-NP"])
    assert marks_spans(["S-creative-work", "O"])
    assert not marks_spans(["NOUN", "VERB", "X"])
    assert not marks_spans(["O", "O"])
    assert spans_of(["B-creative-work", "I-creative-work"]) == [(0, 2, "creative-work")]
