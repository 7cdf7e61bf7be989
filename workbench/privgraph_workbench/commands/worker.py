"""`privgraph worker` and `privgraph key`: pull runs from the store; the noise key that its workers share."""

import argparse
import os
import sys

from privgraph.home import environment, home
from privgraph.runs.pull_options import PullOptions
from privgraph.runs.records import StoreError
from privgraph.runs.store import RunStore
from privgraph.streams import fingerprint, noise_key
from privgraph_workbench.commands.values import options_of


def worker_command(parsed: argparse.Namespace) -> int:
    """Check the options, and become the worker, which whoever waits for this process then signals."""
    options = options_of(parsed, PullOptions)
    options.visible(os.environ)
    command = options.command()
    sys.stdout.flush()
    sys.stderr.flush()
    os.execve(command[0], command, {**environment(), "PYTHONUNBUFFERED": "1"})


def key_command(parsed: argparse.Namespace) -> int:
    """Print both fingerprints; with `--renew` the key of this home counts from now on."""
    try:
        key = noise_key(home())
    except ValueError as error:
        raise StoreError(str(error)) from None
    store = RunStore.open()
    if parsed.renew:
        store.leases.renew(key)
        print("From now on this key counts: workers with another take no further run. What is done keeps its noise.")
    theirs = store.leases.fingerprint()
    print(f"this home   {fingerprint(key)}")
    print(f"the store   {theirs or 'none yet: who submits or works first decides'}")
    return 0 if theirs in ("", fingerprint(key)) else 1
