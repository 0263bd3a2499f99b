"""Which words belong together: lexicons, WordNet, and the graph they make over a vocabulary."""
