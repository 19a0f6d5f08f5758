"""Grids of measurements that run on any executor.

Sweeps, the experiments of the papers, the sanity battery, and surrogates.
"""
