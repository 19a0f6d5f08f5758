"""Intervals by bootstrap and repeats, and two generators compared on the same real samples."""
