"""What this machine can do, and what a larger run would cost on it."""
