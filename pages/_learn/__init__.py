"""The course of the Learn page: its steps as data, JavaScript that draws them, and stored
measurements that they show.
"""
