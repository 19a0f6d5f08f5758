"""The app as a server: the hosts it answers, what visitors may upload, what is removed when they
leave.
"""
