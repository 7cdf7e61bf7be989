"""The six lessons, in order."""

from __future__ import annotations

from collections.abc import Mapping

from privgraph.options import Option, Parameter
from privgraph_workbench.lessons.script import Figure, Lesson, Question, Step
from privgraph_workbench.words.glossary import PUBLISHED, SOUND

EPSILON = Parameter(
    "epsilon",
    float,
    1.0,
    Option("the promise: smaller means more noise", choices=(0.25, 0.5, 1.0, 2.0, 4.0), label="ε"),
)
ALIKE = Parameter(
    "alike",
    float,
    0.85,
    Option("share of friendships within one group", low=0.35, high=0.95, label="Friends of one group"),
)
RELEASES = Parameter("releases", int, 4, Option("how often the same data are asked", low=1, high=20, label="Releases"))
FRIENDSHIPS = Parameter(
    "friendships", int, 7, Option("how many friends the person has", low=1, high=20, label="Friendships")
)
WIDE_EPSILON = Parameter(
    "epsilon", float, 4.0,
    Option("the same number for both promises", choices=(0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0), label="ε"),
)  # fmt: skip
TEACHERS = Parameter(
    "teachers", int, 20, Option("how many teachers vote", choices=(10, 20, 50, 100, 200, 500), label="Teachers")
)
QUERIES = Parameter(
    "queries", int, 50, Option("how many answers ε is spent on", choices=(10, 50, 200), label="Answers")
)
ROUNDS = Parameter(
    "rounds", int, 200, Option("rounds in each world", choices=(200, 2000, 20_000, 200_000), label="Rounds")
)

NEIGHBOURS = Lesson(
    name="neighbours",
    title="What a neighbour gives away",
    minutes=6,
    about="Why a graph betrays people who never said a word.",
    steps=(
        Step(
            title="Friends are alike",
            text="Everybody in this invented world belongs to one of three groups and gives a hint at which, right 6 "
            "times out of 10. We ignore somebody's own hint, and guess their group from the **hints of their "
            "friends**. Move the slider: how much depends on friends being alike?",
            words=("hint", "homophily"),
            control=ALIKE,
            figure=Figure(name="friends_tell", reads="alike"),
            question=Question(
                text="A single hint is right 60% of the time. Why are guesses from friends better, at 85% alike?",
                choices=(
                    "Several hints together are more reliable than one",
                    "Friends know more about us than we do",
                    "The network has seen the true groups",
                ),
                hints=(
                    "",
                    "They know nothing of us: each only gives their own hint.",
                    "It has seen hints alone. Count how many it hears of one person.",
                ),
                right=0,
                why="Six weak hints point at one group more surely than one does. Nobody's own data were needed: that "
                "is what makes graphs useful, and what makes them leak.",
            ),
        ),
        Step(
            title="Silence does not help",
            text="Somebody may give no hint and still be guessed, for the guess comes from friends. At the left end of "
            "the curve, friends are as mixed as strangers. The faint curve is that of the step before.",
            words=("hop", "homophily"),
            control=ALIKE,
            figure=Figure(name="friends_tell", given={"hops": 2}, reads="alike"),
            question=Question(
                text="This time friends of friends are counted too. What has changed at 85% alike?",
                choices=(
                    "Nothing",
                    "Guesses are better: more hints are heard",
                    "Guesses are worse: strangers are heard",
                ),
                hints=(
                    "Compare the height at 85% with that of the faint curve.",
                    "",
                    "Is a friend's friend a stranger? Look at which way the curve has moved.",
                ),
                right=1,
                why="A second hop hears some thirty hints instead of six. Further away, people are less alike, so "
                "there is a limit.",
            ),
        ),
        Step(
            title="Two sums, one difference",
            text="A network publishes, for everybody, how many hints at each group their friends gave. Here is what it "
            "publishes around Finn, **without noise**, and what it would publish had Finn never joined.",
            words=("release", "neighbouring datasets", "attack"),
            figure=Figure(name="told_without_noise"),
            question=Question(
                text="Somebody knows everything but whether Finn is in. How often can they tell?",
                choices=("Half of the time", "Mostly", "Always"),
                hints=(
                    "That would be a coin, and they have more than one: they can compute both rows.",
                    "Which published number would leave a doubt, if there is no noise?",
                    "",
                ),
                right=2,
                why="They compute both sums, and look at which one was published. One look settles it: without noise "
                "there is no promise, however large the crowd.",
            ),
        ),
    ),
    takeaway="What is predicted of your friends can give you away, even if you never said a word.",
    paper="Papers on graph networks show that models leak: who trained (membership inference) and who is connected "
    "(link stealing). They measure it by attacks.",
    holds="An attack that fails proves nothing; the next may succeed. What limits every attack is noise with a proof: "
    "differential privacy. On the page Attacks you see both, side by side.",
    notebook="10_neighbours",
)

