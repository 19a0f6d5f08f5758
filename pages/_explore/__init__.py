"""The parts of the page Explore."""
