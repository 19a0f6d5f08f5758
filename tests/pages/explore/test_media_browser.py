"""Pictures of uploads in a real Chromium: a zip, the folder that the app was started with, and what
hovering shows.
"""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import expect

from tests.browser import Opener, click, running_app, wait_idle
from tests.pages.explore.test_explore_browser import open_uploads, point_at, upload
from tests.picture_builders import BLUE, packed, picture, table

REAL = [f"img/r{i:03}.png" for i in range(60)]
GENERATED = [f"img/g{i:03}.jpg" for i in range(60)]


def test_a_zip_and_the_apps_folder_show_what_samples_look_like(
    tmp_path: Path, new_page: Opener
) -> None:
    served = tmp_path / "served"
    (served / "img").mkdir(parents=True)
    for name in GENERATED:
        (served / name).write_bytes(picture("JPEG", (300, 200)))
    with running_app(tmp_path / "log", options=["--data", str(served)]) as server:
        page = new_page(url=server.url)
        open_uploads(page)
        upload(page, "Real samples", "real.csv", table(REAL, 0))
        upload(page, "Generated samples", "generated.csv", table(GENERATED, 1))
        upload(
            page,
            "Pictures (zip)",
            "all.zip",
            packed([(f"all/{name}", picture(color=BLUE)) for name in REAL]),
        )
        click(page, "tab", "Space")
        wait_idle(page)
        plot = page.locator(".live").nth(1).locator(".js-plotly-plot")
        plot.scroll_into_view_if_needed()
        for trace, kind, width in ((0, "real, row", 40), (1, "generated, row", 128)):
            point_at(page, plot, trace=trace, point=0)
            expect(plot.locator(".hovertext").filter(has_text=kind)).to_contain_text("image img/")
            shown = page.locator(".live .picture img").nth(0)
            expect(shown).to_be_visible()
            expect(shown).to_have_js_property("naturalWidth", width)
