"""The literal tables of what exists. No torch: trainers are named here, and imported when they run."""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import entry_points
from typing import Any, cast

from privgraph.data.catalogue import DATASETS as DATASETS
from privgraph.data.catalogue import dataset as dataset
from privgraph.methods.row import MethodSpec as MethodSpec
from privgraph.methods.row import attribute
from privgraph.options import Table
from privgraph.options import UnknownName as UnknownName
from privgraph.privacy.kinds import Adversary, Neighbours
from privgraph.program import GROUP

_PROGAP = (
    "Sajadmanesh and Gatica-Perez, ProGAP: Progressive Graph Neural Networks with Differential "
    "Privacy Guarantees, WSDM 2024"
)
_GAP = (
    "Sajadmanesh et al., GAP: Differentially Private Graph Neural Networks with Aggregation "
    "Perturbation, USENIX Security 2023"
)

_PVGALM = "Yin et al., Privately Learning from Graphs with Applications in Finetuning Large Language Models, 2024"

_OWN: Mapping[str, MethodSpec] = {
    spec.name: spec
    for spec in (
        MethodSpec(
            name="progap",
            title="ProGAP",
            about="Grows a graph network stage by stage; each stage reads its neighbours once, through noise.",
            paper=_PROGAP,
            config="privgraph.methods.aggregation.progap.config:Config",
            train="privgraph.methods.aggregation.progap.train:train",
            units=("none", "edge", "node"),
            asked=("linked",),
            neighbours=Neighbours.FROZEN_SAMPLE,
        ),
        MethodSpec(
            name="gap",
            title="GAP",
            about="Learns an encoder without edges, sums neighbours through noise, then classifies.",
            paper=_GAP,
            config="privgraph.methods.aggregation.gap.config:Config",
            train="privgraph.methods.aggregation.gap.train:train",
            units=("none", "edge", "node"),
            asked=("linked",),
            neighbours=Neighbours.FROZEN_SAMPLE,
        ),
        MethodSpec(
            name="label-hist",
            title="Label-Hist",
            about="Counts each node's neighbours by class, once and through noise; a reader does the rest.",
            paper="privgraph, its own: see its README",
            config="privgraph.methods.aggregation.label_hist.config:Config",
            train="privgraph.methods.aggregation.label_hist.train:train",
            units=("none", "edge", "node"),
            asked=("linked",),
            neighbours=Neighbours.FROZEN_DEGREES,
        ),
        MethodSpec(
            name="gnn",
            title="Graph network (not private)",
            about="An ordinary graph network: GraphSAGE, GCN, GAT or GIN. The accuracy to compare with.",
            paper="Hamilton et al. 2017; Kipf and Welling 2017; Velickovic et al. 2018; Xu et al. 2019",
            config="privgraph.methods.baselines.gnn.config:Config",
            train="privgraph.methods.baselines.gnn.train:train",
            units=("none",),
            asked=("linked", "alone"),
        ),
        MethodSpec(
            name="mlp",
            title="MLP (ignores edges)",
            about="Uses features alone, and so protects every edge perfectly. Whoever cannot beat it should "
            "not use edges.",
            paper=_PROGAP,
            config="privgraph.methods.baselines.mlp.config:Config",
            train="privgraph.methods.baselines.mlp.train:train",
            units=("none", "edge"),
            asked=("linked",),
            uses_edges=False,
        ),
        MethodSpec(
            name="dp-mlp",
            title="DP-MLP",
            about="The MLP trained with private gradients: node-level privacy without edges.",
            paper="Abadi et al., Deep Learning with Differential Privacy, CCS 2016",
            config="privgraph.methods.gradients.dp_mlp.config:Config",
            train="privgraph.methods.gradients.dp_mlp.train:train",
            units=("node",),
            asked=("linked",),
            uses_edges=False,
            counterpart="mlp",
        ),
        MethodSpec(
            name="edge-rand",
            title="EdgeRand",
            about="Flips entries of the adjacency matrix at random, then trains an ordinary graph network "
            "on the result.",
            paper="Wu et al., LinkTeller, S&P 2022; asymmetric randomised response after Imola et al., "
            "USENIX Security 2022",
            config="privgraph.methods.baselines.edge_rand.config:Config",
            train="privgraph.methods.baselines.edge_rand.train:train",
            units=("edge",),
            asked=("linked", "alone"),
        ),
        MethodSpec(
            name="dp-gnn",
            title="DP-GNN",
            about="Private gradients over bounded neighbourhoods: protects nodes in the released weights, "
            "not in predictions.",
            paper="Daigavane et al., Node-Level Differentially Private Graph Neural Networks, 2021",
            config="privgraph.methods.gradients.dp_gnn.config:Config",
            train="privgraph.methods.gradients.dp_gnn.train:train",
            units=("node",),
            asked=("linked", "alone"),
            neighbours=Neighbours.FROZEN_SAMPLE,
        ),
        MethodSpec(
            name="heter-poisson",
            title="HeterPoisson",
            about="Private gradients of sampled subgraphs; who is read by many is drawn the less often. "
            "Predictions cost nothing.",
            paper="Xiang, Wang and Wang, Preserving Node-level Privacy in Graph Neural Networks, IEEE S&P 2024",
            config="privgraph.methods.gradients.heter_poisson.config:Config",
            train="privgraph.methods.gradients.heter_poisson.train:train",
            units=("none", "node"),
            asked=("linked", "alone"),
            neighbours=Neighbours.FROZEN_DEGREES,
        ),
        MethodSpec(
            name="privgnn",
            title="PrivGNN",
            about="Private nodes label public ones through noise; a student learns from the labels. All at once by "
            "default, which is our variant; the option Release has the paper's, query by query.",
            paper="Olatunji et al., Releasing Graph Neural Networks with Differential Privacy Guarantees, TMLR 2023",
            config="privgraph.methods.teachers.privgnn.config:Config",
            train="privgraph.methods.teachers.privgnn.train:train",
            units=("node",),
            own_parts=True,
        ),
        MethodSpec(
            name="pate",
            title="PATE",
            about="Teachers on disjoint parts of the private nodes vote on public ones; noisy majorities "
            "train a student.",
            paper="Papernot et al., Semi-supervised Knowledge Transfer for Deep Learning from Private "
            "Training Data, ICLR 2017; on graphs: Olatunji et al., Releasing Graph Neural Networks "
            "with Differential Privacy Guarantees, TMLR 2023",
            config="privgraph.methods.teachers.pate.config:Config",
            train="privgraph.methods.teachers.pate.train:train",
            units=("node",),
            own_parts=True,
        ),
        MethodSpec(
            name="prompt",
            title="Graph prompt (not private)",
            about="A small prompt on a frozen, pre-trained network, tuned on a few labelled nodes without protection.",
            paper="GPF: Fang et al., Universal Prompt Tuning for Graph Neural Networks, NeurIPS 2023; All "
            "in One: Sun et al., KDD 2023; GPPT: Sun et al., KDD 2022",
            config="privgraph.methods.prompts.prompt.config:Config",
            train="privgraph.methods.prompts.prompt.train:train",
            units=("none",),
            own_parts=True,
        ),
        MethodSpec(
            name="fine-tune",
            title="Pre-train and fine-tune (not private)",
            about="The whole pre-trained network is trained on a few labelled nodes: what prompts are to beat.",
            paper="Hu et al., Strategies for Pre-training Graph Neural Networks, ICLR 2020",
            config="privgraph.methods.prompts.fine_tune.config:Config",
            train="privgraph.methods.prompts.fine_tune.train:train",
            units=("none",),
            own_parts=True,
        ),
        MethodSpec(
            name="prompt-dpsgd",
            title="Prompt by DP-SGD",
            about="A prompt tuned with private gradients on a few private nodes, or on all of them: what "
            "votes of teachers are to beat.",
            paper="DP-GPL: Differentially Private Graph Prompt Learning, section 4.1; "
            "Abadi et al., Deep Learning with Differential Privacy, CCS 2016",
            config="privgraph.methods.prompts.prompt_dpsgd.config:Config",
            train="privgraph.methods.prompts.prompt_dpsgd.train:train",
            units=("node",),
            counterpart="prompt",
            own_parts=True,
        ),
        MethodSpec(
            name="dp-gpl",
            title="DP-GPL",
            about="Many small prompts on one frozen network, each tuned on a few private nodes, vote on "
            "public ones through noise; with weighted votes it is DP-GPL+W.",
            paper="DP-GPL: Differentially Private Graph Prompt Learning (DP-GPL and DP-GPL+W)",
            config="privgraph.methods.prompts.dp_gpl.config:Config",
            train="privgraph.methods.prompts.dp_gpl.train:train",
            units=("node",),
            counterpart="prompt",
            own_parts=True,
            asked=("linked",),
        ),
        MethodSpec(
            name="relational",
            title="PvGaLM",
            about="Fine-tunes a language model on private relations between texts, and predicts relations in a domain "
            "that it has not seen.",
            paper=_PVGALM,
            config="privgraph.methods.relations.relational.config:Config",
            train="privgraph.methods.relations.relational.train:train",
            units=("none", "edge"),
            tasks=("relation prediction",),
            own_parts=True,
        ),
        MethodSpec(
            name="relation-rand",
            title="Randomised relations",
            about="Every pair of texts answers by a coin whether it is related; a language model is then fine-tuned on "
            "the answers.",
            paper=f"{_PVGALM}, section 4 (baseline); Epasto et al., Differentially Private Graph Learning via "
            "Sensitivity-Bounded Personalized PageRank, NeurIPS 2022",
            config="privgraph.methods.relations.relation_rand.config:Config",
            train="privgraph.methods.relations.relation_rand.train:train",
            units=("edge",),
            tasks=("relation prediction",),
            counterpart="relational",
            own_parts=True,
        ),
    )
}


