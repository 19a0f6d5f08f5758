"""The live figure in a notebook."""
