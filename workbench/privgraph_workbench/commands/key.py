"""`privgraph key`: which noise key the workers of the store have in common, by its fingerprint."""

from __future__ import annotations

import argparse

from privgraph.home import home
from privgraph.runs.records import StoreError
from privgraph.runs.store import RunStore
from privgraph.streams import fingerprint, noise_key


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
