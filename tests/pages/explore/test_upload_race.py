"""A file chosen while the page still runs for the change before it arrives all the same."""

from __future__ import annotations

import sys
from pathlib import Path

from playwright.sync_api import expect

from tests.browser import Opener, running_app
from tests.pages.explore.test_explore_browser import (
    open_uploads,
    upload,
    upload_pair,
)

# The app, where runs are slow to take over what the browser says. Choosing a second file empties
# the field first, and sends the file right after: the run for the empty field is then still at it.
SLOW = """
import sys, time
from streamlit.elements.widgets import file_uploader
from streamlit.runtime.state import session_state

take_over = session_state.SessionState.set_widgets_from_proto
emptied = []
understand = file_uploader.FileUploaderSerde.deserialize

def take_over_slowly(self, states):
    take_over(self, states)
    fields = [each.file_uploader_state_value for each in states.widgets if "upload-real" in each.id]
    time.sleep(0.5 if any(each.uploaded_file_info for each in fields) else 0)

def understand_slowly(self, value):
    if value is not None and not value.uploaded_file_info and all(value is not each for each in emptied):
        emptied.append(value)
        time.sleep(0.2)
    return understand(self, value)

session_state.SessionState.set_widgets_from_proto = take_over_slowly
file_uploader.FileUploaderSerde.deserialize = understand_slowly
from prviz.cli.main import main
sys.exit(main())
"""


def test_a_replaced_file_is_not_lost_to_the_run_before_it(new_page: Opener, tmp_path: Path) -> None:
    script = tmp_path / "slow.py"
    script.write_text(SLOW)
    with running_app(tmp_path / "app.log", command=[sys.executable, str(script)]) as server:
        page = new_page(url=server.url)
        open_uploads(page)
        upload_pair(page)
        upload(page, "Real samples", "broken.pkl", b"\x80\x04 not an array")
        expect(page.locator(".st-key-part-refusal")).to_contain_text("broken.pkl")
