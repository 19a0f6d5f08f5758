"""Diagnostics of one curve: supports, confusion groups, influence, preflight checks."""