NOISE = Lesson(
    name="noise",
    title="Noise and epsilon",
    minutes=7,
    about="What the number ε promises, and how it adds up.",
    steps=(
        Step(
            title="A count with noise",
            text="Twelve people have a property, or eleven if *she* is not among them. The published number is the "
            "count plus Laplace noise of scale 1/ε. The two curves say how likely each published number is, with her "
            "and without.",
            words=("ε (epsilon)", "Laplace noise", "neighbouring datasets"),
            control=EPSILON,
            figure=Figure(name="one_number", reads="epsilon"),
            question=Question(
                text="At ε = 1, what is the largest ratio of the two heights, anywhere?",
                choices=("1", "e = 2.72", "It grows without limit in the tails"),
                hints=(
                    "That is the ratio where the curves cross. Look at the tops.",
                    "",
                    "In the tails both curves fall at the same rate: their ratio stays the same.",
                ),
                right=1,
                why="Left of both tops and right of them the ratio is exactly eᵋ, and between them it is less. That "
                "is the definition: no result is more than eᵋ times likelier with her than without.",
            ),
        ),
        Step(
            title="What a guesser can do",
            text="If both worlds are equally likely, whoever sees one release, the published number, is right "
            "at most eᵋ / (1 + eᵋ) of the time: 73% at ε = 1, and 98% at ε = 4.",
            words=("ε (epsilon)", "neighbouring datasets"),
            control=EPSILON,
            figure=Figure(name="one_release", reads="epsilon"),
            question=Question(
                text="Which ε leaves a guesser at most 56% of right guesses after one release?",
                choices=("0.25", "1", "4"),
                hints=(
                    "",
                    "The text says what ε = 1 leaves.",
                    "The text says what ε = 4 leaves.",
                ),
                right=0,
                why="At ε = 0.25, eᵋ is 1.284, and 1.284 / 2.284 is 56.2%. Small ε is strong protection, and "
                "much noise.",
            ),
        ),
        Step(
            title="Asking again",
            text="Each release spends its own ε, and guesses use all of them together. Here ε = 0.5 each.",
            words=("release", "composition", "accountant", "δ (delta)"),
            control=RELEASES,
            figure=Figure(name="many_releases", given={"epsilon": 0.5}, reads="releases"),
            question=Question(
                text="How many releases of ε = 0.5 may there be, if the total is to stay at 2?",
                choices=("2", "4", "As many as one likes: each is private"),
                hints=(
                    "Two of them spend 0.5 + 0.5.",
                    "",
                    "Move the number of releases, and see what becomes of the guesser.",
                ),
                right=1,
                why="Epsilons add up (for Laplace noise exactly so; Gaussian noise composes more cheaply, with a small "
                "δ). A model that is trained for a hundred steps makes a hundred releases.",
            ),
        ),
    ),
    takeaway="ε bounds what anybody can learn from one release; what several releases tell adds up.",
    paper="Training takes many noisy steps. Papers add their costs with an accountant: Rényi orders, or a privacy-loss "
    "distribution.",
    holds="All sound accountants give an upper bound; a looser one only wastes accuracy. On the page Accounting you "
    "see the terms, and the ε that each accountant proves of the same noise.",
    notebook="11_noise",
)

