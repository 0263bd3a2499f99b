"""What can be wrong: with what was given, and with what a machine can do."""

from __future__ import annotations


class InputError(ValueError):
    """Bad usage or bad input: one sentence that says what is wrong, where, and what to do.

    The command line prints it without a traceback and exits with code 2.

    >>> import numpy as np
    >>> from wordstill import WordVectors
    >>> WordVectors(["one"], np.zeros((2, 3)))
    Traceback (most recent call last):
    wordstill.errors.InputError: 1 words need a matrix of as many rows, not of shape (2, 3)
    """


class Unavailable(Exception):
    """This machine cannot do something in a certain way, and why; there may be other ways."""


class Damaged(InputError):
    """A file that wordstill wrote for itself is not as it was written."""
