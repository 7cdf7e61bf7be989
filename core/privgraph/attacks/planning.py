"""Which runs an attack refuses, what it costs, what its attacker knows: told before it starts. No torch."""

from privgraph.attacks.exchange import implies
from privgraph.attacks.options import Attacked, AttackOptions
from privgraph.audits.planning import in_words
from privgraph.methods.baselines.gnn.config import Config as GnnConfig
from privgraph.methods.prompts.dp_gpl.config import Config as DpGplConfig
from privgraph.methods.prompts.prompt.config import Config as PromptConfig
from privgraph.methods.relations.options import RelationOptions
from privgraph.methods.teachers.privgnn.config import Config as PrivGnnConfig
from privgraph.privacy.kinds import Neighbours
from privgraph.registry import METHODS

ASKED = {
    "linked": "with its edges in the graph",
    "alone": "with its features and no edge",
}
BLACK_BOX = "black box: it asks the trained model for the probabilities of classes, and sees nothing else of it"

ASKED_AGAIN = ("gnn", "edge-rand")
"""Methods whose model computes each answer from features and edges anew, without noise: who asks may change
the features. (The edges of EdgeRand are random before anything is asked.)"""


OWN_ANSWERS = ("gap", "progap", "heter-poisson", "dp-gnn")
"""Methods whose answer about a node of the graph reads true edges or records around it: at node level that is
not released."""


BEYOND = "more than the run releases"
"""Begins what is said of answers that no epsilon covers, in every version of stored attacks."""


def uncovered(subject: Attacked) -> tuple[str, ...]:
    """That the answers asked for are no part of what the run's epsilon covers, where they are not."""
    if subject.statement.unit != "node" or subject.method not in OWN_ANSWERS:
        return ()
    return (
        f"{BEYOND}. Its ε covers {subject.statement.released}. Whoever hands out the other answers hands out what is "
        "found here",
    )


def _trainings(count: int) -> str:
    return f"{count:,} training{'s' * (count != 1)}"


class MembershipPlan:
    """Planning of the attacks that ask models with other training nodes."""

    def __init__(self, *, shadows: bool) -> None:
        self._shadows = shadows

    def refuses(self, subject: Attacked) -> str | None:
        """It asks about every node of one graph, and has its training nodes drawn."""
        if not METHODS[subject.method].asked:
            return f"{subject.method} does not tell an attack what its model says of every node"
        if isinstance(subject.config, GnnConfig) and subject.config.parted:
            return "this run draws private and public nodes itself: the attack shadow is for it"
        if isinstance(subject.config, DpGplConfig) and not subject.config.shots:
            return "all private nodes teach in this run: give teachers a number of shots, and some are left to compare"
        return None

    def unanswered(self, subject: Attacked, options: AttackOptions) -> str | None:
        """Why these options do not do for the run's method, in one sentence, or None."""
        asked = METHODS[subject.method].asked
        missing = [way for way in options.ways if way not in asked]
        if not missing:
            return None
        return f"this method cannot be asked about a node {ASKED[missing[0]]}: choose {' or '.join(asked)}"

    def implies(self, subject: Attacked) -> bool:
        """Whether a bound on the epsilon that the run promises follows."""
        return implies(subject)

    def cost(self, subject: Attacked, options: AttackOptions) -> str:
        """In trainings, and in seconds where the run's own are known."""
        apart = f" ({options.shadows:,} shadow, {options.targets:,} attacked)" if self._shadows else ""
        kept = "; they are kept, so that the next attack with as many models and the same seed takes seconds"
        trained = _trainings(options.shadows * self._shadows + options.targets)
        took = _took(self.seconds(subject, options))
        return f"{trained} like the run's own{apart}{took}{kept if self._shadows else ''}"

    def seconds(self, subject: Attacked, options: AttackOptions) -> float | None:
        """How long it takes on a quiet machine; None where the run's own time is not known."""
        return _seconds(subject, options.shadows * self._shadows + options.targets, share=_share(subject))

    def knows(self, subject: Attacked, options: AttackOptions) -> tuple[str, ...]:
        """What the attacker knows and sees, in sentences."""
        lines = [
            BLACK_BOX,
            f"it knows each node's features and true class, and asks about a node "
            f"{' and '.join(ASKED[way] for way in options.ways)}",
        ]
        lines += uncovered(subject)
        if self._shadows:
            others = (
                "by other draws of those who teach"
                if METHODS[subject.method].own_parts
                else "on other training nodes of the same graph, as many as the run's"
            )
            lines.append(
                f"it knows the graph, the method and its options, and has trained {options.shadows:,} shadow models "
                f"{others}"
            )
        return tuple(lines)


