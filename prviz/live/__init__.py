"""The live figure without Streamlit and without a browser: what the user chose, what that needs,
what is known.
"""
