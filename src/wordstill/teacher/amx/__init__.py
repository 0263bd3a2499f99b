"""Attention on a processor's matrix tiles."""
