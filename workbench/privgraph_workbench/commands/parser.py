"""The grammar of the command line, read from text/commands.toml, and the answer to a typing error."""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Mapping
from importlib import import_module
from typing import Any, NoReturn

from privgraph.options import nearest, parameters, short
from privgraph_workbench.text import texts

EXIT_CODES = "Exit codes: 0 done, 1 the run failed, 2 bad usage, 130 stopped by Ctrl-C."
LISTS = ("methods", "options", "datasets", "attacks", "audits", "runs")
INSTALL = "pip install 'privgraph[app]'"
FORMATS = ("json", "csv", "md", "svg", "pdf", "png")
MODULES = {"attack": "examine", "audit": "examine", "list": "lists", "watch": "runs", "stop": "runs"}
"""Modules of commands that have another name than their command."""


class UsageError(ValueError):
    """The command line does not say what can be done; the message is one sentence."""


class Parser(argparse.ArgumentParser):
    """A parser that raises one sentence where argparse prints its usage and ends the process."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message} (see {self.prog} --help)")


def make_parser() -> Parser:
    """The parser of all commands."""
    parser = Parser(
        prog="privgraph",
        description="Differentially private learning on graphs, in which no epsilon is wrong.",
        epilog=EXIT_CODES,
        allow_abbrev=False,
    )
    commands = parser.add_subparsers(dest="name", metavar="COMMAND", parser_class=Parser)
    shared, *_ = (words := texts("commands")).values()
    for name, said in words.items():
        if said is not shared:
            made = commands.add_parser(
                name,
                help=said["about"],
                description=textwrap.fill(said["about"]),
                epilog=EXIT_CODES,
                allow_abbrev=False,
                formatter_class=argparse.RawDescriptionHelpFormatter,
            )
            arguments = {one: shared[one] for one in said.get("shared", ())} | said.get("arguments", {})
            for one, given in arguments.items():
                made.add_argument(one, **_argument(given))
            if "options" in said:
                _add_options(made, said["options"], switches=said.get("switches", False))
    return parser


def _argument(given: Any) -> dict[str, Any]:
    """The keywords of argparse for an entry of the file."""
    if isinstance(given, str):
        return {"help": given}
    if isinstance(given, list):
        return dict(zip(("metavar", "help", "default"), given, strict=False))
    if "switch" in given:
        return {"action": "store_true", "help": given["switch"]}
    if "each" in given:
        return {"action": "append", "default": [], **_argument(given["each"])}
    return {**given, **({"type": int} if "type" in given else {})}


def _add_options(parser: Parser, place: str, *, switches: bool) -> None:
    """A flag for each option of a class, None where it is not given."""
    module, _, name = place.partition(":")
    for one in parameters(getattr(import_module(module), name)):
        said = " ".join(
            [one.option.help]
            + ([f"({', '.join(map(str, one.option.choices))})"] if one.option.choices else [])
            + ([] if one.default == "" else [f"(default: {_word(one.default)})"])
        )
        if one.type is bool and switches:
            parser.add_argument(f"--{one.name}", action="store_true", default=None, help=said)
        else:
            metavar = "yes|no" if one.type is bool else one.name.upper()
            parser.add_argument(f"--{one.name}", metavar=metavar, help=said)


def _word(value: object) -> str:
    return ("yes" if value else "no") if isinstance(value, bool) else str(value)


def parse(parser: Parser, arguments: list[str]) -> argparse.Namespace:
    """The parsed command line. Raises `UsageError` with the nearest match of an unknown command or flag."""
    commands: Mapping[str, Parser] = next(
        action.choices for action in parser._actions if isinstance(action, argparse._SubParsersAction)
    )
    word = next((argument for argument in arguments if not argument.startswith("-")), None)
    if word is not None and word not in commands:
        raise UsageError(
            f"there is no command {short(word)}; commands are {', '.join(commands)}{nearest(word, commands)}"
        )
    parsed, left = parser.parse_known_args(arguments)
    if parsed.name is None:
        raise UsageError(f"say what to do: one of {', '.join(commands)} (see privgraph --help)")
    if left:
        flags = [flag for action in commands[parsed.name]._actions for flag in action.option_strings]
        raise UsageError(_unknown(left[0], parsed.name, flags))
    return parsed


def _unknown(argument: str, command: str, flags: list[str]) -> str:
    flag = argument.split("=")[0]
    if not flag.startswith("-"):
        return f"privgraph {command} does not know what to do with {short(argument)}"
    hint = nearest(flag, flags)
    if not hint and "--set" in flags:
        hint = f"; an option of the method is given as --set {short(flag).lstrip('-').replace('-', '_')}=VALUE"
    return f"privgraph {command} has no flag {short(flag)}{hint}"


def run(parsed: argparse.Namespace) -> int:
    """Run the command, whose module is imported now, so that no other command waits for it."""
    module = import_module(f"privgraph_workbench.commands.{MODULES.get(parsed.name, parsed.name)}")
    code: int = getattr(module, f"{parsed.name}_command")(parsed)
    return code
