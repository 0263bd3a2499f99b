"""What developers measure of wordstill: speed and memory, as ratios of two sides within one run."""
