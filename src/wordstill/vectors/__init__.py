"""Word vectors, and what numpy alone can do with them."""

from wordstill.vectors.word_vectors import Key, Oov, WordVectors

__all__ = ["Key", "Oov", "WordVectors"]
