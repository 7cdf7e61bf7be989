"""DP-GPL and DP-GPL+W: teacher prompts on a frozen network, noisy votes on public nodes, a student prompt.
See README.md."""

import math
import time
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import torch
from torch import Tensor

from privgraph.methods import predictions
from privgraph.methods.accuracies import test_measures
from privgraph.methods.outsider import Parts
from privgraph.methods.prompts.dp_gpl.config import Config
from privgraph.methods.prompts.dp_gpl.ensemble import NAME as ENSEMBLE
from privgraph.methods.prompts.dp_gpl.ensemble import Ensemble
from privgraph.methods.prompts.dp_gpl.partition import EMPTY, Assignment, Ints
from privgraph.methods.prompts.dp_gpl.pooling import pool
from privgraph.methods.prompts.dp_gpl.preparation import (
    JUDGED,
    assign,
    centralities,
    judged_nodes,
    public_features,
    standing,
)
from privgraph.methods.prompts.dp_gpl.querying import Outcome, Rules, ask, histogram
from privgraph.methods.prompts.dp_gpl.records import record_answers, record_ensemble
from privgraph.methods.prompts.pretrained import PreparedGraph, prepare, recipe_of
from privgraph.methods.teachers.answers import NAME as ANSWERS
from privgraph.methods.training import Context, Member
from privgraph.nn.prompt_tuning import Tuning, tune, votes
from privgraph.nn.prompts import Prompts
from privgraph.nn.small_graphs import Advance
from privgraph.papers.dp_gpl_report import release
from privgraph.privacy.serialisation import entry_to_json
from privgraph.progress import Artifact, Event, Log, Metric, Progress, Result, Spent
from privgraph.streams import Secret, stream

LEARNT = 450
"""Public nodes beside the queries that a student learns from with pooled labels."""
LOOKS = 10
"""How often the student is looked at while it learns."""
AT_ONCE = 512
"""Ego-graphs that the student is asked about at once."""
MEMORY_MB = 1024.0


def train(members: Sequence[Member[Config]]) -> Generator[tuple[int, Event], None, None]:
    """Train members one after another; the teachers of each are one stack.

    What does not hang on noise or on what it costs is done once where the next member has the same: the
    prepared, and the votes before noise. Both are functions of data, options and seed; each member's noise is
    its own.
    """
    last = Shared()
    for index, member in enumerate(members):
        for event in Run(member, last).events():
            yield index, event


@dataclass(eq=False)
class Shared:
    """What the last run stood on and its teachers' votes, with what decides each."""

    prepared_key: tuple[object, ...] = ()
    prepared: PreparedGraph | None = None
    votes_key: tuple[object, ...] = ()
    votes: Ints | None = None


