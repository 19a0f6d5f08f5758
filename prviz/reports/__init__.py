"""The report of a triage: all its numbers in one plain structure, as JSON, CSV, Parquet or a page
that stands alone.
"""
