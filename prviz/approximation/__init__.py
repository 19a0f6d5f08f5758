"""Curves from approximate k-nearest-neighbour lists, for exploration at millions of samples."""
