"""The loops in C, and how they are compiled."""
