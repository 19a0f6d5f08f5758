"""What stands behind a curve: supports, confusion groups, influence, what tells two sets apart, and
checks before a measurement.
"""
