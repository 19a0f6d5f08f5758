"""Estimates of a pair of samples: one curve, every k and bandwidth at once, the published
scalars.
"""
