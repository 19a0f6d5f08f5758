"""Estimates of a pair of samples: one curve, the curves at every k and bandwidth, and published
scalars.
"""
