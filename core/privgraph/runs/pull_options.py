"""What a worker that pulls is told: its options, and the command that starts one. No torch.

>>> PullOptions(memory="8GB").memory_mb, PullOptions(device="cuda:1").asks
(8192.0, ('auto', 'cuda'))
"""

import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

from privgraph.options import Option, OptionError, check, parameters, short

_DEVICE = re.compile(r"cpu|cuda(:\d{1,3})?")
_MEMORY = re.compile(r"(\d+(?:\.\d+)?) ?([MGT])i?B", re.IGNORECASE)
_MIB = {"M": 1.0, "G": 2.0**10, "T": 2.0**20}


@dataclass(frozen=True, kw_only=True)
class PullOptions:
    """How a worker pulls. Raises `OptionError` for a device or memory that cannot be read."""

    forever: Annotated[bool, Option("go on until told to end (SIGTERM or Ctrl-C)")] = False
    idle: Annotated[float, Option("seconds without a run after which it ends", unit="s", low=0, high=1e6)] = 60.0
    device: Annotated[str, Option("cpu, cuda or cuda:NUMBER; empty is what the machine has")] = ""
    memory: Annotated[str, Option("leave runs that need more than this, such as 8GB; empty is all that there is")] = ""
    fetch: Annotated[bool, Option("also take runs whose data must be fetched first")] = False

    def __post_init__(self) -> None:
        check(self)
        if self.device and not _DEVICE.fullmatch(self.device):
            raise OptionError(f"device must be cpu, cuda or cuda:NUMBER (got {short(self.device)})")
        if self.memory and not _MEMORY.fullmatch(self.memory):
            raise OptionError(f"memory must be an amount such as 8GB or 500MB (got {short(self.memory)})")

    @property
    def memory_mb(self) -> float | None:
        """The limit in MiB; None where there is none."""
        found = _MEMORY.fullmatch(self.memory)
        return None if found is None else float(found[1]) * _MIB[found[2].upper()]

    @property
    def asks(self) -> tuple[str, ...]:
        """The devices that runs may ask for, of the device that was named; () where none was."""
        return ("auto", self.device.partition(":")[0]) if self.device else ()

    def visible(self, surroundings: Mapping[str, str]) -> str | None:
        """What `CUDA_VISIBLE_DEVICES` must be for the named device; None where it stays as it is.

        A number counts among the devices that are visible already: a batch system shows each job its own.
        """
        if self.device == "cpu":
            return ""
        _, colon, number = self.device.partition(":")
        if not colon:
            return None
        shown = [one for one in surroundings.get("CUDA_VISIBLE_DEVICES", "").split(",") if one]
        if not shown:
            return number
        if int(number) >= len(shown):
            raise OptionError(f"device must be one of the {len(shown)} that are visible here (got {self.device})")
        return shown[int(number)]

    def command(self) -> list[str]:
        """The command of a worker with these options."""
        return [sys.executable, "-P", "-m", "privgraph.runs.pulling", *flags(self)]


def flags(options: object) -> list[str]:
    """The options that are not at their defaults, as flags of a command."""
    words = []
    for one in parameters(type(options)):
        value = getattr(options, one.name)
        if value != one.default:
            words.append(f"--{one.name}" if one.type is bool else f"--{one.name}={value}")
    return words
