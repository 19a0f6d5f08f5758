"""The yardstick of `live_drag`: the same figures by st.slider and st.plotly_chart alone, nothing
left to compute.
"""

from __future__ import annotations

import streamlit as st

from prviz import figures, profile, toy
from prviz.curves import PRCurve
from prviz.estimators import DEFAULT_METHODS
from prviz.measure.profiles import Profile


@st.cache_resource
def measured() -> tuple[PRCurve, Profile]:
    """The truth and the curves at every k of the slider."""
    problem = toy("shifted-gaussians")
    return problem.truth(), profile(*problem.sample(2000, 0), ks=range(1, 101), bandwidths=())


truth, found = measured()
k = st.slider("Neighbours k", 1, 100, 5)
curves = {name: found.curve(name, k) for name in DEFAULT_METHODS}
st.plotly_chart(figures.pr_figure(curves, truth=truth), key="pr")
st.plotly_chart(figures.error_space_figure(curves, truth=truth), key="error")
st.plotly_chart(figures.bias_figure(curves, truth), key="bias")
