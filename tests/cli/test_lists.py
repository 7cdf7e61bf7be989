"""What `privgraph list` shows: tables for people, and JSON for other programs."""

from __future__ import annotations

import json
from typing import Any

import pytest

from privgraph.options import Option, Parameter, parameters, parse
from privgraph.registry import METHODS
from privgraph_workbench.cli import main
from privgraph_workbench.commands.lists import admitted, option_rows


def strict(line: str) -> Any:
    def refuse(token: str) -> None:
        raise AssertionError(f"{token} is no JSON")

    return json.loads(line, parse_constant=refuse)


@pytest.mark.parametrize("name", METHODS)
def test_the_options_of_a_method(capsys: pytest.CaptureFixture[str], name: str) -> None:
    """In the order of the configuration; what is shown as a default can be typed as it stands."""
    known = parameters(METHODS[name].load_config())
    assert main(["list", "options", name, "--json"]) == 0
    assert strict(capsys.readouterr().out) == option_rows(METHODS[name].load_config())
    assert main(["list", "options", name]) == 0
    heading, *lines = capsys.readouterr().out.splitlines()
    assert heading.split() == ["option", "type", "default", "values", "unit", "meaning"]
    places = [heading.index(word) for word in heading.split()]
    assert len(lines) == len(known)
    for line, one in zip(lines, known, strict=True):
        cells = [line[start:end].strip() for start, end in zip(places, [*places[1:], None], strict=True)]
        assert (cells[0], cells[1], cells[5]) == (one.name, one.type.__name__, one.option.help)
        assert parse(one, cells[2].partition(" (")[0]) == one.default
        assert cells[4] == (one.option.unit or "-")
        for choice in one.option.choices[:1]:
            assert cells[3].startswith(str(choice))


@pytest.mark.parametrize(
    ("kind", "bounds", "words"),
    [
        (float, {"low": 0, "high": 1, "low_open": True}, "above 0, at most 1"),
        (float, {"low": 0, "high": 0.1, "least": 1e-50}, "0, or 1e-50 to 0.1"),
        (int, {"low": 1}, "at least 1"),
        (str, {"choices": ("edge", "node")}, "edge, node"),
        (str, {"choices": tuple("abcdefghijklmnopqrstuvwxyz")}, "a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r,"
         " s, t and 6 others"),
    ],
)  # fmt: skip
def test_bounds_and_choices_in_words(kind: type, bounds: dict[str, Any], words: str) -> None:
    assert admitted(Parameter("x", kind, 0, Option("", **bounds))) == words
