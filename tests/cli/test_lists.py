"""What `privgraph list` shows: tables for people, and JSON for other programs."""

from __future__ import annotations

import json
from typing import Any

import pytest

from privgraph.data.catalogue import DATASETS
from privgraph.options import Option, Parameter, parameters, parse
from privgraph.registry import AUDITS, METHODS
from privgraph_workbench.cli import main
from privgraph_workbench.commands.lists import admitted, option_rows


def strict(line: str) -> Any:
    def refuse(token: str) -> None:
        raise AssertionError(f"{token} is no JSON")

    return json.loads(line, parse_constant=refuse)


def test_the_lists(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "methods", "--json"]) == 0
    methods = strict(capsys.readouterr().out)
    assert [row["name"] for row in methods] == list(METHODS)
    for row in methods:
        expected = [parameter.name for parameter in parameters(METHODS[row["name"]].load_config())]
        assert [option["name"] for option in row["options"]] == expected
        assert row["units"]
    assert main(["list", "datasets", "--json"]) == 0
    datasets = {row["name"]: row for row in strict(capsys.readouterr().out)}
    assert list(datasets) == list(DATASETS)
    assert datasets["karate"]["available"] is True
    assert {option["name"] for option in datasets["social"]["options"]} >= {"nodes", "homophily"}
    assert main(["list", "audits", "--json"]) == 0
    audits = {row["name"]: row for row in strict(capsys.readouterr().out)}
    assert list(audits) == list(AUDITS)
    assert audits["mechanism"]["methods"] == list(METHODS)
    assert audits["white-box"]["methods"] == list(AUDITS["white-box"].methods)
    assert {option["name"] for option in audits["mechanism"]["options"]} >= {"trials", "confidence"}
    assert main(["list", "audits"]) == 0
    told = capsys.readouterr().out.splitlines()
    assert told[0].split() == ["name", "covers", "about"]
    assert [line.split()[0] for line in told[1:]] == list(AUDITS)
    assert main(["list", "datasets"]) == 0
    assert "karate" in capsys.readouterr().out


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
        (float, {"low": 0.01, "high": 1000}, "0.01 to 1000"),
        (float, {"low": 0, "high": 0.1, "least": 1e-50}, "0, or 1e-50 to 0.1"),
        (float, {"low": 0, "least": 0.5}, "0, or at least 0.5"),
        (int, {"low": 1}, "at least 1"),
        (int, {"high": 10**7}, "at most 10000000"),
        (int, {}, "-"),
        (bool, {}, "true, false"),
        (str, {"choices": ("edge", "node")}, "edge, node"),
        (str, {"choices": tuple("abcdefghijklmnopqrstuvwxyz")}, "a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r,"
         " s, t and 6 others"),
    ],
)  # fmt: skip
def test_bounds_and_choices_in_words(kind: type, bounds: dict[str, Any], words: str) -> None:
    assert admitted(Parameter("x", kind, 0, Option("", **bounds))) == words
