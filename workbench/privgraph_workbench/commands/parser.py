"""The grammar of the command line, and what it says to a typing error."""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import NoReturn

from privgraph.attacks.options import AttackOptions
from privgraph.options import nearest, parameters, short
from privgraph.runs.engine_options import RETRIES, EngineOptions
from privgraph.runs.pull_options import PullOptions

EXIT_CODES = "Exit codes: 0 done, 1 the run failed, 2 bad usage, 130 stopped by Ctrl-C."
LISTS = ("methods", "options", "datasets", "attacks", "audits", "runs")
INSTALL = "pip install 'privgraph[app]'"
FORMATS = ("json", "csv", "md", "svg", "pdf", "png")


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
    for add in (
        _app,
        _run,
        _list,
        _show,
        _account,
        _audit,
        _attack,
        _export,
        _data,
        _examples,
        _compare,
        _tune,
        _report,
        _sweep,
        _worker,
        _watch,
        _stop,
        _key,
    ):
        add(commands)
    return parser


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


Commands = argparse._SubParsersAction


def _command(commands: Commands[Parser], name: str, about: str, module: str) -> Parser:
    """A command whose code is imported when it is used, so that `privgraph list` does not wait for it."""
    parser = commands.add_parser(
        name,
        help=about,
        description=textwrap.fill(about),
        epilog=EXIT_CODES,
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(command=_later(module, name))
    return parser


def _later(module: str, name: str) -> Callable[[argparse.Namespace], int]:
    def command(parsed: argparse.Namespace) -> int:
        code: int = getattr(import_module(f"privgraph_workbench.commands.{module}"), f"{name}_command")(parsed)
        return code

    return command


def _compare(commands: Commands[Parser]) -> None:
    made = _command(
        commands, "compare", "Which method for this graph? Train all that fit, and say what to take.", "compare"
    )
    made.add_argument("data", metavar="DATA", help="name of a data set (see: privgraph list datasets)")
    made.add_argument("--unit", required=True, help="what is to be protected: edge or node")
    made.add_argument("--epsilons", default="", metavar="E,E", help="budgets, with commas (default: four of them)")
    made.add_argument("--seeds", default="3", metavar="N", help="how many seeds each setting runs with")
    made.add_argument("--methods", default="", metavar="M,M", help="only these methods (default: all that fit)")
    made.add_argument(
        "--data-set", action="append", default=[], metavar="KEY=VALUE", help="an option of the data set; repeatable"
    )
    made.add_argument("--json", action="store_true", help="the last line of standard output is one JSON object")


def _tune(commands: Commands[Parser]) -> None:
    about = "Choose options, or an epsilon, by trials on private data, and pay for the choice."
    parser = _command(commands, "tune", about, "tune")
    _privacy(parser)
    parser.add_argument(
        "--data", required=True, metavar="NAME", help="name of a data set (see: privgraph list datasets)"
    )
    parser.add_argument(
        "--over", action="append", default=[], metavar="KEY=V,V", help="values of an option to choose among; repeatable"
    )
    parser.add_argument("--trials", default="20", metavar="N", help="how many trials on average (default: 20)")
    parser.add_argument(
        "--law",
        default="geometric",
        help="of the number of trials: geometric, logarithmic, negative-binomial, poisson, or fixed (pays for all)",
    )
    parser.add_argument("--shape", default="1", metavar="S", help="of the negative binomial law (default: 1)")
    parser.add_argument("--sampler", default="random", help="random, or tpe with --law fixed")
    parser.add_argument(
        "--accuracy",
        metavar="A",
        help="in place of --over and --epsilon: the smallest epsilon at which validation accuracy reaches it",
    )
    parser.add_argument("--lowest", default="0.1", metavar="E", help="the smallest epsilon to look at (default: 0.1)")
    parser.add_argument("--highest", default="10", metavar="E", help="the largest epsilon to look at (default: 10)")
    parser.add_argument("--steps", default="4", metavar="N", help="of that search: trials at most, 2 to 8 (default: 4)")
    parser.add_argument(
        "--score-noise",
        default="10",
        metavar="N",
        help="noise on the number of right validation nodes, where labels are private (default: 10 nodes)",
    )
    parser.add_argument("--seed", default="0", metavar="S", help="seed of every public random choice, the split too")
    parser.add_argument("--split", default="random", help="random (75/10/15 by seed), public or inductive")
    parser.add_argument("--device", default="auto", help="auto, cpu or cuda")
    parser.add_argument("--price", action="store_true", help="say what it would cost, and train nothing")
    parser.add_argument("--json", action="store_true", help="the last line of standard output is one JSON object")


def _report(commands: Commands[Parser]) -> None:
    made = _command(
        commands, "report", "Settings of runs as one report: a zip archive that is read without a network.", "report"
    )
    made.add_argument("runs", nargs="+", metavar="RUN", help="id of a run, or the beginning of one")
    made.add_argument("--out", default="report.zip", metavar="FILE", help="where to write it (default: report.zip)")
    made.add_argument("--title", default="", help="title of the report (default: what was run)")
    made.add_argument("--author", default="", help="who wrote it, on its first page")
    made.add_argument("--date", default="", help="of when it is, as it is to be printed (default: not dated)")
    made.add_argument("--remark", default="", help="what is said on its first page")
    made.add_argument("--no-notebook", action="store_true", help="leave out the notebook")
    made.add_argument("--no-appendix", action="store_true", help="a summary: the first page, and the figures")


def _examples(commands: Commands[Parser]) -> None:
    made = _command(
        commands, "examples", "Finished runs that came with privgraph, and any of them run again.", "examples"
    )
    made.add_argument("run", nargs="?", metavar="RUN", help="id of an example, or its beginning (default: all)")
    made.add_argument(
        "--again",
        action="store_true",
        help="run it again with the same noise, and say what came out beside what is kept",
    )
    made.add_argument("--json", action="store_true", help="print JSON")


def _app(commands: Commands[Parser]) -> None:
    made = _command(commands, "app", f"Start the workbench in the browser (it needs the extra app: {INSTALL}).", "app")
    made.add_argument("--host", default="127.0.0.1", help="address to serve at (default: this machine only)")
    made.add_argument("--port", type=int, default=None, help="port (default: 8501, or a free one)")
    made.add_argument("--no-browser", action="store_true", help="do not open a browser window")


def _privacy(parser: Parser, method: str = "name of a method (see: privgraph list methods)") -> None:
    """Flags that a run and its account share. Values stay text: the method's options say what is admitted."""
    parser.add_argument("method", metavar="METHOD", help=method)
    parser.add_argument("--unit", help="what one guarantee protects: edge, node or none")
    parser.add_argument("--epsilon", metavar="E", help="privacy budget; smaller is more private")
    parser.add_argument("--delta", metavar="D", help="chance of failure; 0 chooses by the size of the graph")
    parser.add_argument(
        "--accounting", help="calibrate the sound epsilon, or the published formula: sound or published"
    )
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="any other option of the method (see: privgraph list options METHOD); repeatable",
    )
    parser.add_argument(
        "--data-set", action="append", default=[], metavar="KEY=VALUE", help="an option of the data set; repeatable"
    )


