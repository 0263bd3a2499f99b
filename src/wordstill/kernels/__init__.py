"""Loops compiled by numba, on arrays alone."""
