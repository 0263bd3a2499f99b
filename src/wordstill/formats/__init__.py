"""Reading and writing word vectors, one file a format."""
