"""`privgraph worker`: this process becomes a worker that pulls runs from the store."""

from __future__ import annotations

import argparse
import os
import sys

from privgraph.home import environment
from privgraph.runs.pull_options import PullOptions
from privgraph_workbench.commands.values import options_of


def worker_command(parsed: argparse.Namespace) -> int:
    """Check the options, and become the worker, which whoever waits for this process then signals."""
    options = options_of(parsed, PullOptions)
    options.visible(os.environ)
    command = options.command()
    sys.stdout.flush()
    sys.stderr.flush()
    os.execve(command[0], command, {**environment(), "PYTHONUNBUFFERED": "1"})
