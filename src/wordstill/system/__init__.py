"""The machine: its processor, memory, processes, and progress on a terminal."""
