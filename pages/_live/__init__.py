"""The live figure: sliders and linked plots in one Streamlit component (Python, JavaScript)."""