class ShadowPlan:
    """Planning of the attack `shadow`, on students and on the network of private nodes."""

    def refuses(self, subject: Attacked) -> str | None:
        """It is for private and public parts of one graph."""
        config = subject.config
        if isinstance(config, PrivGnnConfig):
            return None
        if isinstance(config, GnnConfig) and config.trained_on == "private":
            return None
        return "the attack shadow is for privgnn, and for gnn trained on private nodes (trained_on=private)"

    def unanswered(self, subject: Attacked, options: AttackOptions) -> str | None:
        """Attack-2 needs a student, and labels that no gate hides."""
        if options.setting == "attack-1":
            return None
        if not isinstance(subject.config, PrivGnnConfig):
            return "attack-2 asks which public nodes were labelled by private ones: it needs privgnn"
        if subject.config.gate:
            return "attack-2 needs to know who was labelled, which a gate decides: take gate 0"
        return None

    def implies(self, subject: Attacked) -> bool:
        """Private and public nodes were parted before anything was trained: nothing follows for epsilon."""
        return False

    def cost(self, subject: Attacked, options: AttackOptions) -> str:
        """In trainings, and in seconds where the run's own are known."""
        pairs = options.targets
        return (
            f"{_trainings(pairs)} like the run's own on half of the graph, and {pairs:,} of a shadow network"
            f"{_took(_seconds(subject, 2 * pairs))}"
        )

    def knows(self, subject: Attacked, options: AttackOptions) -> tuple[str, ...]:
        """What the attacker knows and sees, in sentences."""
        asked = {
            "attack-1": "it asks who of private and public nodes is private",
            "attack-2": "it asks which public nodes the student learnt from",
        }
        return (
            BLACK_BOX,
            asked[options.setting],
            "it has another half of the graph, with labels, which the attacked model never saw, and trains a shadow "
            "network of the same kind there; a classifier learns to tell that network's training nodes from others",
        )


OTHERS = 10
"""Candidates for each shot that were not one, at least."""
FEWEST_CANDIDATES = 155
"""With these a false positive rate of 1% can be seen. (The paper has 50 others for each shot.)"""


def prompt_targets(shots: int, classes: int, private: int) -> int:
    """How many private nodes are candidates, of whom `shots` of each class are shots."""
    return min(private, max(FEWEST_CANDIDATES, (1 + OTHERS) * shots * classes))


class PromptPlan:
    """Planning of the attack `prompts`."""

    def refuses(self, subject: Attacked) -> str | None:
        """It is for prompts without protection."""
        if isinstance(subject.config, PromptConfig):
            return None
        return "the attack prompts is for the method prompt, whose shots it looks for"

    def unanswered(self, subject: Attacked, options: AttackOptions) -> str | None:
        """All options do; whether classes are large enough is seen with the data at hand."""
        return None

    def implies(self, subject: Attacked) -> bool:
        """Such a run promises nothing that could be refuted."""
        return False

    def cost(self, subject: Attacked, options: AttackOptions) -> str:
        """In prompts, which are tuned together."""
        return (
            f"as many prompts as it takes for each candidate to be a shot of {options.shadows:,} of them, tuned "
            "together on the run's network: a minute for a few shadow models, minutes for many; first the network is "
            "pre-trained where it was not kept"
        )

    def knows(self, subject: Attacked, options: AttackOptions) -> tuple[str, ...]:
        """What the attacker knows and sees, in sentences."""
        shots = options.shots or subject.config.shots
        return (
            BLACK_BOX,
            f"it knows the graph, the frozen network, the prompt's options, and candidates with their classes, of whom "
            f"{shots:,} of each class are the shots; it asks about each of them, with its public neighbours",
            f"it has tuned shadow prompts on other shots, drawn as the run's were, so that each candidate is a shot of "
            f"{options.shadows:,} of them or more, and none of the others",
        )


class LinkPlan:
    """Planning of the attack `link`, which asks about edges and not about who trained."""

    def refuses(self, subject: Attacked) -> str | None:
        """It asks about every node with all its edges."""
        if "linked" not in METHODS[subject.method].asked:
            return f"{subject.method} does not tell an attack what its model says of every node"
        if isinstance(subject.config, GnnConfig) and subject.config.parted:
            return "this run draws private and public nodes itself, and drops the edges between them"
        if METHODS[subject.method].own_parts:
            return f"{subject.method} draws private and public nodes itself, and reads no edge between private ones"
        return None

    def unanswered(self, subject: Attacked, options: AttackOptions) -> str | None:
        """Answers without edges say nothing of them; and not every model can be asked with other features."""
        if options.query != "linked":
            return "the attack link asks about nodes with their edges: choose query linked"
        if options.by == "influence" and subject.method not in ASKED_AGAIN:
            return (
                "influence asks the model again and again with changed features, which "
                f"{METHODS[subject.method].title} does not answer; that is for "
                f"{' and '.join(METHODS[name].title for name in ASKED_AGAIN)}"
            )
        return None

    def implies(self, subject: Attacked) -> bool:
        """No coin of ours drew the edges."""
        return False

    def cost(self, subject: Attacked, options: AttackOptions) -> str:
        """In trainings, in seconds where the run's own are known, and in questions."""
        models = options.targets
        asked = "; each model is asked once for every node of the pairs" if options.by == "influence" else ""
        return f"{_trainings(models)} like the run's own{_took(self.seconds(subject, options))}{asked}"

    def seconds(self, subject: Attacked, options: AttackOptions) -> float | None:
        """How long it takes on a quiet machine; None where the run's own time is not known."""
        return _seconds(subject, options.targets, share=_share(subject), judging=PAIRS_SECONDS[options.by])

    def knows(self, subject: Attacked, options: AttackOptions) -> tuple[str, ...]:
        """What the attacker knows and sees, in sentences."""
        told = {
            "distance": f"it takes pairs for connected whose probabilities are close ({options.distance} distance)",
            "influence": "it has the features of all nodes and may change them: it takes pairs for connected where "
            "slightly larger features of one node move what the model says of the other",
        }
        return (
            BLACK_BOX,
            "it asks about each node with its edges, as the model has them, and sees none of these",
            told[options.by],
            *uncovered(subject),
        )


