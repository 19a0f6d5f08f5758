"""Background work without Streamlit: lists of tasks, embeddings of pictures, and the threads that
do both.
"""
