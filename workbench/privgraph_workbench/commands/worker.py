"""`privgraph worker`: this process becomes a worker that pulls runs from the store."""

from __future__ import annotations

import argparse
import os
import sys

from privgraph.home import environment
from privgraph.options import build, parameters
from privgraph.runs.pull_options import PullOptions


def worker_command(parsed: argparse.Namespace) -> int:
    """Check what was asked, and become the worker, which whoever waits for this process then signals."""
    options = asked(parsed)
    options.visible(os.environ)
    command = options.command()
    sys.stdout.flush()
    sys.stderr.flush()
    os.execve(command[0], command, {**environment(), "PYTHONUNBUFFERED": "1"})


def asked(parsed: argparse.Namespace) -> PullOptions:
    """What the command line tells the worker. Raises `OptionError`."""
    return build(PullOptions, {one.name: getattr(parsed, one.name) for one in parameters(PullOptions)})
