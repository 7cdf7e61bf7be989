"""The command line `privgraph`: the contract that other tools rely on.

Exit codes: 0 done, 1 the run failed (or what was asked for could not be done), 2 bad usage; 130 where a run
was stopped by Ctrl-C. Results go to standard output, everything else to standard error. No torch: runs are
trained by workers, which are processes of their own.
"""

import os
import sys
from collections.abc import Sequence

from privgraph.data.errors import DataError
from privgraph.options import OptionError, UnknownName
from privgraph.runs.records import StoreError
from privgraph_workbench.commands.parser import INSTALL, UsageError, make_parser, parse, run

DONE, FAILED, USAGE = 0, 1, 2
OF_THE_APP = ("matplotlib", "plotly", "starlette", "streamlit", "uvicorn")
"""What the extra `app` brings, and the engine does without."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and give its exit code."""
    try:
        code = run(parse(make_parser(), list(sys.argv[1:] if arguments is None else arguments)))
        sys.stdout.flush()
        return code
    except (UsageError, OptionError, UnknownName) as error:
        return _refused(USAGE, str(error))
    except (StoreError, DataError) as error:
        return _refused(FAILED, str(error))
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in OF_THE_APP:
            raise
        return _refused(FAILED, f"this needs {error.name}, which comes with the extra app: {INSTALL}")
    except BrokenPipeError:
        # The reader (head, less) has gone; without this Python complains again when it closes the stream.
        with open(os.devnull, "wb") as nowhere:
            os.dup2(nowhere.fileno(), sys.stdout.fileno())
        return FAILED
    except OSError as error:
        place = f" {error.filename}" if error.filename else ""
        return _refused(FAILED, f"the file or folder{place} cannot be used ({error.strerror or error})")


def _refused(code: int, reason: str) -> int:
    print(f"privgraph: {reason}", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())
