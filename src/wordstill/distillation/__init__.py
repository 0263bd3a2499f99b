"""The main job: a corpus and a teacher in, a folder of word vectors out."""
