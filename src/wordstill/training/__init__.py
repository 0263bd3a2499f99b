"""What gradient students share: sampling, row-wise optimizers, kept contexts, checkpoints."""