def _methods() -> Mapping[str, MethodSpec]:
    """Our own methods, then those of other packages, which are looked for when somebody first asks.

    What cannot be loaded is left out with a warning: a package that is broken must not take the workbench
    down.
    """
    rows = dict(_OWN)
    for entry in sorted(entry_points(group=GROUP), key=lambda entry: entry.name):
        try:
            spec = entry.load()
        except Exception as error:  # whatever somebody else's module raises
            warnings.warn(f"the method {entry.name} of {entry.value} cannot be loaded: {error}", stacklevel=2)
            continue
        if not isinstance(spec, MethodSpec) or spec.name in rows:
            reason = "names no MethodSpec" if not isinstance(spec, MethodSpec) else f"brings {spec.name} once more"
            warnings.warn(f"the entry point {entry.name} of {entry.value} {reason}: it is left out", stacklevel=2)
            continue
        rows[spec.name] = spec
    return rows


METHODS: Mapping[str, MethodSpec] = Table("method", _methods)
"""All methods by name."""


def method(name: str) -> MethodSpec:
    """The method of that name. Raises `UnknownName` with the nearest match."""
    return METHODS[name]


@dataclass(frozen=True, kw_only=True, repr=False)
class AuditSpec:
    """An audit: what it plays, which methods it is for (none named: all), and what its bound covers at best.

    `load` and `planning` are "module:attribute". `load` gives `entry(subject, options) -> Iterator[Progress |
    AuditRecord]`, whose last value is the record (`privgraph.audits.options`, `.record`); it may import
    torch. `planning` does not: it gives an object with `refuses(subject) -> str | None`, `cost(subject,
    options) -> str` and `time(subject, options) -> str`. `adversary` is the kind of its attack, and `covers`
    "run" or "step", as in `AuditRecord`. `trains` says whether it trains on the run's data, which must then
    be at hand.
    """

    name: str
    title: str
    about: str
    paper: str
    load: str
    planning: str
    adversary: Adversary
    covers: str = "run"
    methods: tuple[str, ...] = ()
    trains: bool = False

    def __repr__(self) -> str:
        return f"AuditSpec({self.name}: {self.title})"

    def load_entry(self) -> Any:
        return attribute(self.load)

    def refuses(self, subject: Any) -> str | None:
        """Why this audit cannot be made of such a run (`privgraph.audits.options.Subject`), in one sentence,
        or None."""
        if self.methods and subject.method not in self.methods:
            return f"the audit {self.name} is for {', '.join(self.methods)}, not for {subject.method}"
        if subject.statement.unit == "none":
            return "nothing is protected in this run: there is no epsilon to audit"
        refusal: str | None = attribute(self.planning).refuses(subject)
        return refusal

    def cost(self, subject: Any, options: Any) -> str:
        """What the audit will take, in words, before it starts."""
        return cast(str, attribute(self.planning).cost(subject, options))

    def time(self, subject: Any, options: Any) -> str:
        """About how long the audit will take, in words; "" where that is not known."""
        return cast(str, attribute(self.planning).time(subject, options))


