"""Where a study's table stands in its method's README."""

from __future__ import annotations

from pathlib import Path

BEGIN, END = "<!-- study:begin -->", "<!-- study:end -->"


def write_into(readme: Path, text: str) -> None:
    """Replace what stands between the README's two study marks."""
    before, rest = readme.read_text().split(BEGIN, 1)
    _, after = rest.split(END, 1)
    readme.write_text(f"{before}{BEGIN}\n{text}{END}{after}")
