"""Grids of measurements that run on any executor.

They are sweeps, the experiments of the papers, the sanity battery, and surrogates.
"""
