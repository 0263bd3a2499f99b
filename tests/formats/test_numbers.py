"""Numbers as text, against Python's own reader and writer of floats."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from wordstill.formats.numbers import is_number, parse_rows, text_of_rows

TOKENS = st.one_of(
    st.floats(width=32).map(repr),
    st.floats().map(repr),
    st.floats(width=32, allow_nan=False).map("{:.6f}".format),
    st.from_regex(r"[+-]?[0-9]{0,10}\.?[0-9]{1,20}", fullmatch=True),
    st.from_regex(r"[+-]?[0-9]{1,10}\.", fullmatch=True),
    st.from_regex(r"[+-]?[0-9]{1,3}(\.[0-9]{0,3})?[eE][+-]?[0-9]{1,2}", fullmatch=True),
    st.sampled_from(["inf", "-Infinity", "NaN", "-nan", "+5", "-.5", "0", "-0", "1e400"]),
)


@settings(max_examples=300)
@given(st.lists(TOKENS, min_size=1, max_size=20))
@example(["123456789012345", "1234567.12345678", "12345678.1234567", "0.123456789012345", "00000000.5"])
def test_what_python_reads_is_read_to_the_same_bits(tokens: list[str]) -> None:
    with np.errstate(over="ignore"):
        expected = np.array([float(token) for token in tokens]).astype(np.float32)
    row = " ".join(tokens).encode()
    assert all(is_number(token) for token in row.split())
    np.testing.assert_array_equal(parse_rows([row, row], len(tokens)), np.stack([expected, expected]), strict=True)


@given(st.lists(st.floats(width=32, allow_nan=False), min_size=1), st.booleans())
def test_written_numbers_lead_back_to_the_same_float32(numbers: list[float], always_a_point: bool) -> None:
    row = np.array([numbers], np.float32)
    [text] = text_of_rows(row, always_a_point)
    read = parse_rows([text[1:].encode()], len(numbers))
    assert read is not None
    assert read.tobytes() == row.tobytes()
    assert np.array(text.split(), np.float64).astype(np.float32).tobytes() == row.tobytes()


@settings(max_examples=300)
@given(
    st.lists(st.text(st.sampled_from("0123456789.-+eE_x/:;\t "), max_size=12), min_size=1, max_size=3),
    st.integers(1, 3),
)
def test_rows_are_read_only_where_each_is_so_many_numbers(texts: list[str], columns: int) -> None:
    regular = all(
        len(tokens) == columns and all(is_number(token.encode()) for token in tokens)
        for tokens in (text.split(" ") for text in texts)
    )
    read = parse_rows([text.encode() for text in texts], columns)
    assert (read is not None) == regular
    if read is not None:
        with np.errstate(over="ignore"):
            expected = np.array([[float(token) for token in text.split(" ")] for text in texts]).astype(np.float32)
        np.testing.assert_array_equal(read, expected)


@pytest.mark.parametrize("token", ["1_0", "0x10", "１", "--1", "1.2.3", "1-2", "1e", ".", "-", "1,5", ""])
def test_python_only_spellings_and_slips_are_no_numbers(token: str) -> None:
    assert not is_number(token.encode())
    assert parse_rows([b"1.5", token.encode()], 1) is None