def _run(commands: Commands[Parser]) -> None:
    parser = _command(commands, "run", "Train a method on a data set, and store the run like any other.", "run")
    _privacy(parser)
    parser.add_argument(
        "--data", required=True, metavar="NAME", help="name of a data set (see: privgraph list datasets)"
    )
    parser.add_argument("--seed", default="0", metavar="S", help="seed of every random choice of the run")
    parser.add_argument("--split", default="random", help="random (75/10/15 by seed), public or inductive")
    parser.add_argument("--device", default="auto", help="auto, cpu or cuda")
    parser.add_argument("--tag", action="append", default=[], help="put a tag on the run; repeatable")
    parser.add_argument("--json", action="store_true", help="the last line of standard output is one JSON object")


def _sweep(commands: Commands[Parser]) -> None:
    about = "Train a grid of options and seeds, on this machine or on a cluster; what is done already is not repeated."
    made = _command(commands, "sweep", about, "sweep")
    _privacy(made, method="name of a method, or several: gap,progap (see: privgraph list methods)")
    made.add_argument("--data", required=True, metavar="NAME", help="name of a data set (see: privgraph list datasets)")
    made.add_argument(
        "--over", action="append", default=[], metavar="NAME=V,V", help="an option and the values to try; repeatable"
    )
    made.add_argument("--seeds", default="0", metavar="S", help="seeds and ranges of them, such as 0-9 or 0,3,5")
    made.add_argument("--split", default="random", help="random (75/10/15 by seed), public or inductive")
    made.add_argument("--on", default="local", metavar="ENGINE", help="who trains: local, slurm or ray")
    made.add_argument(
        "--retries", default=str(RETRIES), metavar="N", help=f"tries anew where a worker was lost (default: {RETRIES})"
    )
    made.add_argument("--device", default="auto", help="auto, cpu or cuda")
    made.add_argument("--tag", action="append", default=[], help="put a tag on the runs; repeatable")
    detach = "print the ids and end: the engine trains them, or, of local, workers that pull"
    made.add_argument("--detach", action="store_true", help=detach)
    _flags(made, EngineOptions)
    made.add_argument("--json", action="store_true", help="one JSON object a run")


