"""The attack `shadow` as one of the table: PrivGNN's Appendix C on a stored run's method and options. Needs
torch."""

import time
from collections.abc import Iterator

from privgraph.attacks.judging import Implied, Play, judged
from privgraph.attacks.options import Attacked, AttackOptions
from privgraph.attacks.record import AttackRecord
from privgraph.attacks.shadow import ShadowAttack, ShadowOptions, shadow_attack
from privgraph.options import OptionError
from privgraph.progress import Progress
from privgraph.registry import attack as attack_spec
from privgraph.streams import stream_seed

NO_BOUND = (
    "no bound on epsilon follows: private and public nodes were parted before anything was trained, and differ in more "
    "than in having trained"
)
HALF = "each attacked model was trained with the run's options on half of the graph; the other half is the attacker's"


def attack(subject: Attacked, options: AttackOptions) -> Iterator[Progress | AttackRecord]:
    """Train pairs of a shadow and a target (`options.targets` of them), and judge the targets.

    Raises `OptionError` for runs and options that it refuses.
    """
    started, spec = time.monotonic(), attack_spec("shadow")
    refusal = spec.refuses(subject) or spec.unanswered(subject, options)
    if refusal:
        raise OptionError(refusal)
    yield Progress(step=0, total=1, stage="loading data")
    graph = subject.graph()
    how = ShadowOptions(
        setting=options.setting,
        seeds=options.targets,
        ordered=options.ordered,
        confidence=options.confidence,
        # the halves are drawn anew for a run of another seed: its attack is no copy of this one's
        seed=stream_seed(subject.seed, f"attack/shadow/{options.seed}") % 2**31,
    )
    found: ShadowAttack | None = None
    for event in shadow_attack(graph, subject.config, how, device=subject.device):
        if isinstance(event, Progress):
            yield event
        else:
            found = event
    assert found is not None
    plays = [
        Play(nodes=one.nodes, scores=one.scores, members=one.members, accuracy=one.accuracy) for one in found.trials
    ]
    seconds = time.monotonic() - started
    yield judged(
        "shadow",
        subject,
        options,
        plays,
        Implied(notes=(HALF, NO_BOUND)),
        graph,
        models=2 * len(plays),
        seconds=seconds,
    )