PROMISES = Lesson(
    name="promises",
    title="Edges, people: which promise?",
    minutes=6,
    about="Two epsilons that must never be compared as if they were one.",
    steps=(
        Step(
            title="One number, two meanings",
            text="The same ε may hide **one friendship**, or **one person** with the hint and all friendships, of "
            "which nobody here has more than 8. The curves say what is left of accuracy under either promise.",
            words=("protected unit", "sensitivity"),
            control=WIDE_EPSILON,
            figure=Figure(name="edges_or_people", reads="epsilon"),
            question=Question(
                text="Why does protecting people cost so much more at the same ε?",
                choices=(
                    "A person moves many more published numbers than a friendship",
                    "People are more valuable than friendships",
                    "The noise is of another kind",
                ),
                hints=(
                    "",
                    "Noise does not know what is valuable. What sets its scale?",
                    "It is Laplace noise in both curves; only its scale differs.",
                ),
                right=0,
                why="A friendship moves two rows by 1 each: 2. A person of 8 friends moves their 8 rows and the own "
                "one: 16. Noise grows with what one unit can move, the sensitivity.",
            ),
        ),
        Step(
            title="A person is many edges",
            text="Somebody with 7 friends is protected edge by edge at ε = 1. How much do all 7 together give away? By "
            "composition, up to 7 times as much.",
            words=("protected unit", "composition"),
            control=FRIENDSHIPS,
            figure=Figure(name="many_releases", given={"epsilon": 1.0}, reads="friendships"),
            question=Question(
                text="Edge-level ε = 1, a person with 7 friends: what bounds what is learnt about them?",
                choices=(
                    "ε = 1",
                    "ε = 7 for the friendships, and nothing for the features",
                    "ε = 7, features included",
                ),
                hints=(
                    "That is for one friendship, and this person has seven.",
                    "",
                    "Which of the two does a promise about friendships speak of?",
                ),
                right=1,
                why="Edge-level protection says nothing of a person's features, which count as public, and ε "
                "multiplies by the number of friendships. See ‘Take one person out’ in the Playground with edges "
                "protected.",
            ),
        ),
        Step(
            title="Choose before you compare",
            text="A table puts two methods side by side: one with edge-level ε = 1 and 80% accuracy, one with "
            "node-level ε = 8 and 70%.",
            words=("protected unit", "ε (epsilon)"),
            question=Question(
                text="Which one is better?",
                choices=("The first: smaller ε, higher accuracy", "The second", "They cannot be compared so"),
                hints=(
                    "Smaller than what? The two numbers are about different units.",
                    "Larger ε and lower accuracy: by what measure would it be better?",
                    "",
                ),
                right=2,
                why="They promise different things. Decide whom to protect from whom; then compare accuracies at one ε "
                "of that promise. The workbench never draws both on one axis without a word.",
            ),
        ),
    ),
    takeaway="Ask first whom an ε hides: one friendship is far less than one person.",
    paper="GAP and ProGAP state results for edge level and for node level; their node level bounds degrees first.",
    holds="Edge level: an undirected edge is two entries, so the sensitivity is the square root of 2, not 1. Node "
    "level: the bound must not be drawn again when somebody leaves (lesson 5).",
    notebook="12_promises",
)