def _watch(commands: Commands[Parser]) -> None:
    about = "See how far runs are, such as those of a detached sweep, and wait until all are over."
    made = _chosen(commands, "watch", about)
    made.add_argument("--once", action="store_true", help="say how they stand now, and do not wait")
    made.add_argument("--json", action="store_true", help="one JSON object a run")


def _stop(commands: Commands[Parser]) -> None:
    _chosen(commands, "stop", "Stop runs: those that wait at once, those under way at their next step.")


def _chosen(commands: Commands[Parser], name: str, about: str) -> Parser:
    made = _command(commands, name, about, "runs")
    made.add_argument("runs", nargs="*", metavar="RUN", help="ids of runs, or their beginnings")
    made.add_argument("--tag", action="append", default=[], help="all runs with that tag; repeatable")
    return made


def _worker(commands: Commands[Parser]) -> None:
    about = "Take runs from the store and train them, until none is left for a while or somebody says so."
    _flags(_command(commands, "worker", about, "worker"), PullOptions)


def _flags(parser: Parser, options: type) -> None:
    for one in parameters(options):
        said = (
            one.option.help if one.type is bool or one.default == "" else f"{one.option.help} (default: {one.default})"
        )
        if one.type is bool:
            parser.add_argument(f"--{one.name}", action="store_true", help=said)
        else:
            parser.add_argument(f"--{one.name}", metavar=one.name.upper(), default=one.default, help=said)


def _key(commands: Commands[Parser]) -> None:
    about = "Show by fingerprints whether this home has the noise key of the store's workers."
    made = _command(commands, "key", about, "key")
    made.add_argument("--renew", action="store_true", help="let the key of this home count for the store from now on")


def _list(commands: Commands[Parser]) -> None:
    made = _command(commands, "list", "List what there is.", "tables")
    made.add_argument("what", metavar="|".join(LISTS), help="what to list")
    made.add_argument("method", nargs="?", metavar="METHOD", help="of options: the method whose options are listed")
    made.add_argument("--text", default="", help="of runs: only those with these words in id, options, note or tags")
    made.add_argument("--limit", type=int, default=50, help="of runs: at most so many, the newest first")
    made.add_argument("--json", action="store_true", help="one JSON array")


def _show(commands: Commands[Parser]) -> None:
    made = _command(commands, "show", "Show a stored run: its state, its numbers, and its privacy statement.", "show")
    made.add_argument("run", metavar="RUN", help="id of a run, or the beginning of one")
    made.add_argument("--log", action="store_true", help="also print its log")
    made.add_argument("--json", action="store_true", help="the last line of standard output is one JSON object")


