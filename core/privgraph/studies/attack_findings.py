"""What the papers say of attacks, looked for here: python -m privgraph.studies.attack_findings.

Runs and attacks are those of the store: what is there is not made again.
"""

import argparse
import math
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from privgraph.attacks.options import AttackOptions
from privgraph.attacks.record import AttackRecord
from privgraph.privacy.rounding import lower, upper
from privgraph.runs.store import RunStore
from privgraph.studies.attacks import README, found, once
from privgraph.studies.cells import Cell, Part, done, table, train
from privgraph.studies.table import FINDINGS, write_into

TAG = "study-attack-findings"
PROMPTS = AttackOptions(shadows=16, targets=4)
STUDENTS = AttackOptions(targets=2)
TEACHERS = AttackOptions(shadows=12, targets=2)


@dataclass(frozen=True)
class Finding:
    """A sentence of a paper on an attack, and where it is looked for: `area` is what the paper reports."""

    title: str
    method: str
    given: tuple[tuple[str, str | int | float], ...]
    attack: str
    options: AttackOptions
    area: str

    def cell(self, dataset: str) -> Cell:
        """The runs that are attacked."""
        return Cell.of(self.method, dataset, dict(self.given))


def findings() -> tuple[Finding, ...]:
    """Those of PrivGNN (Appendix C, Figure 4) and of DP-GPL (Figures 2, 10 and 11)."""
    return (
        Finding("B1, attack-1", "gnn", (("trained_on", "private"),), "shadow", STUDENTS, "above 0.75"),
        Finding("PrivGNN, attack-1", "privgnn", (), "shadow", STUDENTS, "at most 0.54"),
        Finding(
            "PrivGNN, attack-2", "privgnn", (), "shadow", AttackOptions(targets=2, setting="attack-2"), "at most 0.54"
        ),
        *(
            Finding(f"prompt, {shots} shots of each class", "prompt", (("shots", shots),), "prompts", PROMPTS, area)
            for shots, area in ((1, "0.877 (1 in all)"), (2, ""), (5, "0.703 (5 in all)"))
        ),
        Finding("DP-GPL", "dp-gpl", (("epsilon", 8.0), ("shots", 5)), "bavaria", TEACHERS, "close to 0.5"),
        Finding(
            "DP-GPL+W",
            "dp-gpl",
            (("epsilon", 8.0), ("shots", 5), ("weighting", "private-centrality")),
            "bavaria",
            TEACHERS,
            "close to 0.5",
        ),
    )


def made(store: RunStore, chosen: Sequence[Finding], dataset: str, seeds: Sequence[int]) -> Iterator[str]:
    """Train and attack what is missing; a line for each attack."""
    for one in chosen:
        part = Part(name=dataset, cells=(one.cell(dataset),), text=lambda _read, _store: "")
        for _ in train(store, part, seeds, TAG, 1):
            for run in done(store, one.cell(dataset), seeds):
                yield once(store, run, one.attack, one.options)


def text(store: RunStore, chosen: Sequence[Finding], dataset: str, seeds: Sequence[int]) -> str:
    """The table in Markdown: a row for each finding of which a run was attacked."""
    rows = []
    for one in chosen:
        records = [found(store, run, one.attack, one.options) for run in done(store, one.cell(dataset), seeds)]
        told = [record for record in records if record is not None]
        if told:
            rows.append(_row(one, told))
    heads = ("finding", "attack", "sound epsilon", "seeds", "area, mean (range over models)", "bound", "paper")
    return table(f"On {dataset}, mean over seeds and attacked models.", heads, rows, names=2)


def _row(one: Finding, told: Sequence[AttackRecord]) -> tuple[str, ...]:
    areas = [area for record in told for area in record.areas]
    bounds = [record.bound for record in told if record.bound is not None]
    sound = max(record.sound for record in told)
    return (
        one.title,
        f"`{one.attack}`",
        "∞" if math.isinf(sound) else upper(sound, 3),
        str(len(told)),
        f"{statistics.mean(areas):.3f} ({min(areas):.3f} to {max(areas):.3f})",
        f">= {lower(max(bounds), 3)}" if bounds else "none",
        one.area,
    )


def main() -> None:
    """Train and attack what is missing, and print the table."""
    parser = argparse.ArgumentParser(description="What the papers say of attacks, looked for here.")
    parser.add_argument("--data", default="cora")
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2])
    parser.add_argument("--methods", nargs="+", choices=sorted({one.method for one in findings()}))
    parser.add_argument("--tables", action="store_true", help="make nothing: the table of what is there")
    parser.add_argument("--readme", action="store_true", help="put the table into the attacks' README as well")
    asked = parser.parse_args()
    store = RunStore.open()
    chosen = [one for one in findings() if asked.methods is None or one.method in asked.methods]
    if not asked.tables:
        for line in made(store, chosen, asked.data, asked.seeds):
            print(line, flush=True)
    shown = text(store, chosen, asked.data, asked.seeds) or "No run of the study was attacked yet.\n"
    if asked.readme:
        write_into(README, shown, FINDINGS)
    print(shown, flush=True)


if __name__ == "__main__":
    main()