VOTES = Lesson(
    name="votes",
    title="Votes of teachers",
    minutes=7,
    about="How many models together answer a question, and none of them shows its data.",
    steps=(
        Step(
            title="Everybody moves one vote",
            text="Private people are dealt out to **teachers**, each of whom learns from a few of them. Asked about a "
            "public node, all teachers vote, and only the winner of a **noisy** count is published. Here 7 of 10 "
            "teachers are right, and ε = 2 pays for 50 answers.",
            words=("teacher", "sensitivity"),
            control=TEACHERS,
            figure=Figure(name="many_teachers", given={"epsilon": 2.0}, reads="teachers"),
            question=Question(
                text="Why do more teachers help, though each knows less?",
                choices=(
                    "More teachers need less noise on each count",
                    "The noise is the same, and the lead of the right class is larger",
                    "More teachers see more data",
                ),
                hints=(
                    "The noise on a count does not depend on how many vote.",
                    "",
                    "Each teacher sees fewer private people, not more.",
                ),
                right=1,
                why="One person is with one teacher and moves one vote, however many vote. The lead grows with the "
                "number of teachers, and the noise does not.",
            ),
        ),
        Step(
            title="Every answer has a price",
            text="The budget is shared by all answers: the noise on each count grows with the root of their number.",
            words=("composition", "ε (epsilon)"),
            control=QUERIES,
            figure=Figure(name="many_teachers", given={"epsilon": 2.0, "teachers": 100}, reads="queries"),
            question=Question(
                text="With 100 teachers and ε = 2, what do 200 answers cost beside 10?",
                choices=("Nothing", "More noise on each answer", "A larger ε at the same noise, which is not told"),
                hints=(
                    "Move the number of answers, and compare the curves at 100 teachers.",
                    "",
                    "ε was fixed at 2 here, and is told. Something else has to give.",
                ),
                right=1,
                why="ε stays as asked; each of the 200 answers has more noise. So few questions are asked, and a "
                "student learns from the answers and from the public graph.",
            ),
        ),
        Step(
            title="Agreement is tempting",
            text="Where all teachers agree, an answer reveals little, so a **data-dependent** analysis charges less "
            "for it. But that price is computed from the private votes.",
            words=("data-dependent ε", "release"),
            question=Question(
                text="May the data-dependent ε be published with the answers?",
                choices=(
                    "Yes, it is smaller",
                    "No: it is computed from the votes, and gives them away",
                    "Yes, if it is rounded",
                ),
                hints=(
                    "Small, yes; but what was it computed from?",
                    "",
                    "Rounding hides little: near a border one vote still turns the rounded number.",
                ),
                right=1,
                why="Whoever reads it compares it with what it would be without one person (play it in lesson 5). It "
                "may be published after noise of its own, which costs as well.",
            ),
        ),
    ),
    takeaway="A noisy vote of many teachers can answer a few questions well, and each answer costs.",
    paper="The papers PATE, PrivGNN and DP-GPL let teachers answer so. PrivGNN publishes how sure they are of each "
    "class (posteriors), with noise; DP-GPL publishes noisy votes, with a threshold before, and prints a "
    "data-dependent ε for each teacher.",
    holds="Posteriors move by 2, not by 1. Votes with the printed noise and 50 answers cost a sound ε of 49.9 where "
    "the paper prints about 0.2. Other settings reach good accuracy at a sound ε of 2: see the page Teachers.",
    notebook="13_votes",
)

