"""Background work: jobs, runs of tasks, worker threads. Nothing here knows Streamlit."""
