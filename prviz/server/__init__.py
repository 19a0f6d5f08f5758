"""The app as a server: which hosts it answers, what visitors may upload, and what goes when they
leave.
"""
