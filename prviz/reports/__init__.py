"""The report of a triage: all its numbers in one plain structure, written as JSON, CSV, Parquet or
a self-contained HTML page.
"""
