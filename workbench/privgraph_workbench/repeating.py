"""What holds of a command that makes a run again. Noise hangs on the noise key of a home, so that the same
command under another key gives the same setting and id, and another accuracy."""

from __future__ import annotations

from collections.abc import Sequence

from privgraph.runs.records import RunRecord
from privgraph_workbench.tables import noise_is_public
from privgraph_workbench.words.naming import unit_of

DIFFERS = "the same setting with noise of your own key: accuracy will differ"
INSTALLED = (
    "# In a copy of its repository `make app` makes .venv and installs pinned packages; Python 3.11 or newer and make\n"
    '# are all that is needed. Then, there: PATH="$PWD/.venv/bin:$PATH" sh reproduce.sh'
)
"""How the program is had, in the words of its README."""
OF_PROGRAM = "The noise told here is drawn by a public key, which comes with the program"
SECRET = (
    "This report names the seed of the run. Its noise is pseudo-random: whoever knows the "
    "installation's noise key, and what was run, can subtract it. The key is never in a report; where "
    "the model or its predictions are released, share the version without the seed, so that all hangs "
    "on the key alone."
)
PUBLIC_KEY = (
    "This report names seeds. Leaving them out does not help to hide anybody here: the noise key is public, so that "
    "anybody who tries seeds can subtract the noise. Train again, with a key of your own, before anything is released."
)
SOME_PUBLIC = (
    "Of the runs whose noise is public, leaving seeds out does not help: anybody who tries seeds can subtract it."
)
SECRETS = (SECRET, PUBLIC_KEY, f"{SECRET} {SOME_PUBLIC}")
"""All that `secret` may say."""


def private(records: Sequence[RunRecord]) -> list[RunRecord]:
    """Those whose result hangs on a noise key."""
    return [one for one in records if unit_of(one) != "none"]


def by_gallery(record: RunRecord) -> bool:
    """Whether `privgraph gallery` repeats it with the noise that it had."""
    return record.gallery and bool(private([record])) and noise_is_public(record)


def makes(records: Sequence[RunRecord], share: bool = False) -> str:
    """What the commands of runs of one setting make, as the beginning of a sentence that ends in a colon.
    With `share` there is one command, without its seed."""
    noisy, many = private(records), len(records) > 1
    if share:
        if not noisy:
            return "This command makes such a run; with the seed that is withheld here, the same one"
        return f"With any seed this command makes {DIFFERS}"
    subject = "These commands make" if many else "This command makes"
    if not noisy:
        return f"{subject} the same run{'s' * many}"
    if all(map(noise_is_public, noisy)):
        return f"{OF_PROGRAM}. {subject} {DIFFERS}"
    theirs = "these runs were" if many else "this run was"
    return (
        f"{subject} the same run{'s' * many} only in a home with the noise key of the home where {theirs} made. "
        f"Elsewhere {subject[:1].lower()}{subject[1:]} {DIFFERS}"
    )


def again(record: RunRecord) -> str:
    """What comes out where a run of this setting is repeated, in a sentence for its statement."""
    if not private([record]):
        return "Repeated with its seed, a run is the same."
    if noise_is_public(record):
        return f"Repeated, a run is {DIFFERS}."
    return f"Repeated with its seed in a home with the same noise key, a run is the same; elsewhere {DIFFERS}."


def head(records: Sequence[RunRecord], *, attacked: bool = False) -> str:
    """What to expect of a script that makes all these runs again, as its comments; `attacked`: and attacks or
    audits of them."""
    noisy = private(records)
    public = [one for one in noisy if noise_is_public(one)]
    told = ["Runs without noise come out the same."] * (len(noisy) < len(records))
    if public:
        told += ["Where noise is drawn by the public key that comes with the program, a run here is", f"{DIFFERS}."]
    if any(map(by_gallery, public)):
        told += ["A run that came with the program is the same, its noise too, by: privgraph gallery ID --again"]
        told += ["(its line stands above its command)."]
    if len(public) < len(noisy):
        told += ["Noise of an own key: the same run only in a home with the same noise key; elsewhere", f"{DIFFERS}."]
    told += ["Attacks and audits draw by the noise key as well: what they find will differ a little."] * attacked
    return "\n".join(f"# {one}" for one in told)


def secret(records: Sequence[RunRecord]) -> str:
    """What whoever gives away a report with seeds must know."""
    public, noisy = [one for one in records if noise_is_public(one)], private(records)
    if public and len(public) == len(noisy):
        return PUBLIC_KEY
    return f"{SECRET} {SOME_PUBLIC}" if public else SECRET
