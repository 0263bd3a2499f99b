"""The teacher: a frozen language model; words in, contextual word vectors out."""