CLAIMS = Lesson(
    name="claims",
    title="Why a published epsilon can be wrong",
    minutes=9,
    about="Play three attacks against three papers' claims, and see them win.",
    steps=(
        Step(
            title="Noise that tells its own size",
            text="The paper HeterPoisson publishes 200 numbers at once, and claims that **spherical Laplace** noise "
            "hides in them whether a person took part. One draw decides how large the noise is on all 200: some "
            "releases get much, and some hardly any. Most of the numbers do not depend on the person, so the attacker "
            "sees in them how large the noise is, and guesses only where there is hardly any. In each **round** a coin "
            "decides whether the person took part.",
            words=("Laplace noise", PUBLISHED, "lower bound (ε audited)"),
            control=ROUNDS,
            figure=Figure(name="claims_played", given={"games": ("spherical Laplace noise",)}, reads="rounds"),
            question=Question(
                text="The claim is ε = 1. What do 20000 rounds show?",
                choices=("Nothing against it", "That ε is at least about 4.6", "That the code is wrong, not the proof"),
                hints=(
                    "Set the rounds to 20000, and compare with the claimed ε.",
                    "",
                    "The noise is drawn exactly as the paper says. So what is left to be wrong?",
                ),
                right=1,
                why="Where the attacker guesses, it is right far more often than e = 2.7 times for each error, which "
                "ε = 1 would not allow. The proof (Lemma 1) looks at one number alone, and fails from two on; Gaussian "
                "noise of the same size keeps its promise. More rounds prove more of what is true: 200000 show "
                "about 5.7.",
            ),
        ),
        Step(
            title="A crowd that is drawn again",
            text="The papers GAP and ProGAP sum what neighbours say. So that one person moves only a few sums, "
            "everybody keeps at most 10 neighbours, drawn at random: a **degree bound**. One person then moves at "
            "most 10 sums by 1 each, √10 in length, and the noise is made for that. But without that person **all** "
            "lists are drawn again, so other people's sums move, too.",
            words=("degree bound", "sensitivity"),
            control=ROUNDS,
            figure=Figure(
                name="claims_played", given={"games": ("a degree bound that is drawn again",)}, reads="rounds"
            ),
            question=Question(
                text="Why does the bound √10 fail?",
                choices=(
                    "Because 10 neighbours are too many",
                    "Because a leaving person changes other people's lists, too",
                    "Because the noise is Gaussian",
                ),
                hints=(
                    "Another number would fail in the same way.",
                    "",
                    "Gaussian noise keeps its promise, if the bound on what moves is right.",
                ),
                right=1,
                why="The proof holds the lists fixed and the code does not. It is right if the lists are drawn once, "
                "before anybody leaves; that is what the workbench does, and what its statement says.",
            ),
        ),
        Step(
            title="A number that should not be printed",
            text="The paper DP-GPL lets teachers vote (lesson 4), and prints an ε that is computed from the votes "
            "themselves, without noise. Take one vote away: the printed number is another.",
            words=("data-dependent ε", "release"),
            control=ROUNDS,
            figure=Figure(
                name="claims_played", given={"games": ("a data-dependent epsilon that is printed",)}, reads="rounds"
            ),
            question=Question(
                text="What ε does publishing that number have?",
                choices=("The printed one", "A slightly larger one", "None: no finite ε holds"),
                hints=(
                    "The attack is right in every round. What would an ε of that size allow?",
                    "Would any finite ε allow an attacker who is never wrong?",
                    "",
                ),
                right=2,
                why="It takes one look. More rounds only raise the bound that can be proved from them: every round is "
                "right.",
            ),
        ),
        Step(
            title="All three",
            text="Claimed ε beside what an attack has shown in 20000 rounds, on one axis: the more rounds, the more it "
            "shows. An attack's number is a **lower bound**: the "
            "truth may be worse, never better.",
            words=(PUBLISHED, "lower bound (ε audited)"),
            figure=Figure(name="claims_played", given={"rounds": 20_000}),
            question=Question(
                text="An attack on a fourth method finds nothing. What follows?",
                choices=("Its claim is right", "Nothing: another attack may find more", "Its ε is 0"),
                hints=(
                    "Had another attacker been cleverer, would the claim still be right?",
                    "",
                    "An attack gives a lower bound. Can a lower bound show that something is 0?",
                ),
                right=1,
                why="Attacks refute; only proofs promise. So the workbench shows three numbers of every run: sound, as "
                "published, and audited.",
            ),
        ),
    ),
    takeaway="An attack can refute a claimed ε; only a proof that fits what the program does can promise one.",
    paper="HeterPoisson proves its noise private in Lemma 1. GAP and ProGAP bound degrees by sampling before they "
    "count what a node moves. DP-GPL prints a data-dependent ε for each teacher.",
    holds="HeterPoisson: Gaussian noise of the same size keeps its promise. GAP and ProGAP: √10 holds where the lists "
    "are drawn once, before anybody leaves. DP-GPL: a number that is computed from votes needs noise of its own. A "
    "run's page shows each gap with its size.",
    notebook="14_claims",
)