@dataclass(frozen=True, kw_only=True)
class Sides:
    """What an attack tells apart, in words: its question, what it gives away, the members of one side and of
    the other, one of each, a pair of both, what is said beside an attack that finds more than chance, and on
    what the attacked model was trained again.

    `unit` is what an epsilon must protect to be about that question: `node`, or `edge` for connections.
    """

    asks: str = "who was trained on"
    members: str = "nodes trained on"
    others: str = "nodes not trained on"
    member: str = "one node trained on"
    other: str = "one not trained on"
    gives_away: str = "who it was trained on"
    caution: str = ""
    pair: str = "a training node and another"
    again: str = "the run's own training nodes"
    unit: str = "node"


OF_RELATIONS = Sides(
    asks="which relations were learnt from",
    members="relations that were learnt from",
    others="relations that were left out",
    member="one relation that was learnt from",
    other="one that was left out",
    gives_away="which relations it learnt from",
    pair="a relation that was kept and one that was left out",
    again="the run's relations without those that were left out",
    unit="edge",
)


@dataclass(frozen=True, kw_only=True, repr=False)
class AttackSpec:
    """An attack on a run: what it does, what it tells apart, and which options it reads.

    `load` is "module:attribute" of `entry(subject, options) -> Iterator[Progress | AttackRecord]`, whose last
    value is the record (`privgraph.attacks.options`, `.record`); it may import torch. `planning` does not: it
    gives an object with `refuses(subject)`, `unanswered(subject, options)`, `implies(subject)`,
    `cost(subject, options)` and `knows(subject, options)`. `shadows` says whether its score reads shadow
    models with other training nodes; `reads` names the options that it reads beside those that all attacks
    do; `sides` says what it tells apart.
    """

    name: str
    title: str
    about: str
    paper: str
    load: str
    planning: str = "privgraph.attacks.planning:MEMBERSHIP"
    shadows: bool = True
    reads: tuple[str, ...] = ()
    sides: Sides = Sides()

    def __repr__(self) -> str:
        return f"AttackSpec({self.name}: {self.title})"

    def load_entry(self) -> Any:
        return attribute(self.load)

    def refuses(self, subject: Any) -> str | None:
        """Why this attack cannot be made on such a run (`privgraph.attacks.options.Attacked`), in one
        sentence, or None."""
        refusal: str | None = attribute(self.planning).refuses(subject)
        return refusal

    def unanswered(self, subject: Any, options: Any) -> str | None:
        """Why these options do not do for such a run, in one sentence, or None."""
        refusal: str | None = attribute(self.planning).unanswered(subject, options)
        return refusal

    def cost(self, subject: Any, options: Any) -> str:
        """What the attack will take, in words, before it starts."""
        return cast(str, attribute(self.planning).cost(subject, options))

    def implies(self, subject: Any) -> bool:
        """Whether a bound on the epsilon that the run promises follows from the attack: it then takes a turn
        among the run's audits."""
        return cast(bool, attribute(self.planning).implies(subject))

    def knows(self, subject: Any, options: Any) -> tuple[str, ...]:
        """What the attacker knows and sees, in sentences."""
        return cast("tuple[str, ...]", attribute(self.planning).knows(subject, options))