def _account(commands: Commands[Parser]) -> None:
    about = "Print the noise and both epsilons of a method, without touching data."
    parser = _command(commands, "account", about, "account")
    _privacy(parser)
    parser.add_argument("--data", metavar="NAME", help="take the sizes of this data set from the catalogue")
    for name, meaning in (
        ("nodes", "number of nodes"),
        ("edges", "number of edges; an undirected edge counts once (default: 20 neighbours a node)"),
        ("train-nodes", "number of training nodes (default: 75%% of the nodes)"),
        ("features", "number of features"),
        ("classes", "number of classes"),
    ):
        parser.add_argument(f"--{name}", metavar="N", help=meaning)
    parser.add_argument("--directed", action="store_true", help="edges have a direction")
    parser.add_argument("--json", action="store_true", help="the last line of standard output is one JSON object")


def _audit(commands: Commands[Parser]) -> None:
    about = "Attack a stored run, and keep the empirical lower bound on epsilon beside the run."
    parser = _command(commands, "audit", about, "audit")
    parser.add_argument("run", metavar="RUN", help="id of a run that is done, or the beginning of one")
    parser.add_argument(
        "--audit",
        metavar="NAME",
        help="which audit (see: privgraph list audits; default: the first that does not refuse the run)",
    )
    parser.add_argument(
        "--trials", metavar="N", help="how often the mechanism is played, on both neighbouring datasets together"
    )
    parser.add_argument(
        "--canaries", metavar="N", help="gradients that a white-box audit adds to a training of its own"
    )
    parser.add_argument("--confidence", metavar="C", help="chance that the bound is right (default: 0.95)")
    parser.add_argument("--delta", metavar="D", help="delta at which epsilon is bounded (default: the run's own)")
    parser.add_argument("--seed", metavar="S", help="seed of the audit's own coins (default: 0)")
    parser.add_argument("--json", action="store_true", help="the last line of standard output is one JSON object")


def _attack(commands: Commands[Parser]) -> None:
    about = "Ask what an outsider can tell of who trained in a stored run, or of its edges: an ROC curve, a bound."
    parser = _command(commands, "attack", about, "attack")
    parser.add_argument("run", metavar="RUN", help="id of a run that is done, or the beginning of one")
    parser.add_argument(
        "attack",
        metavar="ATTACK",
        nargs="?",
        help="which attack (see: privgraph list attacks; default: the first of them)",
    )
    for one in parameters(AttackOptions):
        choices = f" ({', '.join(map(str, one.option.choices))})" if one.option.choices else ""
        parser.add_argument(
            f"--{one.name}",
            metavar="yes|no" if one.type is bool else one.name.upper(),
            help=f"{one.option.help}{choices} (default: {_words(one.default)})",
        )
    parser.add_argument("--json", action="store_true", help="the last line of standard output is one JSON object")


def _words(value: object) -> str:
    return ("yes" if value else "no") if isinstance(value, bool) else str(value)


def _export(commands: Commands[Parser]) -> None:
    about = "Write a run's numbers, curves and privacy statement to files."
    made = _command(commands, "export", about, "export")
    made.add_argument("run", metavar="RUN", help="id of a run, or the beginning of one")
    made.add_argument("--out", default=".", metavar="DIR", help="folder to write to, made if missing (default: here)")
    made.add_argument(
        "--format",
        action="append",
        default=[],
        metavar="|".join(FORMATS),
        help="repeatable (default: json, csv and md)",
    )


def _data(commands: Commands[Parser]) -> None:
    parser = _command(commands, "data", "Look at data sets, and add graphs that are too large for an upload.", "data")
    parser.add_argument(
        "what",
        metavar="list|show|check|path|add",
        help="list: all sets; show NAME: what is in it; check [NAME]: can it be loaded; path: the folder of raw "
        "files; add FILE ...: take in a graph of any size",
    )
    parser.add_argument(
        "names",
        nargs="*",
        metavar="NAME|FILE",
        help="name of a data set; or files: GraphML, or edges and nodes as CSV or Parquet, or edges and two npy files",
    )
    parser.add_argument("--title", default="", help="what people see in place of the name of an added graph")
    parser.add_argument(
        "--directed", action="store_true", help="edges of an added graph go from source to target alone"
    )
    parser.add_argument("--json", action="store_true", help="the last line of standard output is JSON")
