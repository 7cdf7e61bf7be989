"""DP-GPL's Figure 2 and Algorithm 1, setting by setting: python -m privgraph.studies.prompt_shots.

k shots in all, 50 k other candidates, 100 attacked prompts; then what the paper leaves open, one at a time:
how long a prompt is tuned, on which graph the network was pre-trained, and which prompt it is. Cells that
stand in the file `--out` are not made again.
"""

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from privgraph import attacks
from privgraph.attacks.prompts import SCORES, PromptAttack, PromptMembership, attack_prompts
from privgraph.data.load import load
from privgraph.methods.prompts.prompt.config import Config
from privgraph.studies.cells import table
from privgraph.studies.table import PROMPTS, write_into

README = Path(next(iter(attacks.__path__))) / "README.md"
SHOWN = ("lira", "threshold", "rmia", "bavaria")
OTHERS = 50
"""Non-members for each shot (section 3)."""


@dataclass(frozen=True)
class Setting:
    """Shots, and the options of the prompt that differ from the defaults."""

    shots: int
    options: tuple[tuple[str, str | int], ...] = ()

    @property
    def title(self) -> str:
        return ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in self.options) or "default options"


def settings(dataset: str) -> tuple[Setting, ...]:
    """k = 1 to 5, and at k = 5 one option after another."""
    other = "citeseer" if dataset == "cora" else "cora"
    changed: Sequence[tuple[str, str | int]] = (
        ("epochs", 5),
        ("epochs", 20),
        ("pretrain_on", other),
        ("prompt", "gppt"),
        ("prompt", "gpf"),
        ("prompt", "all-in-one"),
    )
    default = Config()
    moved = [Setting(5, (one,)) for one in changed if getattr(default, one[0]) != one[1]]
    return (*(Setting(shots) for shots in range(1, 6)), *moved)


def attacked(dataset: str, setting: Setting, pairs: int, repetitions: int) -> dict[str, tuple[float, float, float]]:
    """Mean area and its interval over the attacked prompts, by score."""
    graph = load(dataset, split_seed=0)
    how = PromptAttack(shots=setting.shots, targets=(OTHERS + 1) * setting.shots, pairs=pairs, repetitions=repetitions)
    found = None
    for event in attack_prompts(graph, Config(**dict(setting.options)), how):  # type: ignore[arg-type]
        if isinstance(event, PromptMembership):
            found = event
    assert found is not None
    means = {name: found.mean_area(name) for name in SCORES}
    return {name: (mean.area, mean.low, mean.high) for name, mean in means.items()}


def text(dataset: str, kept: dict[str, dict[str, list[float]]], pairs: int, repetitions: int) -> str:
    """The table in Markdown, of the settings that were made."""
    rows = []
    for setting in settings(dataset):
        said = kept.get(key(dataset, setting, pairs, repetitions))
        if said is None:
            continue
        area, low, high = said["lira"]
        others = (f"{said[name][0]:.3f}" for name in SHOWN[1:])
        rows.append((str(setting.shots), setting.title, f"{area:.3f} ({low:.3f} to {high:.3f})", *others))
    heads = ("shots in all", "prompt", "LiRA", "confidence alone", "RMIA", "BaVarIA")
    title = (
        f"On {dataset}, 51 candidates a shot, {pairs} pairs, mean area over {repetitions} prompts with a 95% interval."
    )
    return table(title, heads, rows, names=2) if rows else ""


def key(dataset: str, setting: Setting, pairs: int, repetitions: int) -> str:
    """Under which a cell is kept."""
    return json.dumps([dataset, setting.shots, setting.options, pairs, repetitions])


def main() -> None:
    """Make what is missing, and print the tables."""
    parser = argparse.ArgumentParser(description="LiRA on prompts, setting by setting.")
    parser.add_argument("--data", nargs="+", default=["cora", "citeseer"])
    parser.add_argument("--pairs", type=int, default=32)
    parser.add_argument("--repetitions", type=int, default=100)
    parser.add_argument("--out", type=Path, default=Path("study-prompt-shots.json"))
    parser.add_argument("--tables", action="store_true", help="make nothing: the tables of what is there")
    parser.add_argument("--readme", action="store_true", help="put the tables into the attacks' README as well")
    asked = parser.parse_args()
    kept = json.loads(asked.out.read_text()) if asked.out.exists() else {}
    for dataset in () if asked.tables else asked.data:
        for setting in settings(dataset):
            name = key(dataset, setting, asked.pairs, asked.repetitions)
            if name not in kept:
                kept[name] = attacked(dataset, setting, asked.pairs, asked.repetitions)
                asked.out.write_text(json.dumps(kept, indent=1))
                print(name, kept[name], flush=True)
    shown = "\n".join(text(dataset, kept, asked.pairs, asked.repetitions) for dataset in asked.data)
    if asked.readme:
        write_into(README, shown, PROMPTS)
    print(shown, flush=True)


if __name__ == "__main__":
    main()