_ATTACKS: Mapping[str, AttackSpec] = {
    spec.name: spec
    for spec in (
        AttackSpec(
            name="bavaria",
            title="Likelihood ratio with a prior (BaVarIA)",
            about="Compares what the model says of a node with shadow models that trained on it and others that did "
            "not; nodes share a prior on mean and variance, so that few shadow models do.",
            paper="Brännvall, BaVarIA, 2026 (arXiv 2603.11799); Carlini et al., Membership Inference Attacks From "
            "First Principles, S&P 2022",
            load="privgraph.attacks.membership:bavaria",
            reads=("query", "online", "scaled"),
        ),
        AttackSpec(
            name="lira",
            title="Likelihood ratio (LiRA)",
            about="Compares what the model says of a node with shadow models that trained on it and others that did "
            "not, as two normal distributions.",
            paper="Carlini et al., Membership Inference Attacks From First Principles, S&P 2022",
            load="privgraph.attacks.membership:lira",
            reads=("query", "online", "scaled", "variance"),
        ),
        AttackSpec(
            name="rmia",
            title="Pairwise comparison (RMIA)",
            about="Asks how many nodes that surely did not train a node outdoes, each measured against what shadow "
            "models say of it.",
            paper="Zarifzadeh, Liu and Shokri, Low-Cost High-Power Membership Inference Attacks, ICML 2024",
            load="privgraph.attacks.membership:rmia",
            reads=("query", "online"),
        ),
        AttackSpec(
            name="threshold",
            title="Confidence alone",
            about="Takes those for training nodes of whose class the model is surest. The simplest attack, beside "
            "which a strong one is seen to be strong.",
            paper="Yeom et al., Privacy Risk in Machine Learning, CSF 2018",
            load="privgraph.attacks.membership:threshold",
            planning="privgraph.attacks.planning:WITHOUT_SHADOWS",
            shadows=False,
            reads=("query",),
        ),
        AttackSpec(
            name="shadow",
            title="Classifier of posteriors",
            about="Trains a network of the same kind on another half of the graph, and a classifier that tells its "
            "training nodes from others by their posteriors: the attack of PrivGNN's Appendix C.",
            paper="Olatunji, Nejdl and Khosla, Membership Inference Attack on Graph Neural Networks, TPS-ISA 2021; "
            "Olatunji et al., TMLR 2023, Appendix C",
            load="privgraph.attacks.students:attack",
            planning="privgraph.attacks.planning:SHADOW",
            shadows=False,
            reads=("setting", "ordered"),
        ),
        AttackSpec(
            name="prompts",
            title="Likelihood ratio on prompts (LiRA)",
            about="Looks for the few nodes that a prompt was tuned on, among others of their class, with shadow "
            "prompts on other shots: DP-GPL's Algorithm 1.",
            paper="Carlini et al., Membership Inference Attacks From First Principles, S&P 2022; DP-GPL: "
            "Differentially Private Graph Prompt Learning, section 3",
            load="privgraph.attacks.prompt_runs:attack",
            planning="privgraph.attacks.planning:PROMPTS",
            reads=("shots", "online", "variance"),
        ),
        AttackSpec(
            name="link",
            title="Stolen edges",
            about="Tells which nodes are connected: neighbours read each other, so that the model says much the same "
            "of both, and changes its mind about one when the other is changed.",
            paper="He et al., Stealing Links from Graph Neural Networks, USENIX Security 2021; Wu et al., LinkTeller, "
            "S&P 2022",
            load="privgraph.attacks.stealing:attack",
            planning="privgraph.attacks.planning:LINK",
            shadows=False,
            reads=("by", "distance", "pairs", "unlinked"),
            sides=Sides(
                asks="who is connected to whom",
                members="edges",
                others="pairs without an edge",
                member="one edge",
                other="one pair without an edge",
                gives_away="who is connected to whom",
                caution="People who are alike are often connected: a model that never saw an edge tells some of them, "
                "too.",
                unit="edge",
            ),
        ),
        AttackSpec(
            name="relations",
            title="Relations learnt from",
            about="Tells which relations an encoder of texts was fine-tuned on: the texts of those come closer "
            "together than those of others that were left out by a coin.",
            paper="Yin et al., Privately Learning from Graphs with Applications in Finetuning Large Language Models, "
            "section 4.1; He et al., Stealing Links from Graph Neural Networks, USENIX Security 2021",
            load="privgraph.attacks.relations:relations",
            planning="privgraph.attacks.planning:RELATIONS",
            shadows=False,
            reads=("candidates", "signal"),
            sides=OF_RELATIONS,
        ),
        AttackSpec(
            name="relations-bavaria",
            title="Relations, by likelihood ratio",
            about="Compares how alike the texts of a relation are with shadow adapters that were tuned with it and "
            "others that were not; relations share a prior on mean and variance, so that few shadow adapters do.",
            paper="Yin et al., Privately Learning from Graphs with Applications in Finetuning Large Language Models, "
            "section 4.1; Brännvall, BaVarIA, 2026 (arXiv 2603.11799)",
            load="privgraph.attacks.relations:relations_bavaria",
            planning="privgraph.attacks.planning:RELATIONS_WITH_SHADOWS",
            reads=("candidates", "scaled"),
            sides=OF_RELATIONS,
        ),
    )
}

