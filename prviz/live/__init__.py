"""The live figure without Streamlit or a browser: the user's choices, and what is measured for
them.
"""
