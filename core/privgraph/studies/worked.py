"""What the Relations page opens on: python -m privgraph.studies.worked.

The example encoders are asked about a few texts of their data. To be made again where these are others.
"""

import tempfile
from dataclasses import replace
from pathlib import Path

from privgraph.data.describe import described
from privgraph.data.facts import Query
from privgraph.runs import examples, worked
from privgraph.runs.ask import Room
from privgraph.runs.questions import Asked, Question
from privgraph.runs.records import EXAMPLE
from privgraph.runs.spec import RunSpec
from privgraph.runs.store import RunStore
from privgraph.studies.examples import askable

TEXTS = 3
"""The first ones that the data's description has of the domain."""
NEIGHBOURS = 10


def question(store: RunStore, specs: list[RunSpec]) -> Question:
    """What is asked of the base encoder and of these runs, but for the text."""
    first = specs[0]
    return Question(
        text="-",
        data=first.dataset,
        data_options=tuple(sorted(first.data_options.items())),
        domain=str(first.options["tested_on"] or "garden"),
        neighbours=NEIGHBOURS,
        encoders=tuple(
            Asked(
                name=name,
                encoder=str(spec.options["encoder"]),
                max_tokens=int(spec.options["max_tokens"]),
                similarity=str(spec.options["similarity"]),
                folder=folder,
            )
            for name, spec, folder in [
                ("base", first, ""),
                *((EXAMPLE + one.id, one, str(store.folder(EXAMPLE + one.id))) for one in specs),
            ]
        ),
    )


def of_domain(asked: Question) -> list[str]:
    """Texts of the domain that have a partner."""
    found = described(Query(name=asked.data, options=dict(asked.data_options)))
    (samples,) = (one["samples"] for one in found["domains"] if one["name"] == asked.domain)
    return list(dict.fromkeys(text for text, _ in samples))[:TEXTS]


def main() -> None:
    """Ask, and write the file."""
    with tempfile.TemporaryDirectory() as folder:
        store = examples.open_store()
        asked, room = question(store, askable()), Room(Path(folder) / "vectors")
        found = {
            text: room.answer(replace(asked, text=text), lambda share, stage: print(f"{share:.0%} {stage}", flush=True))
            for text in of_domain(asked)
        }
        print(worked.write(asked, found), flush=True)
        store.close()


if __name__ == "__main__":
    main()
