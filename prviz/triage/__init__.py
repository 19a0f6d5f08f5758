"""Triage: ranks many checkpoints against one reference, and says how sure the order is and what is
wrong with each.
"""
