"""Background work: runs of tasks and of networks, worker threads. Nothing here knows Streamlit."""
