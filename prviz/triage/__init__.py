"""Triage: one reference and many checkpoints. Which one, how sure, and what is wrong with it."""
