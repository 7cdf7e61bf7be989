"""Records of arrays as npz files in a run's folder: written whole, and read back without pickles. No
torch."""

from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np


def write(record: Any, file: Path) -> None:
    """Write every field of a dataclass instance."""
    arrays = {one.name: np.asarray(getattr(record, one.name)) for one in fields(record)}
    np.savez_compressed(file, allow_pickle=False, **arrays)


def read(kind: type[Any], file: Path) -> dict[str, np.ndarray]:
    """The fields of a dataclass, by name; numbers and words come as arrays without dimensions.

    Raises `ValueError` where the file is not such a one, or `OSError`.
    """
    with np.load(file, allow_pickle=False) as held:
        missing = [one.name for one in fields(kind) if one.name not in held.files]
        if missing:
            raise ValueError(f"{file.stem}: the file lacks {', '.join(missing)}")
        return {one.name: held[one.name] for one in fields(kind)}
