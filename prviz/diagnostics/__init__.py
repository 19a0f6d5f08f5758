"""What stands behind one curve: supports, confusion groups, influence, preflight checks."""
