"""Grids of measurements on any executor.

Sweeps, the papers' experiments, the sanity battery, surrogates.
"""
