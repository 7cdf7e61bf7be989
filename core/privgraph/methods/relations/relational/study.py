"""PvGaLM's tables and figures on graphs that are at hand, as stored runs: python -m
privgraph.methods.relations.relational.study.

Everything that it trains is a run of the store, so that the pages show it, and an interrupted study goes on
where it was. Tables are made of whatever runs are done: mean and standard deviation over seeds (a seed draws
the adapter's first weights, the relations that are asked about, the batches and the noise). The paper's
graphs are not at hand; where each comes from is told in the data's README.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from privgraph.options import Scalar
from privgraph.runs.store import RunStore
from privgraph.studies.cells import Cell, Options, Part, Read, command, percent, table

TAG = "study-relations"
DOMAINS: Mapping[str, tuple[str, str]] = {
    "products": ("kitchen", "garden"),
    "cora-titles": ("artificial intelligence", "systems"),
    "debian-packages": ("application", "libraries"),
}
"""The two domains of each graph: each is learnt from once, and predicted in once."""
SHOTS = 16
AT_ONCE = 4
"""Cells that are trained before tables are made anew."""
STUDIED = "products"
NEGATIVES = (1, 2, 4, 8, 16)
BATCHES = (16, 32, 64, 128)
RATES = (0.001, 0.003, 0.01)
CLIPS = (0.01, 0.1, 1.0, 10.0, 100.0)
NOISES = (0.5, 0.7, 1.0, 1.5, 2.5)
PUBLISHED: Options = {"accounting": "published"}
"""Rate and delta by the number of relations, as the paper has them and these tables were made."""
LEVELS: Mapping[str, tuple[str, Options]] = {
    "∞": ("relational", {"unit": "none"}),
    "10, randomised response": ("relation-rand", {"epsilon": 10.0}),
    "10": ("relational", {"epsilon": 10.0, **PUBLISHED}),
    "4, randomised response": ("relation-rand", {"epsilon": 4.0}),
    "4": ("relational", {"epsilon": 4.0, **PUBLISHED}),
}
"""Rows of Tables 1 to 3: how much privacy, and by which method."""
STRONGER: Mapping[str, tuple[str, Options]] = {
    "2, randomised response": ("relation-rand", {"epsilon": 2.0}),
    "2": ("relational", {"epsilon": 2.0, **PUBLISHED}),
    "1, randomised response": ("relation-rand", {"epsilon": 1.0}),
    "1": ("relational", {"epsilon": 1.0, **PUBLISHED}),
}
"""More privacy than the paper tried; trained for the examples."""
Domains = tuple[str, str, str]
"""A graph, the domain that is learnt from, and the one that is predicted in."""


def cell(where: Domains, level: str) -> Cell:
    """One level of privacy on one pair of domains."""
    dataset, learnt, predicted = where
    method, given = {**LEVELS, **STRONGER}[level]
    return Cell.of(method, dataset, {"trained_on": learnt, "tested_on": predicted, "shots": SHOTS, **given})


def comparison(datasets: Sequence[str]) -> Part:
    """Tables 1, 2 and 3: prediction without and with 16 relations of the other domain, and classes."""
    pairs = [(dataset, *order) for dataset in datasets for order in (DOMAINS[dataset], DOMAINS[dataset][::-1])]
    cells = {(where, level): cell(where, level) for where in pairs for level in LEVELS}

    def text(read: Read, _: RunStore) -> str:
        def rows(metrics: tuple[str, str]) -> list[tuple[str, ...]]:
            found = []
            for where in pairs:
                dataset, learnt, predicted = where
                first = read(cells[where, "∞"])
                name = f"{dataset}, {learnt} → {predicted}"
                found.append((name, "base", *(percent(first, f"base_{one}") for one in metrics)))
                found += [
                    (name, level, *(percent(read(cells[where, level]), f"test_{one}") for one in metrics))
                    for level in LEVELS
                ]
            return found

        heads = ("learnt from → predicted in", "epsilon")
        return "\n".join(
            told
            for told in (
                table(
                    "Table 1: partners found without any relation of the domain, in per cent.",
                    (*heads, "PREC@1", "MRR"),
                    rows(("accuracy", "mrr")),
                    names=2,
                ),
                table(
                    f"Table 2: the same once the encoder has learnt {SHOTS} relations of the domain.",
                    (*heads, "PREC@1", "MRR"),
                    rows(("few_shot_accuracy", "few_shot_mrr")),
                    names=2,
                ),
                table(
                    "Table 3: classes of texts, from 8 labelled ones of each.",
                    (*heads, "macro F1", "micro F1"),
                    rows(("macro_f1", "micro_f1")),
                    names=2,
                ),
            )
            if told
        )

    return Part("comparison", tuple(cells.values()), text)


def moved(**given: Scalar) -> Cell:
    """The method's defaults on the made-up products, with some options moved."""
    return Cell.of("relational", STUDIED, {**PUBLISHED, **given})


def options(_: Sequence[str]) -> Part:
    """Figures 2 and 3: one option after another, at epsilon 4 where noise is not what is moved."""
    lines: Mapping[str, Mapping[str, Cell]] = {
        "negatives k": {f"{k}": moved(negatives=k) for k in NEGATIVES},
        **{
            f"batch size b, learning rate {rate:g}": {f"{b}": moved(batch_size=b, learning_rate=rate) for b in BATCHES}
            for rate in RATES
        },
        "clip C": {f"{clip:g}": moved(clip=clip) for clip in CLIPS},
        "noise multiplier σ": {f"{noise:g}": moved(noise_multiplier=noise) for noise in NOISES},
    }
    cells = dict.fromkeys(one for line in lines.values() for one in line.values())

    def text(read: Read, _: RunStore) -> str:
        told = [
            (name, value, percent(read(one)), percent(read(one), "test_mrr"))
            for name, line in lines.items()
            for value, one in line.items()
        ]
        title = "Figures 2 and 3: what is moved, and all else as by default (epsilon 4, or what σ makes of it)."
        return table(title, ("option", "value", "PREC@1", "MRR"), told, names=2)

    return Part("options", tuple(cells), text)


PARTS = {"comparison": comparison, "options": options}


def main() -> None:
    """Train and tabulate."""
    command(
        "PvGaLM's tables on graphs that are at hand",
        PARTS,
        tuple(DOMAINS),
        TAG,
        AT_ONCE,
        Path(__file__).parent / "README.md",
    )


if __name__ == "__main__":
    main()
