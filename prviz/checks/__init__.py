"""Checks of two sets of samples before they are measured: equal rows, spreads of features, and
flags on what changes the meaning of a measured number.
"""
