"""The live figure of Explore as a widget for notebooks."""
