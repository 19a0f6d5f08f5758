"""Entry file of Streamlit Community Cloud: the app for everybody."""

import os
import sys
from pathlib import Path

import streamlit as st

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
os.environ["PRVIZ_PUBLIC"] = "1"
os.environ.setdefault("PRVIZ_ALLOW_FRAME", "https://*.streamlit.app https://share.streamlit.io")

from app import options  # noqa: E402 - reads the environment

app = st.App(str(ROOT / "app.py"), **options)
