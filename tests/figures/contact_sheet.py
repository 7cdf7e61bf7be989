"""All figures of made-up rows on one page, light and dark: python -m tests.figures.contact_sheet FOLDER."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.figures import made_figures, made_runs

from privgraph.runs.store import RunStore
from privgraph_workbench.figures import export


def main(folder: Path) -> Path:
    """Write the pictures and `index.html`, which shows all of them."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as second:
        with _opened(first) as store:
            swept = made_runs.sweep(store)
        with _opened(second) as store:
            every = made_figures.rows(store, swept)
    lines = []
    for name, rows in sorted(every.items()):
        for theme in ("light", "dark"):
            (folder / f"{name}-{theme}.png").write_bytes(export.export(name, rows, {}, "png", theme))
        lines.append(f"<h2>{name}</h2>")
        lines += [f'<img src="{name}-{theme}.png" width="48%" alt="{name}">' for theme in ("light", "dark")]
    page = folder / "index.html"
    page.write_text("\n".join(lines))
    return page


@contextmanager
def _opened(home: str) -> Iterator[RunStore]:
    os.environ["PRIVGRAPH_HOME"] = home
    store = RunStore.open()
    yield store
    store.close()


if __name__ == "__main__":
    print(main(Path(sys.argv[1] if len(sys.argv) > 1 else "build/sheet")))
