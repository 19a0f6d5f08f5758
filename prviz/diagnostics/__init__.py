"""Explains a curve: estimated supports, confusion groups, influence of single samples, tests that
tell real from generated samples, and checks before a measurement.
"""
