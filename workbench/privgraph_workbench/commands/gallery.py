"""`privgraph gallery`: the finished runs that came with the program, and any of them run again."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from typing import Any

from privgraph.options import short
from privgraph.runs import gallery
from privgraph.runs.spec import RunSpec
from privgraph_workbench.commands.output import json_line
from privgraph_workbench.commands.parser import UsageError
from privgraph_workbench.facts import plans

SHOWN = ("test_accuracy", "val_accuracy", "sound_epsilon", "published_epsilon", "delta")
"""Numbers that are printed of a run."""


def gallery_command(parsed: argparse.Namespace) -> int:
    """Print the gallery, one of its runs with the command that repeats it, or both results side by side."""
    chapters = gallery.content()
    if parsed.run is None:
        if parsed.again:
            raise UsageError("say which run of the gallery is to be run again")
        _print_all(chapters, as_json=parsed.json)
        return 0
    one = _find(chapters, parsed.run)
    kept = {name: one["run"][name] for name in SHOWN}
    told: dict[str, Any] = {"run": one["run"]["id"], "version": one["version"], "kept": kept}
    if parsed.again:
        with tempfile.TemporaryDirectory() as folder:
            record = gallery.again(one, Path(folder))
            if record.state != "done":
                print(f"privgraph: the run is {record.state}: {record.error}", file=sys.stderr)
                return 1
            said = record.statement
            told["again"] = {
                **{name: record.metrics.get(name) for name in SHOWN[:2]},
                "sound_epsilon": said.epsilon if said else None,
                "published_epsilon": said.epsilon_as_published if said else None,
                "delta": said.delta if said else None,
            }
    spec = RunSpec.from_json(one["run"]["spec"])
    told["with its own noise"] = f"privgraph gallery {spec.id} --again"
    told["with noise of yours"] = plans.command_line(spec)
    if parsed.json:
        print(json_line(told))
        return 0
    for name, value in told.items():
        if isinstance(value, dict):
            print(
                f"{name}: " + ", ".join(f"{key.replace('_', ' ')} {_number(number)}" for key, number in value.items())
            )
        else:
            print(f"{name}: {value}")
    return 0


def _number(value: Any) -> str:
    return "none" if value is None else f"{value:.6g}" if isinstance(value, float) else str(value)


def _print_all(chapters: dict[str, list[dict[str, Any]]], *, as_json: bool) -> None:
    if as_json:
        print(json_line({chapter: [one["run"]["id"] for one in found] for chapter, found in chapters.items()}))
        return
    for chapter, found in chapters.items():
        print(f"{chapter}: {len(found):,} runs")
        for one in found:
            print(f"  {one['run']['id']}")


def _find(chapters: dict[str, list[dict[str, Any]]], beginning: str) -> dict[str, Any]:
    found = {
        one["run"]["id"]: one for all_ in chapters.values() for one in all_ if one["run"]["id"].startswith(beginning)
    }
    if len(found) != 1:
        what = "no run" if not found else f"{len(found)} runs"
        raise UsageError(f"the gallery has {what} whose id begins with {short(beginning)}")
    return next(iter(found.values()))