ATTACKS: Mapping[str, AttackSpec] = Table("attack", lambda: _ATTACKS)
"""All attacks by name, the default first."""


def attack(name: str) -> AttackSpec:
    """The attack of that name. Raises `UnknownName` with the nearest match."""
    return ATTACKS[name]


def sides(name: str) -> Sides:
    """What the attack of that name tells apart; who was trained on, where a record names one that is gone."""
    return ATTACKS[name].sides if name in ATTACKS else Sides()


_AUDITS: Mapping[str, AuditSpec] = {
    spec.name: spec
    for spec in (
        AuditSpec(
            name="mechanism",
            title="Mechanisms, played many times",
            about="Plays all that the run's ledger lists on a worst case with and without the protected "
            "unit, and tells them apart.",
            paper="Jagielski, Ullman and Oprea, Auditing Differentially Private Machine Learning, NeurIPS "
            "2020; Nasr et al., Tight Auditing of Differentially Private Machine Learning, USENIX "
            "Security 2023",
            load="privgraph.audits.mechanism:audit",
            planning="privgraph.audits.planning:MECHANISM",
            adversary=Adversary.WORST_CASE,
        ),
        AuditSpec(
            name="white-box",
            title="Gradient canaries in a training",
            about="Trains once more on the run's own data, with gradients of its own hidden among the "
            "others, and looks for them.",
            paper="Nasr et al., Tight Auditing of Differentially Private Machine Learning, USENIX Security "
            "2023; Steinke, Nasr and Jagielski, Privacy Auditing with One (1) Training Run, NeurIPS "
            "2023; Xiang et al., Preserving Node-level Privacy in Graph Neural Networks, IEEE S&P "
            "2024, Algorithm 5",
            load="privgraph.audits.white_box:audit",
            planning="privgraph.audits.planning:WHITE_BOX",
            adversary=Adversary.CANARIES,
            trains=True,
            methods=("heter-poisson", "dp-mlp", "dp-gnn", "progap", "gap", "prompt-dpsgd", "relational"),
        ),
    )
}

AUDITS: Mapping[str, AuditSpec] = Table("audit", lambda: _AUDITS)
"""All audits by name."""


def audit(name: str) -> AuditSpec:
    """The audit of that name. Raises `UnknownName` with the nearest match."""
    return AUDITS[name]
