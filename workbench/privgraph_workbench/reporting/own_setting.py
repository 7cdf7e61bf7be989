"""By what the runs of a report belong together: their setting, and whose noise they have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Sequence

from privgraph.runs.records import RunRecord
from privgraph_workbench.facts.expecting import METRIC, reached
from privgraph_workbench.facts.row_words import counted
from privgraph_workbench.tables import noise_is_public
from privgraph_workbench.words import naming
from privgraph_workbench.words.markup import capital
from privgraph_workbench.words.measures import measure
from privgraph_workbench.words.naming import unit_of
from privgraph_workbench.words.numbers import percent

PUBLIC, SECRET = "public noise", "secret noise"
GALLERY, OWN = "gallery", "own"
"""Where a run without noise is from."""
CAME, MADE = (PUBLIC, GALLERY), (SECRET, OWN)
"""Of what others are not given the one where a setting has the other: everybody can look up the seeds of what
came with the program."""


def noise_of(record: RunRecord) -> str:
    """Whose noise a run has: that of the program, or of a home; "" of none."""
    if unit_of(record) == "none" or record.statement is None:
        return ""
    return PUBLIC if noise_is_public(record) else SECRET


def setting(record: RunRecord) -> str:
    """Equal for repetitions of one setting with one kind of noise: means are over these."""
    return f"{naming.setting(record)} {noise_of(record)}".rstrip()


def origin_of(record: RunRecord) -> str:
    """Whose noise a run has, and where one that protects nobody is from; "" of one that tells neither."""
    if unit_of(record) == "none":
        return GALLERY if record.gallery else OWN
    return noise_of(record)


def mixed(origins: Container[str]) -> bool:
    """Whether among these are both what came with the program and what was made here."""
    return any(came in origins and made in origins for came, made in zip(CAME, MADE, strict=True))


def goes(record: RunRecord, mixed: Container[str]) -> bool:
    """Whether others are not given the run: it has public noise, or is the gallery's without noise, and its
    setting, one of these `mixed` ones, has runs of one's own."""
    return origin_of(record) in CAME and naming.setting(record) in mixed


def own_alone(records: Sequence[RunRecord]) -> list[RunRecord]:
    """The runs behind a mean that others are told: where one's own and the gallery's stand behind it, one's
    own; else all."""
    if not mixed({origin_of(one) for one in records}):
        return list(records)
    return [one for one in records if origin_of(one) in MADE]


def unmixed(runs: Sequence[RunRecord]) -> list[RunRecord]:
    """Of each setting the runs of one kind of noise: that of which there are more, else secret noise."""
    count = Counter((naming.setting(one), noise_of(one)) for one in runs)
    most: dict[str, tuple[int, bool, str]] = {}
    for (key, kind), runs_of in count.items():
        most[key] = max(most.get(key, (0, False, "")), (runs_of, kind == SECRET, kind))
    return [one for one in runs if most[naming.setting(one)][2] == noise_of(one)]


def aside(every: Sequence[RunRecord], same: Sequence[RunRecord], *, told: bool = False) -> str:
    """Of finished runs of one setting those with noise of another kind than `same`, which stand apart in a
    report: how many there are, and what they reached, unless that is `told`; "" where there are none."""
    apart = [one for one in every if noise_of(one) != noise_of(same[0]) and METRIC in one.metrics]
    if not apart:
        return ""
    score = measure(apart[0].spec.method)
    whole = reached(list({one.spec.seed: one for one in (*apart, *same) if METRIC in one.metrics}.values()))
    runs = f"{capital(counted(len(apart), 'run'))} of this setting with {noise_of(apart[0])}"
    stand = f"{runs} stand{'s' * (len(apart) == 1)} apart: {score} {percent(reached(apart).mean)}"
    return (
        f" {'They stand apart here' if told else stand}. The page Trade-offs has one mean of both kinds, "
        f"{percent(whole.mean)} over {counted(whole.seeds, 'seed')}."
    )
