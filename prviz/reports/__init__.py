"""The report of a triage: all its numbers in one structure of dicts and lists, written as JSON,
CSV, Parquet or a self-contained HTML page.
"""
