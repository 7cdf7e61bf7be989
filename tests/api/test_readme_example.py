"""The example of the README is run as it stands there."""

import re
from pathlib import Path

import pytest

README = Path(__file__).resolve().parents[2] / "README.md"


def example() -> str:
    found = re.search(
        r"<!-- python example -->\s*```python\n(.*?)```\s*<!-- end of python example -->", README.read_text(), re.DOTALL
    )
    return found[1]


def test_it_is_short() -> None:
    lines = [line for line in example().splitlines() if line.strip()]
    assert len(lines) <= 10
    assert all(len(line) <= 110 for line in lines)
    assert [line for line in lines if "import" in line] == ["import privgraph as pg"]


def test_it_runs(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    import plotly.graph_objects as go

    shown: list[go.Figure] = []
    monkeypatch.setattr(go.Figure, "show", lambda figure: shown.append(figure))
    told: dict[str, object] = {}
    exec(compile(example(), str(README), "exec"), told)
    assert "{'aggregation_std'" in capsys.readouterr().out
    assert shown
    assert shown[0].data
