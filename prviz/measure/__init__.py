"""From a pair of samples to estimates: one curve, every k and bandwidth at once, the published numbers."""
