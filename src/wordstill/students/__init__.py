"""The students: one file a method, each learning word vectors from what the teacher says."""
