"""The site: every page is gathered and read strictly, with the reference that is made of docstrings."""

import json
import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from docs.build import API, FRAME, ROOT, drawn, lead, modules, option_table, pages

from privgraph.options import parameters
from privgraph.registry import METHODS


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The gathered source, after Sphinx has read it without a complaint, and what that said."""
    if find_spec("myst_nb") is None:
        pytest.skip("the extra docs is not installed")
    out = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "docs.build", "--check", "--out", str(out)],
        cwd=ROOT, env={**os.environ, "PYTHONWARNINGS": ""}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-5000:]
    return out / "source", done.stderr


@pytest.mark.long
def test_sphinx_takes_every_page_strictly(built: tuple[Path, str]) -> None:
    source, said = built
    assert "WARNING" not in said
    found = {path.relative_to(source).as_posix() for path in source.rglob("*") if path.suffix in (".md", ".ipynb")}
    assert set(pages().values()) | {f"api/{name}.md" for name in API} == found
    framed = {f"{name}.md" for names in FRAME.values() for name in names}
    assert framed <= found
    assert {name for name in found if "/" not in name} - {"index.md"} <= framed


@pytest.mark.long
def test_every_method_s_options_are_on_its_page(built: tuple[Path, str]) -> None:
    source, _ = built
    for name, spec in METHODS.items():
        words = (source / "methods" / f"{name.replace('-', '_')}.md").read_text()
        for parameter in parameters(spec.load_config()):
            assert f"\n| `{parameter.name}` | `{parameter.default}` | " in words


def test_a_cell_of_the_table_does_not_end_it() -> None:
    for name in METHODS:
        rows = [line for line in option_table(name).splitlines() if line.startswith("| `")]
        assert all(len(re.findall(r"(?<!\\)\|", row)) == 5 for row in rows)


def test_links_lead_to_the_copies() -> None:
    page = ROOT / "docs" / "guide.md"
    text, files = lead("[a](../README.md#start) [b](findings.md) [c](../LICENSE) [d](https://e.org)", page, pages())
    assert text == "[a](readme.md#start) [b](findings.md) [c](LICENSE) [d](https://e.org)"
    assert files == {ROOT / "LICENSE"}
    fence = "```sh\n[a](../README.md)\n```"
    assert lead(fence, page, pages()) == (fence, set())
    with pytest.raises(FileNotFoundError, match=r"docs/guide\.md links to nowhere\.md"):
        lead("[a](nowhere.md)", page, pages())


def test_the_reference_holds_every_module_of_the_rooms_that_say_what_is_guaranteed() -> None:
    named = {name for _, patterns in API.values() for name in modules(patterns)}
    for room in ("privacy", "mechanisms", "data", "audits"):
        folder = ROOT / "core" / "privgraph" / room
        assert {
            f"privgraph.{'.'.join(path.relative_to(ROOT / 'core' / 'privgraph').with_suffix('').parts)}"
            for path in folder.rglob("*.py")
            if path.stem != "__init__"
        } <= named


def test_a_figure_s_words_cannot_leave_their_element() -> None:
    drawing = drawn({"data": [{"name": "</script><b>"}], "layout": {"title": {"text": 'a "title"<br>'}}})
    inside = drawing.split('<script type="application/json">')[1].removesuffix("</script></div>")
    assert "</" not in inside
    assert json.loads(inside)["data"] == [{"name": "</script><b>"}]
    assert 'aria-label="a &quot;title&quot; "' in drawing
