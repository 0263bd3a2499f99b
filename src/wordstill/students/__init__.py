"""The students: one file per method, each learning word vectors from what the teacher says."""
