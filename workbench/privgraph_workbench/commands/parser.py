"""The grammar of the command line, read from text/commands.toml."""

import argparse
from collections.abc import Mapping
from importlib import import_module
from typing import Any, NoReturn

from privgraph.options import parameters, short
from privgraph_workbench.text import texts

EXIT_CODES = "Exit codes: 0 done, 1 the run failed, 2 bad usage, 130 stopped by Ctrl-C."
INSTALL = "pip install 'privgraph[app]'"
LONGEST = 400
"""Letters of an error: what was typed may be of any length."""


class UsageError(ValueError):
    """The command line does not say what can be done; the message is one sentence."""


class Parser(argparse.ArgumentParser):
    """A parser that raises one sentence where argparse prints its usage and ends the process."""

    def error(self, message: str) -> NoReturn:
        told = message if len(message) <= LONGEST else short(message)
        raise UsageError(f"{told} (see {self.prog} --help)")


def make_parser() -> Parser:
    """The parser of all commands."""
    about = "Differentially private learning on graphs, in which no epsilon is wrong."
    parser = Parser(prog="privgraph", description=about, epilog=EXIT_CODES, allow_abbrev=False)
    commands = parser.add_subparsers(dest="name", metavar="COMMAND", required=True, parser_class=Parser)
    shared, *_ = (words := texts("commands")).values()
    for name, said in words.items():
        if said is not shared:
            about = said["about"]
            made = commands.add_parser(name, help=about, description=about, epilog=EXIT_CODES, allow_abbrev=False)
            made.set_defaults(module=said.get("module", name))
            arguments = {one: shared[one] for one in said.get("shared", ())} | said.get("arguments", {})
            for one, given in arguments.items():
                made.add_argument(one, **_argument(given))
            if "options" in said:
                _add_options(made, said["options"], switches=said.get("switches", False))
    return parser


def whole(text: str) -> int:
    """A number of things."""
    if not (text.isascii() and text.isdecimal()):
        raise argparse.ArgumentTypeError(f"must be a whole number, 0 or more (got {short(text)})")
    return int(text)


def floats(text: str) -> list[float]:
    """Numbers with commas between them, each once."""
    return sorted({float(word) for word in text.replace(",", " ").split()})


def pair(text: str) -> tuple[str, str]:
    """A name and its value."""
    name, separator, value = text.partition("=")
    if not separator or not name:
        raise argparse.ArgumentTypeError(f"takes KEY=VALUE (got {short(text)})")
    return name.strip().replace("-", "_"), value


def several(text: str) -> tuple[str, list[str]]:
    """A name and its values."""
    name, value = pair(text)
    if not all(values := [one.strip() for one in value.split(",")]):
        raise argparse.ArgumentTypeError(f"takes NAME=VALUE,VALUE (got {short(text)})")
    return name, values


TYPES: Mapping[str, Any] = {one.__name__: one for one in (str, float, floats, pair, several)} | {"int": whole}


def _argument(given: Any) -> dict[str, Any]:
    """The keywords of argparse for an entry of the file."""
    if isinstance(given, str):
        return {"help": given}
    if isinstance(given, list):
        return _argument(dict(zip(("metavar", "help", "default"), given, strict=False)))
    if "switch" in given:
        return {"action": "store_true", "help": given["switch"]}
    if "each" in given:
        return {"action": "append", "default": [], **_argument(given["each"])}
    return {**given, "type": TYPES[given.get("type", type(given.get("default", "")).__name__)]}


def _add_options(parser: Parser, place: str, *, switches: bool) -> None:
    """A flag for each option of a class, None where it is not given."""
    module, _, name = place.partition(":")
    for one in parameters(getattr(import_module(module), name)):
        default = {True: "yes", False: "no"}[one.default] if isinstance(one.default, bool) else one.default
        choices = f" ({', '.join(map(str, one.option.choices))})" if one.option.choices else ""
        said = f"{one.option.help}{choices}" + ("" if default == "" else f" (default: {default})")
        if one.type is bool and switches:
            parser.add_argument(f"--{one.name}", action="store_true", default=None, help=said)
        else:
            metavar = "yes|no" if one.type is bool else one.name.upper()
            parser.add_argument(f"--{one.name}", metavar=metavar, help=said)


def parse(parser: Parser, arguments: list[str]) -> argparse.Namespace:
    """The parsed command line. Raises `UsageError`."""
    parsed, left = parser.parse_known_args(arguments)
    if left:
        hint = "; an option of the method is given as --set NAME=VALUE" if "set" in parsed else ""
        raise UsageError(f"privgraph {parsed.name} does not know {short(left[0])}{hint}")
    return parsed


def run(parsed: argparse.Namespace) -> int:
    """Run the command, whose module is imported now, so that no other command waits for it."""
    module = import_module(f"privgraph_workbench.commands.{parsed.module}")
    code: int = getattr(module, f"{parsed.name}_command")(parsed)
    return code
