"""The live figure without Streamlit or a browser: the user's choices, and what is measured for
them.

A problem is a pair of samples with settings; a need is one thing to measure for it. A stop is one
position of the sliders of k and bandwidth. A profile has the curves at every stop, and its frames
are what the browser gets of it. A snapshot has the curves at other settings: of one frame of a
film, or of a state that the user has pinned.
"""
