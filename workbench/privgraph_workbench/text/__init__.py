"""What the workbench says: Markdown and TOML beside this file, and their loader. No Streamlit."""

from __future__ import annotations

import re
import tomllib
from functools import lru_cache
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
_SLOT = re.compile(r"\{(\w+)\}")


@lru_cache(maxsize=64)
def texts(name: str) -> dict[str, Any]:
    """The entries of `name`.toml."""
    return tomllib.loads((FOLDER / f"{name}.toml").read_text())


@lru_cache(maxsize=64)
def page(name: str) -> tuple[str, str]:
    """What stands on top of a page, and what its popover "How to read this" holds, of `name`.md."""
    top, _, reading = ("\n" + (FOLDER / f"{name}.md").read_text()).partition("\n---\n")
    return top.strip(), reading.strip()


def fill(text: str, **slots: object) -> str:
    """Put values into the slots of a text, such as {epsilon}.

    Raises `ValueError` for a missing or an unused slot.
    """
    named = set(_SLOT.findall(text))
    if named != set(slots):
        raise ValueError(f"slots are {sorted(named)}, given were {sorted(slots)}")
    return _SLOT.sub(lambda found: str(slots[found[1]]), text)
