"""From files to sentences of words and a vocabulary."""