RELATION_STEPS = 2
"""How many neighbouring datasets lie between two relations, one of which trains, and the same two with
exchanged places: one comes, the other goes."""


class RelationPlan:
    """Planning of the attacks on relations that an encoder of texts was fine-tuned on."""

    def __init__(self, *, shadows: bool) -> None:
        self._shadows = shadows

    def refuses(self, subject: Attacked) -> str | None:
        """It is for encoders of texts that were fine-tuned on relations."""
        if isinstance(subject.config, RelationOptions):
            return None
        return "this attack is for relational and relation-rand, which learn from relations between texts"

    def unanswered(self, subject: Attacked, options: AttackOptions) -> str | None:
        """All options do; whether there are enough relations is seen with the data at hand."""
        return None

    def implies(self, subject: Attacked) -> bool:
        """A coin of ours says which relations are left out, and a relation is what such a run protects."""
        return subject.statement.neighbours is Neighbours.UNDIRECTED_EDGE

    def cost(self, subject: Attacked, options: AttackOptions) -> str:
        """In trainings, and in seconds where the run's own are known."""
        models = options.targets + options.shadows * self._shadows
        took = _took(_seconds(subject, models))
        return f"{_trainings(models)} like the run's own, each without {self._out(options)}{took}"

    def knows(self, subject: Attacked, options: AttackOptions) -> tuple[str, ...]:
        """What the attacker knows and sees, in sentences."""
        lines = [
            "it has the released adapter and the encoder beneath it, and knows all texts: it computes the vector of "
            "any text",
            f"it asks of candidates, all of which are true relations, which were learnt from: the run is trained again "
            f"without {self._out(options)}, and as many that stay are the other candidates",
        ]
        if self._shadows:
            lines.append(
                f"it knows the run's options and all relations, except which candidates were left out, and has trained "
                f"{options.shadows:,} shadow adapters, each without other candidates"
            )
        elif options.signal == "gain":
            lines.append("it takes those for learnt from whose texts the adapter has brought closest together")
        else:
            lines.append("it takes those for learnt from whose texts are most alike to the adapted encoder")
        return tuple(lines)

    @staticmethod
    def _out(options: AttackOptions) -> str:
        return f"{options.candidates:,} relations (or half of them, where there are fewer than twice as many)"


# Measured in the attacks of the examples, on two quiet cores.
START_SECONDS = 5.0
"""To start a process, load torch and the graph, and judge and draw what was found."""
PAIRS_SECONDS = {"distance": 0.5, "influence": 13.0}
"""To judge the pairs of one model, in the attack on edges."""
SHARE = 0.6
"""What one of the models takes, as a share of the run's own time, which has its start and its tests in it."""
SHARES = {"gap": 0.15, "progap": 0.15, "edge-rand": 0.25, "dp-gpl": 3.0}
"""Of methods whose models are trained together as one stack, that share what was drawn, or that train for
each model what runs keep for one another."""


def _share(subject: Attacked) -> float:
    return SHARES.get(subject.method, SHARE)


def _seconds(subject: Attacked, models: int, *, share: float = 1.0, judging: float = 0.0) -> float | None:
    """How long so many models take, with `judging` seconds for each and what it takes to start."""
    return None if subject.seconds is None else START_SECONDS + models * (share * subject.seconds + judging)


def _took(seconds: float | None) -> str:
    """How long it takes, in words; "" where that is not known."""
    return "" if seconds is None else f", about {in_words(seconds)} in all on a quiet machine"


MEMBERSHIP = MembershipPlan(shadows=True)
WITHOUT_SHADOWS = MembershipPlan(shadows=False)
SHADOW = ShadowPlan()
PROMPTS = PromptPlan()
LINK = LinkPlan()
RELATIONS = RelationPlan(shadows=False)
RELATIONS_WITH_SHADOWS = RelationPlan(shadows=True)
