"""What methods that fine-tune on relations have in common: encoder, LoRA, tuples, optimiser. No torch."""

from dataclasses import dataclass
from typing import Annotated

from privgraph.data.spec import PublicFacts
from privgraph.nn.text.naming import ADAPTED, ATTENTION, LINEAR, EncoderError, describe_encoder
from privgraph.options import AUTO, ENCODER, Option, OptionError

RELATION_PAIR = (
    "add or remove one relation of the domain that is learnt from, an unordered pair of texts: where data list both "
    "directions, both come and go together, and texts stay"
)
ASSUME_TEXTS_PUBLIC = "texts, and which domain each belongs to, are public with respect to the protected relation"
ASSUME_BASE_PUBLIC = "the encoder that is fine-tuned was not trained on these relations"
CITATIONS = (
    "minilm has read citations between scientific papers, 170 million by its model card: of such relations nobody can "
    "vouch for this"
)
ASSUME_POISSON = "every batch holds each relation of the training domain independently with the stated rate"
PUBLIC_TEXTS = ("texts and their domains", "the relations of the domain that is predicted in")
LEARNING_RATE, NOISY_LEARNING_RATE = 0.003, 0.01
"""The best of some on made-up products (kitchen to garden, seeds 0 and 1): without noise, and with clipping
and the noise of epsilon 4 and 10. Steps and batch were chosen there too; nothing private was read."""
LORA = (ATTENTION, LINEAR)
CANDIDATES = 256
"""Relations whose partners are candidates for one another in an evaluation (section 4, Tasks and Metrics)."""


