"""How long the app takes to serve its first page.

The clock runs from the start of the process that `make app` runs to the first answer of the page itself. The
first start of a fresh installation compiles Python's bytecode and is slower; the second is what a user meets
every day.
"""

import os
import tempfile
import time
import urllib.request

from tests import app_here


def start_seconds() -> float:
    """Until the first page is read; the address's token becomes a cookie."""
    began = time.perf_counter()
    app = app_here.start()
    visitor = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
    with visitor.open(f"{app.address}/?token={app.token}", timeout=30) as answer:
        answer.read()
    seconds = time.perf_counter() - began
    app.process.terminate()
    app.process.wait(20)
    return seconds


def main() -> None:
    with tempfile.TemporaryDirectory() as home:
        os.environ["PRIVGRAPH_HOME"] = home
        print("app start to first page, seconds:", *(f"{start_seconds():.2f}" for _ in range(3)))
