"""The picture in the README: `python -m tests.browser.screenshot` runs the demo in the app and takes it."""

import os
import re
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import expect
from tests.browser.driving import CHROMIUM, SIZE, chromium, served, settled

import privgraph_workbench

PICTURE = Path(privgraph_workbench.__file__).parent / "static" / "screenshot.png"
LARGEST = 400_000


def main() -> int:
    """Take the picture; gives an exit code."""
    if not CHROMIUM:
        print("No chromium at hand: install Debian's chromium.", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as home:
        os.environ["PRIVGRAPH_HOME"] = home
        with served(Path(home)) as address, chromium() as browser:
            page = browser.new_context(viewport=SIZE, color_scheme="light").new_page()
            page.goto(address)
            settled(page)
            page.get_by_role("button", name="Run the demo").click()
            page.wait_for_url(re.compile(r"/train\?run="))
            expect(page.get_by_text("Test accuracy", exact=True)).to_be_visible(timeout=120_000)
            settled(page)
            page.wait_for_timeout(2000)
            PICTURE.parent.mkdir(exist_ok=True)
            page.screenshot(path=str(PICTURE))
    size = PICTURE.stat().st_size
    print(f"{PICTURE} ({size:,} bytes)")
    return 0 if size <= LARGEST else 1


if __name__ == "__main__":
    raise SystemExit(main())