@dataclass(frozen=True, kw_only=True)
class RelationOptions:
    """Options of fine-tuning an encoder on relations (Algorithm 3 and Table 6)."""

    encoder: Annotated[
        str,
        Option(
            "language model that turns texts into vectors: minilm (22 million weights), tiny (random weights, for "
            "trying out), or a folder of a Hugging Face model with safetensors",
            group="Encoder",
            names=ENCODER,
        ),
    ] = "minilm"
    adapted: Annotated[
        str,
        Option(
            "what is trained: LoRA updates beside queries and values, or beside all linear modules; or everything, "
            "each weight itself, without LoRA",
            label="Trained",
            choices=ADAPTED,
            group="Encoder",
            advanced=True,
        ),
    ] = ATTENTION
    rank: Annotated[
        int,
        Option(
            "rank r of the LoRA update of each adapted weight",
            low=1,
            high=256,
            group="Encoder",
            advanced=True,
            where=("adapted", LORA),
        ),
    ] = 8
    alpha: Annotated[
        float,
        Option(
            "LoRA scale: the update counts alpha / rank times",
            low=0,
            low_open=True,
            high=1024,
            group="Encoder",
            advanced=True,
            where=("adapted", LORA),
        ),
    ] = 16.0
    max_tokens: Annotated[
        int,
        Option(
            "a text is cut off after so many tokens", unit="tokens", low=4, high=512, group="Encoder", advanced=True
        ),
    ] = 32
    trained_on: Annotated[
        str,
        Option(
            "domain whose relations are learnt from, by its name; nothing written takes the first",
            label="Learns in the domain",
            group="Domains",
        ),
    ] = ""
    tested_on: Annotated[
        str,
        Option(
            "domain in which relations are predicted, by its name; nothing written takes the first other one",
            label="Predicts in the domain",
            group="Domains",
        ),
    ] = ""
    steps: Annotated[int, Option("steps T of training", unit="steps", low=1, high=100_000, group="Training")] = 40
    batch_size: Annotated[
        int,
        Option(
            "relations in a step, b. Where relations are protected, each is drawn with probability b over the number "
            "of texts: b a step where there are as many relations as texts",
            unit="relations",
            low=1,
            high=10**6,
            group="Training",
        ),
    ] = 32
    negatives: Annotated[
        int,
        Option(
            "how many texts k, drawn from all of the domain, each relation is held against",
            unit="texts",
            low=1,
            high=64,
            group="Training",
        ),
    ] = 4
    pairing: Annotated[
        str,
        Option(
            "where the texts that a relation is held against come from: drawn for it alone, or the other relations "
            "of the batch, which no clipping makes private",
            choices=("decoupled", "in-batch"),
            group="Training",
            advanced=True,
        ),
    ] = "decoupled"
    loss: Annotated[
        str,
        Option(
            "InfoNCE, or the pairwise hinge averaged over the negatives",
            choices=("info-nce", "hinge"),
            group="Training",
            advanced=True,
        ),
    ] = "info-nce"
    margin: Annotated[
        float,
        Option("margin of the hinge", low=0, high=100, group="Training", advanced=True, where=("loss", ("hinge",))),
    ] = 1.0
    similarity: Annotated[
        str,
        Option(
            "score of two texts: the inner product of their vectors, or its cosine over the temperature",
            choices=("dot", "cosine"),
            group="Training",
            advanced=True,
        ),
    ] = "cosine"
    temperature: Annotated[
        float,
        Option(
            "temperature of the cosine",
            low=1e-4,
            high=10,
            group="Training",
            advanced=True,
            where=("similarity", ("cosine",)),
        ),
    ] = 0.05
    learning_rate: Annotated[
        float,
        Option(
            f"step size; 0 is {LEARNING_RATE:g} for gradients without noise and {NOISY_LEARNING_RATE:g} for noisy ones",
            low=0,
            least=1e-9,
            high=10,
            group="Training",
            zero=AUTO,
        ),
    ] = 0.0
    optimiser: Annotated[
        str,
        Option(
            "DP-Adam, or DP-SGD: both read the noisy gradient alone",
            choices=("adam", "sgd"),
            group="Training",
            advanced=True,
        ),
    ] = "adam"
    schedule: Annotated[
        str,
        Option(
            "how the step size falls after the warm-up",
            choices=("linear", "cosine", "constant"),
            group="Training",
            advanced=True,
        ),
    ] = "linear"
    warmup: Annotated[
        float,
        Option("share of the steps over which the step size rises", low=0, high=1, group="Training", advanced=True),
    ] = 0.1
    weight_decay: Annotated[float, Option("decoupled weight decay", low=0, high=1, group="Training", advanced=True)] = (
        0.0
    )
    evaluated: Annotated[
        int,
        Option(
            "relations of the other domain that are predicted, in batches of 256; 0 takes all",
            unit="relations",
            low=0,
            high=10**7,
            group="Training",
            advanced=True,
            zero="all",
        ),
    ] = 1024

    shots: Annotated[
        int,
        Option(
            "public relations of the other domain on which the encoder is fine-tuned further, and as many on which "
            "that is judged, beside the prediction without any; the paper takes 16",
            unit="relations",
            low=0,
            high=10_000,
            group="Training",
            advanced=True,
            zero="none",
        ),
    ] = 0

    @property
    def step_size(self) -> float:
        """The learning rate at its top, the default filled in."""
        return self.learning_rate or LEARNING_RATE

    def domain_pair(self, facts: PublicFacts) -> tuple[int, int]:
        """Numbers of the domains that are learnt from and predicted in. Raises `OptionError`."""
        names = facts.domains
        if len(names) < 2:
            raise OptionError("relations are learnt in one domain and predicted in another: these data have no two")
        learnt = _number("trained_on", self.trained_on, names) if self.trained_on else 0
        other = next(number for number in range(len(names)) if number != learnt)
        predicted = _number("tested_on", self.tested_on, names) if self.tested_on else other
        if predicted == learnt:
            raise OptionError(
                f"relations are learnt in one domain and predicted in another: tested_on must not be {names[learnt]}, "
                "which is learnt from"
            )
        return learnt, predicted

    def check_data(self, facts: PublicFacts) -> None:
        """Raises `OptionError` where these data, or this encoder, cannot be fine-tuned on.

        The relations that are learnt from are private: how many there are refuses nothing.
        """
        if self.pairing == "in-batch" and self.batch_size < 2:
            raise OptionError(
                "in-batch negatives are the other relations of a batch, which must have 2 at least (got 1)"
            )
        learnt, predicted = self.domain_pair(facts)
        need = 2 * self.shots + 2
        if facts.relations[predicted] < need:
            raise OptionError(
                f"the domain {facts.domains[predicted]} needs at least {need} relations inside it"
                f"{f' where shots is {self.shots}' if self.shots else ''} (got {facts.relations[predicted]:,})"
            )
        if self.negatives > facts.entities[learnt]:
            raise OptionError(
                f"negatives must be at most the {facts.entities[learnt]:,} texts of the domain (got {self.negatives})"
            )
        try:
            describe_encoder(self.encoder)
        except EncoderError as error:
            raise OptionError(f"encoder: {error}") from None

    def trained_relations(self, facts: PublicFacts) -> int:
        """|E|: relations of the domain that is learnt from. Private."""
        return facts.relations[self.domain_pair(facts)[0]]

    def trained_texts(self, facts: PublicFacts) -> int:
        """Texts of the domain that is learnt from."""
        return facts.entities[self.domain_pair(facts)[0]]

    @property
    def base_public(self) -> str:
        """What is assumed of the encoder that is fine-tuned; and for the embedded one, which relations it is
        known to have read."""
        return f"{ASSUME_BASE_PUBLIC} ({CITATIONS})" if self.encoder == "minilm" else ASSUME_BASE_PUBLIC

    def tuning_key(self) -> tuple[object, ...]:
        """All options of fine-tuning: members of a stack share them."""
        return (
            self.encoder,
            self.adapted,
            self.rank,
            self.alpha,
            self.max_tokens,
            self.trained_on,
            self.tested_on,
            self.steps,
            self.batch_size,
            self.negatives,
            self.pairing,
            self.loss,
            self.margin,
            self.similarity,
            self.temperature,
            self.optimiser,
            self.schedule,
            self.warmup,
            self.evaluated,
            self.shots,
        )

    def memory_mb(self, facts: PublicFacts) -> float:
        """Rough peak: weights three times over, a micro-batch of activations, and all texts' vectors."""
        found = describe_encoder(self.encoder)
        tokens = self.max_tokens * (self.negatives + 2) * 8
        activations = tokens * found.width * found.layers * 40 * 4 / 1e6
        return 500.0 + 3 * found.parameters_mb + activations + facts.nodes * found.width * 8 / 1e6


def _number(option: str, name: str, names: tuple[str, ...]) -> int:
    if name not in names:
        raise OptionError(f"{option} must be one of {', '.join(names)} (got {name[:80]})")
    return names.index(name)
