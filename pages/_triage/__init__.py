"""The parts of the Triage page, one module each."""