STATEMENTS = Lesson(
    name="statements",
    title="Read a privacy statement",
    minutes=6,
    about="Five questions to ask of any number called ε.",
    steps=(
        Step(
            title="Protects whom, from what?",
            text="“*ε = 2, δ = 10⁻⁴; protects one friendship, added or removed; released: predictions for all nodes.*” "
            "A statement names the **unit**, the **neighbouring relation** and the **release**, or it says nothing.",
            words=("protected unit", "neighbouring datasets", "release"),
            question=Question(
                text="Does this statement hide whether somebody is in the graph at all?",
                choices=("Yes", "No: it is about one friendship", "Yes, with probability 1 - δ"),
                hints=(
                    "Read again what it protects: one of what?",
                    "",
                    "δ is the chance that the promise fails. What is promised in the first place?",
                ),
                right=1,
                why="The unit is a friendship. A person with many of them is hidden less, and a person's features not "
                "at all.",
            ),
        ),
        Step(
            title="δ",
            text="δ bounds the chance that the promise fails altogether. It should be much smaller than one over the "
            "number of units: otherwise publishing somebody's record at random would be within the promise.",
            words=("δ (delta)", "protected unit"),
            question=Question(
                text="A graph of 10,000 people, protected as people: which δ is no serious promise?",
                choices=("10⁻⁶", "10⁻⁵", "10⁻³"),
                hints=(
                    "Multiply by 10,000: how many records may be lost?",
                    "That is a tenth of one over the number of people.",
                    "",
                ),
                right=2,
                why="At δ = 10⁻³ one may publish ten people's records outright. The workbench's rule takes δ below one "
                "over the number of units.",
            ),
        ),
        Step(
            title="Three numbers",
            text="**Sound**: what the noise guarantees, by a proof. **As published**: what the paper's formula says of "
            "the same noise. **Audited**: what an attack has shown at least. The figure has the last two of them, for "
            "the three claims of lesson 5.",
            words=(SOUND, PUBLISHED, "lower bound (ε audited)"),
            figure=Figure(name="claims_played", given={"rounds": 20_000}),
            question=Question(
                text="Sound 2.0, as published 0.8, audited 1.1. Which statement is true?",
                choices=(
                    "The published number is refuted, and the sound one stands",
                    "Both are refuted",
                    "The true ε is 1.1",
                ),
                hints=(
                    "",
                    "A lower bound refutes what lies below it. Where does 2.0 lie?",
                    "An attack shows that ε is at least so much, and not that it is no more.",
                ),
                right=0,
                why="A lower bound of 1.1 excludes 0.8. It does not say what the truth is, only that it is not below.",
            ),
        ),
        Step(
            title="Assumptions",
            text="Every proof assumes something: that features are public, that nobody chose by private labels at "
            "which epoch (pass of training) to stop, that the noise is secret. Statements list them.",
            words=("assumption", SOUND),
            question=Question(
                text="A run's epoch was chosen by accuracy on private validation labels, and ε counts training alone. "
                "What is that?",
                choices=(
                    "Fine: validation is not training",
                    "An unpaid look at private data",
                    "Fine if accuracy is good",
                ),
                hints=(
                    "The labels are private too, and the chosen epoch depends on them.",
                    "",
                    "Accuracy is what was looked at. Was the look paid for?",
                ),
                right=1,
                why="Whatever looks at private data and influences what is released has to be paid for, or stated as "
                "an assumption. Tuning counts as well.",
            ),
        ),
        Step(
            title="Several releases",
            text="Three models were trained on the same people, each with ε = 2, and all are published.",
            words=("release", "composition"),
            question=Question(
                text="What holds for somebody in the data?",
                choices=("ε = 2", "ε = 6, at most: they add up", "ε = 2/3"),
                hints=(
                    "That holds for each model alone, and all three are published.",
                    "",
                    "Publishing more does not make each release more private.",
                ),
                right=1,
                why="Whoever sees all three has seen three releases. The Trade-offs page says below its figure what "
                "all of its runs cost together.",
            ),
        ),
    ),
    takeaway="An ε says nothing without its unit, its δ, what was released, and what is assumed.",
    paper="Papers state ε and δ in a sentence, and leave unit, release and assumptions to the reader.",
    holds="Of the five papers here, four promise more than holds, in proof or in code. Each run's page says which, by "
    "how much, and why.",
    notebook="15_statements",
)

LESSONS: Mapping[str, Lesson] = {one.name: one for one in (NEIGHBOURS, NOISE, PROMISES, VOTES, CLAIMS, STATEMENTS)}
"""All lessons by name, in order."""
