"""Intervals from bootstrap and from repeats, generators compared on the same real samples, and an
upper bound of the truth.
"""
