"""All figures of the examples on one page, light and dark: python -m tests.figures.contact_sheet FOLDER."""

import sys
import tempfile
from pathlib import Path

from tests.contracts import capabilities_here as here
from tests.contracts.test_capabilities_figures import FIGURES, Examples

import privgraph as pg


def main(folder: Path) -> Path:
    """Write the pictures and `index.html`, which shows all of them."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = []
    with tempfile.TemporaryDirectory() as other:
        examples = Examples(here.example_store(), pg.open_store(Path(other)))
        for name, subject in sorted(FIGURES.items()):
            lines.append(f"<h2>{name}</h2>")
            for theme in ("light", "dark"):
                picture = folder / f"{name}-{theme}.png"
                getattr(pg.figures, name).save(picture, *subject(examples), theme=theme)
                lines.append(f'<img src="{picture.name}" width="48%" alt="{name}">')
    page = folder / "index.html"
    page.write_text("\n".join(lines))
    return page


if __name__ == "__main__":
    print(main(Path(sys.argv[1] if len(sys.argv) > 1 else "build/sheet")))
