"""The live figure of the Explore page as a widget for notebooks."""
