"""Do the vectors help a model that uses them? Models that are trained on top of vectors, each reading like its paper.

settings    what can be chosen, for each task
texts       labelled texts, and their parts          columns   words with a tag each, in columns
splits      parts that share no text                 words     the vectors of a data set's words, looked up once
batches     batches of texts of like length          training  seeds, the search over rates and epochs
cnn         the classifier of X2Static               probe     a linear classifier on sentence vectors
tagger, crf the BiLSTM-CRF of NCRF++                 spans     what tags mark, and the CoNLL rule for it
contextual  the teacher itself with a linear layer   kept      results, kept by content

torch is imported by the modules that need it (batches, training, cnn, tagger, crf, contextual), which the tasks import
when they judge.
"""
