"""What two sets of samples show before they are measured: equal rows, spreads, and flags on what
changes a number.
"""
