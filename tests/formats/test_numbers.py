"""Numbers as text, against Python's own reader and writer of floats."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from wordstill.errors import InputError
from wordstill.formats.numbers import parse, text_of_rows

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
    np.testing.assert_array_equal(parse(" ".join(tokens).encode()), expected, strict=True)


@given(st.lists(st.floats(width=32, allow_nan=False), min_size=1), st.booleans())
def test_written_numbers_lead_back_to_the_same_float32(numbers: list[float], always_a_point: bool) -> None:
    row = np.array([numbers], np.float32)
    [text] = text_of_rows(row, always_a_point)
    assert parse(text[1:].encode()).tobytes() == row.tobytes()
    assert np.array(text.split(), np.float64).astype(np.float32).tobytes() == row.tobytes()


@given(st.text(st.sampled_from("0123456789.-+eE_x/:; "), max_size=12).filter(lambda text: text.strip() == text))
def test_what_is_not_a_number_is_refused(text: str) -> None:
    try:
        expected = [float(token) for token in text.split(" ")]
    except ValueError:
        expected = None
    if expected is None and text:
        with pytest.raises(InputError, match="is not a number"):
            parse(text.encode())
    elif "_" not in text:
        with np.errstate(over="ignore"):
            rounded = np.array(expected or [], np.float64).astype(np.float32)
        np.testing.assert_array_equal(parse(text.encode()), rounded)


@pytest.mark.parametrize("text", ["1_0", "0x10", "１", "--1", "1.2.3", "1-2", "1e", ".", "-", "1,5", "0.1 x 0.2"])
def test_python_only_spellings_and_slips_are_refused(text: str) -> None:
    with pytest.raises(InputError, match="is not a number"):
        parse(text.encode())
