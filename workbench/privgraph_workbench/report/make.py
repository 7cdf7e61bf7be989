"""Make a report in a process of its own: python -m privgraph_workbench.report.make IN.json OUT.zip.

A line of standard output is the share that is done.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from privgraph.runs.store import RunStore
from privgraph_workbench.report.archive import pack
from privgraph_workbench.report.asked import Asked


def main(given: str, written: str) -> None:
    """Read what is asked, and write the archive, whole or not at all."""
    asked = Asked.read(json.loads(Path(given).read_text(encoding="utf-8")))
    draft = Path(f"{written}.part")
    draft.write_bytes(pack(asked, RunStore.open(), lambda share: print(f"{share:.3f}", flush=True)))
    draft.replace(written)


if __name__ == "__main__":
    main(*sys.argv[1:])
