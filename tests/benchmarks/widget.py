"""How long a step of k takes in a notebook: from the move of the mouse to the frame with the new
curves, in JupyterLab, its kernel and its browser on this machine.

Run from the checkout on a quiet machine, with jupyterlab and ipykernel installed:
python -m tests.benchmarks.widget
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from tests.benchmarks.live_drag import CLOCK, CURVE, arm, delay, line_of, stops_of
from tests.browser import launch_chromium
from tests.notebook.jupyter import WAIT_MS, notebook, opened, run_all, running_lab

SIZES = (2_000, 10_000)
LIMIT_MS = 50.0  # p95
DRAWN = ".prviz-widget .lam-marks"
# Every k is there, and what is measured beyond the curves.
MEASURED = ".prviz-widget .live[data-more=false]"


def steps_of_k(chromium: Browser, n: int, steps: int) -> list[float]:
    """Milliseconds of each step; nan for those that were not seen."""
    cell = (
        f"import prviz\npair = prviz.toy('mixtures', d=64).sample({n}, seed=0)\nprviz.widget(pair)"
    )
    with tempfile.TemporaryDirectory() as folder, running_lab(Path(folder)) as address:
        Path(folder, "one.ipynb").write_text(notebook(cell))
        page = chromium.new_page(viewport={"width": 1366, "height": 768})
        run_all(opened(page, address, "one.ipynb"))
        for there in (DRAWN, MEASURED):
            page.wait_for_selector(there, state="attached", timeout=WAIT_MS)
        page.evaluate(CLOCK)
        slider = page.locator("[data-prviz=k] input[type=range]")
        slider.scroll_into_view_if_needed()
        places = stops_of(slider, 1)
        page.mouse.move(*next(places))
        page.mouse.down()
        arm(page, CURVE)
        times = [delay(page, lambda: page.mouse.move(*next(places))) for _ in range(steps)]
        page.close()
    return times


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--steps", type=int, default=100)
    steps = parser.parse_args().steps
    with sync_playwright() as playwright:
        chromium = launch_chromium(playwright)
        kept = [
            line_of(f"k, {n:,} x 64", steps_of_k(chromium, n, steps), LIMIT_MS, benchmark="widget")
            for n in SIZES
        ]
        chromium.close()
    return 0 if all(kept) else 1


if __name__ == "__main__":
    raise SystemExit(main())
