"""What outsiders find of private relations (PvGaLM, Table 4): python -m privgraph.studies.relation_attacks.

Runs are those of the method's own study, and attacks are those of the store: what is there is not made again.
"""

import argparse
import statistics
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from privgraph.attacks.options import AttackOptions
from privgraph.methods.relations.relational import study
from privgraph.privacy.rounding import lower
from privgraph.runs.store import RunStore
from privgraph.studies.attacks import found, once
from privgraph.studies.cells import Cell, Options, Part, done, table, train
from privgraph.studies.table import ATTACKED, write_into

ATTACK, OUTSIDER = "relations", AttackOptions(targets=1)
"""The attack of section 4.1, on one model a run: seeds repeat it."""
FALSE = 0.05
WHERE = (study.STUDIED, *study.DOMAINS[study.STUDIED])
README = Path(study.__file__).parent / "README.md"


SMALL: Options = {"products": 200}
"""A shop of 400 relations in a domain. The paper's comparison reads each of 2,000 relations 0.6 times, too
rarely to be remembered."""
OFTEN: Options = {"steps": 200}
"""Each of the 400 relations is read 16 times, and 32 where an attack leaves half of them out: without privacy
they are remembered. Chosen on seed 0, without privacy, for what the attack then finds."""


def cells() -> dict[str, Cell]:
    """The attacked runs of each level of privacy."""
    return {level: study.cell(WHERE, level) for level in study.LEVELS}


def remembered() -> dict[str, Cell]:
    """The same levels on a small shop whose relations are read often."""
    return {
        level: Cell.of(
            method,
            study.STUDIED,
            {"trained_on": WHERE[1], "tested_on": WHERE[2], **OFTEN, **given},
            SMALL,
        )
        for level, (method, given) in study.LEVELS.items()
    }


SETTINGS: Mapping[str, Callable[[], dict[str, Cell]]] = {
    f"{study.STUDIED}, as in the comparison": cells,
    f"{study.STUDIED}, {SMALL['products']} a domain, {OFTEN['steps']} steps": remembered,
}
"""What is attacked: the runs of each level, by what is trained on."""


def text(store: RunStore, seeds: Sequence[int]) -> str:
    """The tables in Markdown: a row for each level of which a run was attacked."""
    return "\n".join(told for name, made in SETTINGS.items() if (told := _text(name, made(), store, seeds)))


def _text(name: str, made: Mapping[str, Cell], store: RunStore, seeds: Sequence[int]) -> str:
    rows = []
    for level, cell in made.items():
        seen = [one for run in done(store, cell, seeds) if (one := found(store, run, ATTACK, OUTSIDER)) is not None]
        if not seen:
            continue
        rates = [rate.true for one in seen for rate in one.outcome.rates if rate.false == FALSE]
        tests = ["none" if one.signed_rank is None else f"{one.signed_rank:.2g}" for one in seen]
        bounds = [one.bound for one in seen if one.bound is not None]
        bound = f">= {lower(max(bounds), 3)}" if bounds else "none"
        rows.append((level, _spread(rates), _spread([one.outcome.area for one in seen]), ", ".join(tests), bound))
    title = (
        f"Table 4: `{ATTACK}` on {name}, {WHERE[1]} → {WHERE[2]}: relations that were learnt from beside as "
        "many that were left out; p-values of the signed-rank test seed by seed."
    )
    return table(title, ("epsilon", "TPR at 5% FPR, per cent", "area, per cent", "p", "largest bound"), rows, names=1)


def _spread(shares: Sequence[float]) -> str:
    spread = f" ± {100 * statistics.stdev(shares):.1f}" if len(shares) > 1 else ""
    return f"{100 * statistics.mean(shares):.1f}{spread}"


def main() -> None:
    """Train and attack what is missing, and print the table."""
    parser = argparse.ArgumentParser(description="What outsiders find of relations that were learnt from.")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--tables", action="store_true", help="make nothing: the table of what is there")
    parser.add_argument("--readme", action="store_true", help="put the table into the method's README as well")
    asked = parser.parse_args()
    store, seeds = RunStore.open(), range(asked.seeds)
    found = [cell for made in SETTINGS.values() for cell in made().values()]
    part = Part(name="relations", cells=tuple(found), text=lambda _read, _store: "")
    if not asked.tables:
        for _ in train(store, part, seeds, study.TAG, study.AT_ONCE):
            pass
        for cell in part.cells:
            for run in done(store, cell, seeds):
                print(once(store, run, ATTACK, OUTSIDER), flush=True)
    told = text(store, seeds) or "No run was attacked yet.\n"
    print(told, flush=True)
    if asked.readme:
        write_into(README, told, ATTACKED)


if __name__ == "__main__":
    main()
