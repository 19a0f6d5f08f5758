"""The app as a server: which hosts it answers, what visitors may upload, and what is removed when
they leave.
"""