@dataclass(eq=False)
class Run:
    """One run, from pre-training to the student."""

    member: Member[Config]
    shared: Shared = field(default_factory=Shared)
    metrics: dict[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.nodes = self.member.graph.num_nodes
        self.config = self.member.config.settled(self.nodes, self.member.plan.scale)
        self.context: Context = self.member.context
        self.steps = self.member.plan.steps
        self.done = 0

    def events(self) -> Iterator[Event]:
        prepared = yield from self._prepared()
        self.context = self.context.having_read(prepared.backbone.weights)
        table = prepared.table.to(self.context.device)
        assignment = assign(prepared, self.config, self.context.shared_secret)
        start = time.perf_counter()
        order = stream(self.context.seed, "split/asked").permutation(len(prepared.query_nodes))
        queries = prepared.query_nodes[torch.from_numpy(order)]
        judged = judged_nodes(prepared, self.context.seed)
        cast = yield from self._votes(prepared, table, assignment, torch.cat([queries, judged]))
        own, elsewhere = cast[:, : len(queries)], cast[:, len(queries) :]
        outcome = ask(
            own, assignment.weights, prepared.classes, self._rules(), self._noise("gate"), self._noise("votes")
        )
        seconds = time.perf_counter() - start
        for entry in self.member.plan.entries:
            self.context.ledger.add(entry)
            yield Spent(entry=entry_to_json(entry))
        truth = prepared.labels[judged].numpy()
        ensemble = record_ensemble(
            self.config,
            self.nodes,
            self._rules(),
            assignment=assignment,
            centrality=centralities(prepared, self.config),
            votes=own,
            queries=queries.numpy(),
            truth=prepared.labels[queries].numpy(),
            outcome=outcome,
            accuracy=(elsewhere == truth).mean(1),
            classes=prepared.classes,
        )
        yield from self._tell(ensemble, outcome, elsewhere, truth)
        if self.config.report == "sanitised":
            yield from self._report(ensemble)
        if self.context.folder is not None:
            ensemble.save(self.context.folder)
            yield Artifact(name=ENSEMBLE, title="Teachers, their weights, votes and costs (not for release)")
            record_answers(ensemble, outcome, seconds).save(self.context.folder)
            yield Artifact(name=ANSWERS, title="Votes of the teachers (not for release)")
        student = yield from self._student(prepared, table, queries, judged, outcome)
        self._answer(prepared, table, student, assignment)
        yield from self._finish(prepared, table, student)

    def _prepared(self) -> Generator[Event, None, PreparedGraph]:
        """The prepared graph, standardised; the last run's where it is the same."""
        graph, last = self.member.graph, self.shared
        tensors = (graph.x.data_ptr(), graph.y.data_ptr(), graph.edge_index.data_ptr())
        key = (*tensors, graph.split_seed, self.context.seed, self.context.device, *self.config.prepared_key())
        if last.prepared is None or last.prepared_key != key:
            found = yield from prepare(graph, self.config, self.context, done=0, total=self.steps)
            last.prepared, last.prepared_key = standing(found, found.table.to(self.context.device)), key
        self.done = self.config.pretrain_epochs
        yield Progress(step=self.done, total=self.steps, stage="pre-training")
        return last.prepared

    def _votes(
        self, prepared: PreparedGraph, table: Tensor, assignment: Assignment, asked: Tensor
    ) -> Generator[Event, None, Ints]:
        """Votes before noise; the last run's where prepared graph, prompt and slots are the same."""
        last = self.shared
        key = (*last.prepared_key, *self.config.prompt_key(), assignment.slots.tobytes())
        if last.votes is None or last.votes_key != key:
            last.votes = yield from self.cast_votes(prepared, table, assignment, asked)
            last.votes_key = key
        else:
            self.done += 2 * self.config.teachers
        return last.votes

    def cast_votes(
        self, prepared: PreparedGraph, table: Tensor, assignment: Assignment, asked: Tensor
    ) -> Generator[Event, None, Ints]:
        """Tune all teachers as one stack and ask each about each of `asked` (Q,): votes (N, Q) int64.

        Row t is a function of the nodes on teacher t's slots (their features, labels, and edges to public
        nodes), of the public graph and of public numbers. Shapes, chunks and seeds know nothing else, so that
        on a CPU not a digit of it depends on another teacher's nodes.
        """
        config, slots = self.config, torch.from_numpy(assignment.slots)
        prompts = self._initial(prepared, [f"init/teacher-{number}" for number in range(config.teachers)])
        labels = torch.where(slots == EMPTY, EMPTY, prepared.labels[slots.clamp(min=0)]).to(table.device)
        egos = prepared.egos(slots.flatten()).to(table.device)
        tuned = yield from self._along(
            tune(prompts, prepared.backbone, table, egos, labels, recipe_of(self.config), memory_mb=MEMORY_MB),
            "teachers",
        )
        assert isinstance(tuned, Prompts)
        cast = yield from self._along(
            votes(tuned, prepared.backbone, table, prepared.egos(asked).to(table.device), memory_mb=MEMORY_MB), "votes"
        )
        assert isinstance(cast, Tensor)
        ballots: Ints = cast.cpu().numpy()
        return ballots

    def _along(
        self, work: Iterator[Advance | Prompts | Tensor], stage: str
    ) -> Generator[Event, None, Prompts | Tensor]:
        """Tell how far some work is; what it came to."""
        result: Prompts | Tensor | None = None
        for event in work:
            if isinstance(event, Advance):
                yield Progress(step=self.done + event.done, total=self.steps, stage=stage)
                last = event.total
            else:
                result = event
        assert result is not None
        self.done += last
        return result

    def _initial(self, prepared: PreparedGraph, names: Sequence[str]) -> Prompts:
        structure = (
            prepared.public_embeddings(prepared.table.to(self.context.device)) if self.config.prompt == "gppt" else None
        )
        generators = [self.context.generator(name) for name in names]
        return Prompts.initial(recipe_of(self.config), prepared.backbone, prepared.classes, generators, structure)

    def _noise(self, name: str) -> Secret:
        return self.context.secret(f"noise/{name}")

    def _rules(self) -> Rules:
        config = self.config
        published = config.accounting == "published" and config.limit > 0
        return Rules(
            asked=config.asked(),
            threshold=config.threshold,
            limit_squared_mu=config.limit_squared_mu(self.nodes),
            dependent_limit=config.limit if published else math.inf,
            at_limit=config.at_limit,
            delta=self.member.plan.statement.delta,
        )

    def _tell(self, ensemble: Ensemble, outcome: Outcome, elsewhere: Ints, truth: Ints) -> Iterator[Event]:
        """What an evaluator may know of the teachers."""
        answered = outcome.answered
        counts = histogram(elsewhere, ensemble.weights, ensemble.classes)
        metrics = {
            "ensemble_accuracy": float((counts.argmax(1) == truth).mean()),
            "teacher_accuracy": float(ensemble.accuracy.mean()),
            "upper_bound": float(ensemble.accuracy.max()),
            "answered_share": float(answered.mean()),
        }
        if answered.any():
            metrics["label_accuracy"] = float((ensemble.released == ensemble.truth)[answered].mean())
        if self.config.report != "none":
            metrics["epsilon_data_dependent"] = float(ensemble.dependent.max())
            yield Log(
                message="the paper's data-dependent epsilon of these votes is "
                f"{metrics['epsilon_data_dependent']:.2f}: it is computed from private votes, is "
                "itself not private, and is no guarantee",
                level="warning",
            )
        self.metrics.update(metrics)
        for name, value in metrics.items():
            yield Metric(name=name, value=value, step=self.done, stage="votes")

    def _report(self, ensemble: Ensemble) -> Iterator[Event]:
        """A data-dependent epsilon that may be shown; the ledger has paid for it."""
        config, delta = self.config, ensemble.delta
        shown = release(
            self._noise("report"),
            config.report_order(self.nodes),
            histogram(ensemble.votes, ensemble.weights, ensemble.classes),
            config.poll(ensemble.classes),
            epsilon=config.report_epsilon,
            delta=delta,
        )
        self.metrics["epsilon_sanitised"] = shown.epsilon
        yield Metric(name="epsilon_sanitised", value=shown.epsilon, step=self.done, stage="votes", evaluator=False)
        yield Log(
            message=f"the sanitised data-dependent epsilon is {shown.epsilon:.2f} at delta {delta:g}, for "
            "these data and their neighbours alone; it is a bound except with chance "
            f"{shown.failure:g}, and the run's guarantee does not rest on it"
        )

    def _student(
        self, prepared: PreparedGraph, table: Tensor, queries: Tensor, judged: Tensor, outcome: Outcome
    ) -> Generator[Event, None, Prompts]:
        """The student's prompt, tuned on what was released: post-processing. Where nothing was, it stays as
        it began."""
        student = self._initial(prepared, ["init/student"])
        test = prepared.test_nodes
        self.metrics["lower_bound"] = _accuracy(self._chances(prepared, table, student, test), prepared, test)
        answered = torch.from_numpy(outcome.answered)
        if not bool(answered.any()):
            yield Log(message="no query was answered: the student keeps the prompt that it began with", level="warning")
            yield Progress(step=self.steps, total=self.steps, stage="student")
            return student
        rows, targets = queries[answered], torch.from_numpy(outcome.released)[answered].unsqueeze(0)
        if self.config.student_labels == "pooled":
            rows, targets = self._pooled(prepared, table, rows, outcome)
        recipe = replace(recipe_of(self.config), epochs=self.config.student_epochs)
        egos = prepared.egos(rows).to(table.device)
        tuning = Tuning(student, prepared.backbone, table, egos, targets.to(table.device), recipe)
        every = max(1, recipe.epochs // LOOKS)
        for epoch in range(1, recipe.epochs + 1):
            loss = float(tuning.step())
            if epoch % every == 0 or epoch == recipe.epochs:
                yield from self._look(prepared, table, tuning.result(), loss, judged, self.done + epoch)
            yield Progress(step=self.done + epoch, total=self.steps, stage="student")
        return tuning.result()

    def _look(
        self, prepared: PreparedGraph, table: Tensor, student: Prompts, loss: float, judged: Tensor, step: int
    ) -> Iterator[Event]:
        """A point of the student's curves; no label steers it."""
        yield Metric(name="train_loss", value=loss, step=step, stage="student", evaluator=False)
        for name, nodes in (("train", prepared.query_nodes[:JUDGED]), ("val", judged)):
            self.metrics[f"{name}_accuracy"] = _accuracy(
                self._chances(prepared, table, student, nodes), prepared, nodes
            )
            yield Metric(name=f"{name}_accuracy", value=self.metrics[f"{name}_accuracy"], step=step, stage="student")

    def _pooled(self, prepared: PreparedGraph, table: Tensor, rows: Tensor, outcome: Outcome) -> tuple[Tensor, Tensor]:
        """Whom the student learns from (n,), and chances of each class (1, n, C), from all noisy counts
        together."""
        public = prepared.public_nodes
        answered = np.searchsorted(public.numpy(), rows.numpy())
        std = self.config.vote_sigma
        pooled = pool(outcome.noisy[outcome.answered], answered, public_features(prepared, table), std)
        truth = prepared.labels[rows].numpy()
        test = prepared.test_nodes
        at = torch.searchsorted(public, test)
        self.metrics["pooled_accuracy"] = _accuracy(torch.from_numpy(pooled.chances)[at], prepared, test)
        self.metrics["pooled_label_accuracy"] = float((pooled.chances[answered].argmax(1) == truth).mean())
        order = stream(self.context.seed, "split/learnt").permutation(len(public))
        learnt = np.concatenate([answered, order[~np.isin(order, answered)][:LEARNT]])
        return public[torch.from_numpy(learnt)], torch.from_numpy(pooled.chances[learnt]).unsqueeze(0)

    @torch.no_grad()
    def _chances(self, prepared: PreparedGraph, table: Tensor, student: Prompts, nodes: Tensor) -> Tensor:
        """(n, C) of `nodes` (n,), on the CPU."""
        found = []
        for start in range(0, len(nodes), AT_ONCE):
            egos = prepared.egos(nodes[start : start + AT_ONCE]).to(table.device)
            found.append(student.answers(prepared.backbone, table, egos)[0].softmax(1).cpu())
        return torch.cat(found)

    def _answer(self, prepared: PreparedGraph, table: Tensor, student: Prompts, assignment: Assignment) -> None:
        """Tell an attack, if there is one, what the student says of every node, and who sat on a slot."""
        outsider = self.context.outsider
        if outsider is None:
            return
        chances = self._chances(prepared, table, student, torch.arange(self.nodes))
        outsider.hears(linked=chances.double().clamp(min=1e-30).log())
        taught = torch.from_numpy(np.sort(assignment.slots[assignment.slots != EMPTY]))
        spared = prepared.private_nodes[~torch.isin(prepared.private_nodes, taught)]
        outsider.parts = Parts(taught=taught, spared=spared, judged=prepared.test_nodes)

    def _finish(self, prepared: PreparedGraph, table: Tensor, student: Prompts) -> Iterator[Event]:
        public = prepared.public_nodes
        chances = self._chances(prepared, table, student, public)
        at = torch.searchsorted(public, prepared.test_nodes)
        self.metrics["test_accuracy"] = _accuracy(chances[at], prepared, prepared.test_nodes)
        self.metrics.update(test_measures(chances[at].clamp(min=1e-30).log(), prepared.labels[prepared.test_nodes]))
        yield Metric(name="test_accuracy", value=self.metrics["test_accuracy"], step=self.steps, stage="student")
        if self.context.folder is not None:
            predictions.write(
                self.context.folder,
                chances.argmax(1).numpy(),
                nodes=public.numpy(),
                probabilities=chances.numpy(),
            )
            yield Artifact(name=predictions.NAME, title="Predicted class of every public node")
            arrays = {name: value.cpu().numpy() for name, value in student.parameters.items()}
            np.savez(self.context.folder / "prompt.npz", allow_pickle=False, **arrays)
            yield Artifact(name="prompt.npz", title="The student's prompt")
        yield Result(metrics=self.metrics)


def _accuracy(chances: Tensor, prepared: PreparedGraph, nodes: Tensor) -> float:
    """Of chances (n, C) of `nodes` (n,)."""
    return float((chances.argmax(1) == prepared.labels[nodes]).float().mean())
