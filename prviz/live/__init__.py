"""The live figure, without Streamlit and without a browser: the user's choices, and what is
measured for them.

A problem is a pair of sets of samples with settings; a need is one thing to measure for it. A stop
is one position of the sliders of k and bandwidth. A profile has the curves at every stop; its
frames are the same curves and their numbers as the browser gets them. A snapshot has the curves at
other settings: those of one frame of a film, or of a state that the user has pinned. A question is
a request from the browser for the curves at some settings.
"""
