"""Where a study's table stands in its method's README."""

from pathlib import Path

BEGIN, END = "<!-- study:begin -->", "<!-- study:end -->"
FINDINGS = "<!-- findings:begin -->", "<!-- findings:end -->"
ATTACKED = "<!-- attacked:begin -->", "<!-- attacked:end -->"
PROMPTS = "<!-- prompts:begin -->", "<!-- prompts:end -->"


def write_into(readme: Path, text: str, marks: tuple[str, str] = (BEGIN, END)) -> None:
    """Replace what stands between the README's two marks."""
    begin, end = marks
    before, rest = readme.read_text().split(begin, 1)
    _, after = rest.split(end, 1)
    readme.write_text(f"{before}{begin}\n{text}{end}{after}")
