"""Uncertainty of curves: intervals from the bootstrap or from repeats, comparisons of generators on
the same real samples, and an upper bound of the true curve.
"""
