"""Grids of measurements on any executor: sweeps, the papers' experiments, the sanity battery, surrogates."""
