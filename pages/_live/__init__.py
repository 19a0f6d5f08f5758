"""The live figure: sliders and linked panes in one component, Python and JavaScript."""
