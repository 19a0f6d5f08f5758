"""Background work: lists of tasks, embeddings by networks, and the threads that run them, without
Streamlit.
"""
