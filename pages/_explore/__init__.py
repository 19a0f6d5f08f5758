"""The parts of the Explore page, one module each."""
